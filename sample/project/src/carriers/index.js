import { query } from '../store/database.js'
import { deliver } from '../webhooks/deliver.js'
import { parseEvent } from './parse-event.js'

const CARRIERS = new Set(['north', 'river', 'harbour'])

/** Stores what a carrier reports, each event once, and tells who asked to be told. */
export async function takeEvents(carrier, reports) {
  if (!CARRIERS.has(carrier)) throw Object.assign(new Error(`no carrier ${carrier}`), { status: 404 })
  const events = reports.map((report) => parseEvent(carrier, report))
  let stored = 0
  for (const event of events) {
    const rows = await query(
      'insert into events (parcel, kind, at, source) values ($1, $2, $3, $4) on conflict do nothing returning id',
      [event.parcel, event.kind, event.at, event.source],
    )
    if (rows.length === 0) continue
    stored += 1
    await deliver(event)
  }
  return { stored, repeated: events.length - stored }
}
