import { SENT_STAGES } from '../rules/batch.ts'
import { type Connection, type Database, inTransaction } from './database.ts'

const COUNT_LOCK = 5_628_622
const MOST_BATCHES = 60

/** What a sum is about. */
export const FACETS = { entry: 0, agent: 1, group: 2, project: 3 } as const

const { entry: ENTRY, agent: AGENT, group: GROUP, project: PROJECT } = FACETS
const [INSTALLED, DELIVERED, USED] = (['installed', 'delivered', 'used'] as const).map((stage) =>
  SENT_STAGES.indexOf(stage),
)

const SUM_KEY = 'team_group, day, facet, item, version, stage'
const REACH_KEY = 'day, facet, item, version, chunk'

/** Adds what was counted to the sums of the whole and of its group. */
function sumInto(table: string, day: string): string {
  return `INSERT INTO ${table} (${SUM_KEY}, times, tokens)
    SELECT f.team_group, ${day}, f.facet, f.item, f.version, c.stage, sum(c.times), sum(c.tokens)
    FROM counted c CROSS JOIN LATERAL (VALUES
      (0, ${ENTRY}, c.entry, c.version), (0, ${AGENT}, c.agent, 0), (0, ${GROUP}, c.team_group, 0), (0, ${PROJECT}, c.project, 0),
      (c.team_group, ${ENTRY}, c.entry, c.version), (c.team_group, ${AGENT}, c.agent, 0), (c.team_group, ${PROJECT}, c.project, 0)
    ) AS f(team_group, facet, item, version)
    WHERE f.item > 0 GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (${SUM_KEY}) DO UPDATE
      SET times = ${table}.times + excluded.times, tokens = ${table}.tokens + excluded.tokens`
}

/** An entry reached people who received or used it; planning alone is done by the machine. */
function reachInto(table: string, day: string): string {
  return `INSERT INTO ${table} (${REACH_KEY}, people)
    SELECT ${day}, f.facet, f.item, f.version, c.person / 512, bit_or(set_bit(0::bit(512), c.person % 512, 1))
    FROM counted c CROSS JOIN LATERAL (VALUES
      (${ENTRY}, c.entry, c.version, c.stage IN (${DELIVERED}, ${USED})), (${GROUP}, c.team_group, 0, true)
    ) AS f(facet, item, version, is_reached)
    WHERE f.is_reached GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (${REACH_KEY}) DO UPDATE SET people = ${table}.people | excluded.people
      WHERE ${table}.people | excluded.people <> ${table}.people`
}

const DAY = "(c.hour AT TIME ZONE 'UTC')::date"
const MONTH = "date_trunc('month', c.hour AT TIME ZONE 'UTC')::date"

/** Statements that add the rows of `counted` to the sums. */
export const SUMS: readonly string[] = [
  sumInto('usage_day', DAY),
  sumInto('usage_month', MONTH),
  reachInto('reach_day', DAY),
  reachInto('reach_month', MONTH),
]

/** The rows as sent, with a plausible time: not after they arrived, not before the machine joined. */
const SENT = `
  SELECT i.machine, i.person, m.group_name,
    greatest(least(r.h + make_interval(hours => i.hours_off), date_trunc('hour', i.received)),
             date_trunc('hour', m.since)) AS hour,
    r.e, r.a, r.v, r.p, r.s, r.n, r.t
  FROM inbox i JOIN machine m ON m.id = i.machine,
    jsonb_to_recordset(i.rows) AS r(e text, a text, v text, p text, h timestamptz, s smallint, n int, t bigint)
  WHERE i.id = ANY($1)`

const NAME = `
  INSERT INTO label (text)
  SELECT DISTINCT named.text FROM (${SENT}) sent
    CROSS JOIN LATERAL unnest(ARRAY[sent.e, sent.a, sent.v, sent.p, sent.group_name]) AS named(text)
  WHERE named.text <> '' AND NOT EXISTS (SELECT FROM label known WHERE known.text = named.text)
  ON CONFLICT DO NOTHING`

const NAME_PEOPLE = `
  INSERT INTO person (pseudonym)
  SELECT DISTINCT i.person FROM inbox i
  WHERE i.id = ANY($1) AND NOT EXISTS (SELECT FROM person known WHERE known.pseudonym = i.person)
  ON CONFLICT DO NOTHING`

