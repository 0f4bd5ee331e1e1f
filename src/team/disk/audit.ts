import { type AuditEntry, CHAIN_START, chainEntry, type StoredEntry } from '../rules/audit.ts'
import type { Connection, Database } from './database.ts'

/** Adds an entry in the transaction of the change that it tells of: neither is there without the other. */
export async function noteAudit(connection: Connection, done: Omit<AuditEntry, 'id' | 'at'>, now: Date): Promise<void> {
  // One writer at a time: each entry follows the last.
  await connection.query('LOCK TABLE audit IN SHARE ROW EXCLUSIVE MODE')
  const { rows } = await connection.query<{ id: string; hash: string }>(
    'SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1',
  )
  const id = Number(rows[0]?.id ?? 0) + 1
  const { actor, action, about } = done
  const { entry, hash } = chainEntry(rows[0]?.hash ?? CHAIN_START, { id, at: now.toISOString(), actor, action, about })
  await connection.query('INSERT INTO audit (id, entry, hash) VALUES ($1, $2, $3)', [id, entry, hash])
}

const MOST_ENTRIES = 2_000

/** The entries after one, oldest first; without one the newest entries. */
export async function readAudit(database: Pick<Database, 'query'>, after?: number): Promise<StoredEntry[]> {
  const { rows } = await database.query<StoredEntry>(
    after === undefined
      ? `SELECT entry, hash FROM (SELECT * FROM audit ORDER BY id DESC LIMIT ${MOST_ENTRIES}) newest ORDER BY id`
      : `SELECT entry, hash FROM audit WHERE id > ${after} ORDER BY id LIMIT ${MOST_ENTRIES}`,
  )
  return rows
}
