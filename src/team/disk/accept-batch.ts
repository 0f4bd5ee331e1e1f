import { createHash } from 'node:crypto'
import { type Batch, SENT_STAGES } from '../rules/batch.ts'
import type { Database } from './database.ts'

export interface ArrivedBatch extends Batch {
  /** As they were received. */
  bytes: string
  /** The token of the request. */
  token: string
  hoursOff: number
}

/** The result for a batch. Only `accepted` stored something. */
export type BatchResult =
  | { result: 'accepted' }
  /** It was accepted before, and the answer was lost. */
  | { result: 'duplicate' }
  /** Other rows already have this number: two machines use one identity. */
  | { result: 'cloned' }
  /** Earlier batches are missing: the database was restored from a backup. */
  | { result: 'behind'; expected: number }
  /** This machine never joined with this token. */
  | { result: 'unknown machine' }
  | { result: 'left' }

/**
 * One statement, so that it is done completely or not at all. It updates the number of the machine's last batch only if
 * the batch is the next one, so that the same batch cannot be stored twice. A machine sends for one person, the first
 * that it named: another name in a later batch is not another person.
 */
const ACCEPT = `
  WITH gate AS (
    UPDATE machine SET last_sequence = $3, seen = now(), client = $4, hours_off = $5, person = coalesce(person, $8)
    WHERE name = $1 AND token = $2 AND last_sequence = $3 - 1 AND left_at IS NULL
    RETURNING id, person
  ), noted AS (
    INSERT INTO batch (machine, sequence, digest, events) SELECT id, $3, $6, $7 FROM gate
  ), kept AS (
    INSERT INTO inbox (machine, person, hours_off, rows, sequence, listed_since)
    SELECT id, person, $5, $9, $3, $3 - $10::bigint FROM gate
  )
  SELECT id FROM gate`

export async function acceptBatch(database: Database, batch: ArrivedBatch): Promise<BatchResult> {
  const { machine, sequence, token, client, hoursOff, person } = batch
  const digest = createHash('sha256').update(batch.bytes).digest()
  const events = batch.rows.reduce((sum, { times }) => sum + times, 0)
  const rows = JSON.stringify(batch.rows.map(storedRow))
  const values = [machine, token, sequence, client, hoursOff, digest, events, person, rows, batch.listed ?? null]
  const { rowCount } = await database.query(ACCEPT, values)
  return rowCount === 1 ? { result: 'accepted' } : explain(database, batch, digest)
}

function storedRow({ kind, id, agent, stage, version = '', hour, project = '', tokens, times }: Batch['rows'][number]) {
  return {
    e: `${kind}:${id}`,
    a: agent,
    v: version,
    p: project,
    h: `${hour}:00Z`,
    s: SENT_STAGES.indexOf(stage),
    n: times,
    t: tokens,
  }
}

async function explain(database: Database, { machine, sequence, token }: Batch & { token: string }, digest: Buffer) {
  const { rows } = await database.query<{ token: string; last: string; hasLeft: boolean; digest: Buffer | null }>(
    `SELECT m.token, m.last_sequence AS last, m.left_at IS NOT NULL AS "hasLeft", b.digest
     FROM machine m LEFT JOIN batch b ON b.machine = m.id AND b.sequence = $2 WHERE m.name = $1`,
    [machine, sequence],
  )
  const [found] = rows
  if (found === undefined || found.token !== token) return { result: 'unknown machine' as const }
  if (found.hasLeft) return { result: 'left' as const }
  const expected = Number(found.last) + 1
  if (sequence > expected) return { result: 'behind' as const, expected }
  return { result: found.digest?.equals(digest) ? ('duplicate' as const) : ('cloned' as const) }
}

export interface Joining {
  machine: string
  token: string
  group: string
  client: string
  /** Its identity before Loadout noticed that the machine was copied. */
  replaces?: string
  /** The first batch that it still has: earlier ones are lost on both sides. */
  resume?: number
}

/** Registers a machine. A known one continues with its number, and with its current token. */
export async function joinMachine(database: Pick<Database, 'query'>, joining: Joining): Promise<{ expected: number }> {
  const { machine, token, group, client, replaces, resume } = joining
  const { rows } = await database.query<{ last: string }>(
    `INSERT INTO machine (name, token, group_name, client, since, separated_from)
     VALUES ($1, $2, $3, $4, coalesce((SELECT since FROM machine WHERE name = $5), now()),
             (SELECT id FROM machine WHERE name = $5))
     ON CONFLICT (name) DO UPDATE SET token = $2, group_name = $3, client = $4, seen = now(), left_at = NULL,
       lost_batches = machine.lost_batches + greatest($6 - 1 - machine.last_sequence, 0),
       last_sequence = greatest(machine.last_sequence, $6 - 1)
     RETURNING last_sequence AS last`,
    [machine, token, group, client, replaces ?? '', resume ?? 0],
  )
  return { expected: Number(rows[0]?.last ?? 0) + 1 }
}

export async function leaveMachine(
  database: Pick<Database, 'query'>,
  machine: string,
  token: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'UPDATE machine SET left_at = now() WHERE name = $1 AND token = $2 AND left_at IS NULL',
    [machine, token],
  )
  return rowCount === 1
}