/** Moves batches from the inbox into the events and into every sum, in one statement. */
const COUNT = `
  WITH counted AS (
    INSERT INTO event (hour, machine, person, team_group, entry, version, agent, project, stage, times, tokens)
    SELECT s.hour, s.machine, person.id, grp.id, entry.id, coalesce(version.id, 0), agent.id, coalesce(project.id, 0),
      s.s, s.n, s.t
    FROM (${SENT}) s
      JOIN person ON person.pseudonym = s.person
      JOIN label grp ON grp.text = s.group_name
      JOIN label entry ON entry.text = s.e
      JOIN label agent ON agent.text = s.a
      LEFT JOIN label version ON version.text = s.v
      LEFT JOIN label project ON project.text = s.p
    RETURNING *
  ), done AS (DELETE FROM inbox WHERE id = ANY($1)),
  ${SUMS.map((sum, at) => `sum_${at} AS (${sum})`).join(', ')},
  held AS (
    INSERT INTO holding (machine, entry, agent, version, since, seen)
    SELECT DISTINCT ON (machine, entry, agent) machine, entry, agent, version, hour, hour
    FROM counted WHERE version > 0 AND stage IN (${INSTALLED}, ${USED})
    ORDER BY machine, entry, agent, hour DESC, version DESC
    ON CONFLICT (machine, entry, agent) DO UPDATE SET version = excluded.version, seen = excluded.seen,
      since = CASE WHEN holding.version = excluded.version THEN holding.since ELSE excluded.since END
    WHERE excluded.seen >= holding.seen
  )
  SELECT coalesce(sum(times), 0) AS events FROM counted`

/**
 * Counts some batches of the inbox and returns how many. Only one instance at a time, and only one that was made for
 * the current schema: another would not update sums that it does not know.
 */
export async function countInbox(database: Database, made: number): Promise<number> {
  return inTransaction(database, async (connection) => {
    const { rows } = await connection.query<{ isFree: boolean }>(
      `SELECT pg_try_advisory_xact_lock($1) AND (SELECT max(version) FROM migration) = $2 AS "isFree"`,
      [COUNT_LOCK, made],
    )
    if (!rows[0]?.isFree) return 0
    const waiting = await connection.query<{ id: string }>('SELECT id FROM inbox ORDER BY id LIMIT $1', [MOST_BATCHES])
    const ids = waiting.rows.map(({ id }) => id)
    if (ids.length === 0) return 0
    await makePartitions(connection, ids)
    await connection.query(NAME, [ids])
    await connection.query(NAME_PEOPLE, [ids])
    await connection.query(COUNT, [ids])
    return ids.length
  })
}

async function makePartitions(connection: Connection, ids: readonly string[]): Promise<void> {
  const { rows } = await connection.query<{ month: string }>(
    `SELECT DISTINCT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM') AS month FROM (${SENT}) sent`,
    [ids],
  )
  for (const { month } of rows) await makePartition(connection, month)
}

/** For a month such as `2026-11`. */
async function makePartition(connection: Pick<Connection, 'query'>, month: string): Promise<void> {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const next = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
  // Both come from to_char and toISOString: only digits and a hyphen.
  await connection.query(
    `CREATE TABLE IF NOT EXISTS event_${month.replace('-', '_')} PARTITION OF event
       FOR VALUES FROM ('${month}-01T00:00Z') TO ('${next}-01T00:00Z')`,
  )
}

/**
 * Removes older data: whole months of events, and the sums of days and months. The numbers of batches stay a year
 * longer, so that a batch of a machine that was off for long is not counted twice.
 */
export async function removeOld(database: Database, keepDays: number): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'event'::regclass
       AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < now() - make_interval(days => $1)
     ORDER BY 1`,
    [keepDays],
  )
  for (const { name } of rows) await database.query(`DROP TABLE IF EXISTS ${name.replace(/[^a-z0-9_]/g, '')}`)
  for (const table of ['usage_day', 'reach_day', 'usage_month', 'reach_month']) {
    const end = table.endsWith('month') ? "day + interval '1 month'" : 'day'
    await database.query(`DELETE FROM ${table} WHERE ${end} < (now() - make_interval(days => $1))`, [keepDays])
  }
  await database.query('DELETE FROM batch WHERE received < now() - make_interval(days => $1)', [keepDays + 366])
  return rows.map(({ name }) => name)
}
