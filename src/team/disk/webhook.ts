import { createHmac } from 'node:crypto'
import { callHttp } from '../../machine/call-http.ts'
import type { Database } from './database.ts'
import { aboutError, type Log } from './telemetry.ts'

export interface Webhook {
  url: string
  /** Signs each call. */
  secret: string
}

/** What a chat or a pipeline wants to hear of; the rest of the audit log is for readers. */
const TOLD = [
  'version published',
  'version quarantined',
  'catalog signed',
  'change proposed',
  'token made',
  'token revoked',
  'person revoked',
]

/**
 * Calls an address for each entry of the audit log that it wants to hear of: in order, at least once, again after a failure,
 * later and later. Every instance tries; a lease in the database lets one call at a time. Returns whether it called.
 */
export async function callWebhook(database: Database, { url, secret }: Webhook, log: Log): Promise<boolean> {
  // The first start begins now: what happened before is not sent.
  await database.query(
    'INSERT INTO webhook (sent) SELECT coalesce(max(id), 0) FROM audit ON CONFLICT (is_only) DO NOTHING',
  )
  const { rows: found } = await database.query<{ id: string; entry: string; tries: number }>(
    `WITH next AS (
       SELECT a.id, a.entry FROM audit a, webhook w
       WHERE a.id > w.sent AND a.entry::jsonb ->> 'action' = ANY ($1) ORDER BY a.id LIMIT 1
     )
     UPDATE webhook w SET due = now() + make_interval(secs => 60) FROM next WHERE w.due <= now()
     RETURNING next.id, next.entry, w.tries`,
    [TOLD],
  )
  const [next] = found
  if (next === undefined) return false
  const signature = createHmac('sha256', secret).update(next.entry).digest('hex')
  const headers = { 'x-loadout-delivery': next.id, 'x-loadout-signature': `sha256=${signature}` }
  const failure = await callHttp(url, { body: next.entry, headers, milliseconds: 10_000 }).then(
    ({ status }) => (status >= 200 && status < 300 ? undefined : { status }),
    (error: unknown) => aboutError(error),
  )
  if (failure === undefined) {
    await database.query('UPDATE webhook SET sent = $1, tries = 0, due = now() WHERE sent < $1', [next.id])
    return true
  }
  const wait = Math.min(3_600, 5 * 2 ** next.tries)
  log('webhook', { ...failure, entry: Number(next.id), again: wait })
  await database.query('UPDATE webhook SET tries = tries + 1, due = now() + make_interval(secs => $1)', [wait])
  return false
}
