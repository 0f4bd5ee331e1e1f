import { setTimeout as pause } from 'node:timers/promises'
import { query } from '../store/database.js'
import { sign } from './sign.js'

const PAUSES = [1, 10, 60, 600, 3600, 21_600, 57_600]

/** Tells everybody who follows the parcel. Tries for a day, with longer and longer pauses. */
export async function deliver(event) {
  const hooks = await query('select url, secret from hooks where parcel = $1 or parcel is null', [event.parcel])
  for (const hook of hooks) void tellUntilHeard(hook, event)
}

async function tellUntilHeard({ url, secret }, event) {
  const body = JSON.stringify(event)
  for (const seconds of PAUSES) {
    const headers = { 'content-type': 'application/json', 'x-signature': sign(body, secret) }
    const heard = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined)
    if (heard?.ok) return
    if (heard?.status === 410) return void query('delete from hooks where url = $1', [url])
    await pause(seconds * 1000, undefined, { ref: false })
  }
}
