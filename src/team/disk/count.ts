import { SENT_STAGES } from '../rules/batch.ts'
import { publish, type WaitingRow } from '../rules/portions.ts'
import { type Connection, type Database, inTransaction } from './database.ts'

const COUNT_LOCK = 5_628_622

const [INSTALLED, USED] = (['installed', 'used'] as const).map((stage) => SENT_STAGES.indexOf(stage))

const WAITING_KEY = 'week, entry, stage, team_group, version, agent, project, person'

/** Adds the rows of `counted` to what waits for a figure. */
export const ADD_WAITING = `
  INSERT INTO pending (${WAITING_KEY}, times, tokens)
  SELECT date_trunc('week', hour AT TIME ZONE 'UTC')::date, entry, stage, team_group, version, agent, project, person,
    sum(times), sum(tokens)
  FROM counted GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ON CONFLICT (${WAITING_KEY}) DO UPDATE
    SET times = pending.times + excluded.times, tokens = pending.tokens + excluded.tokens`

export const ADD_WEEKS = `
  INSERT INTO week (week) SELECT DISTINCT date_trunc('week', hour AT TIME ZONE 'UTC')::date FROM counted
  ON CONFLICT (week) DO UPDATE SET has_news = true`

/** The rows as sent, with a plausible time: not after they arrived, not before the machine joined. */
const SENT = `
  SELECT i.machine, i.sequence, i.person, m.group_name,
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

/**
 * Which version each machine has now. Later batches know better, and a list better than the uses beside it: they may be
 * from before a removal.
 */
const HOLD = `
  INSERT INTO holding (machine, entry, agent, version, since, seen, sequence)
  SELECT DISTINCT ON (s.machine, entry.id, agent.id) s.machine, entry.id, agent.id, version.id, s.hour, s.hour,
    CASE s.s WHEN ${INSTALLED} THEN s.sequence ELSE s.sequence - 1 END AS named
  FROM (${SENT}) s
    JOIN label entry ON entry.text = s.e
    JOIN label agent ON agent.text = s.a
    JOIN label version ON version.text = s.v
  WHERE s.s IN (${INSTALLED}, ${USED})
  ORDER BY s.machine, entry.id, agent.id, named DESC, s.hour DESC, version.id DESC
  ON CONFLICT (machine, entry, agent) DO UPDATE
    SET version = excluded.version, seen = excluded.seen, sequence = excluded.sequence,
      since = CASE WHEN holding.version = excluded.version THEN holding.since ELSE excluded.since END
    WHERE excluded.sequence >= holding.sequence`

/** A complete list says what is not there any more. */
const RELEASE = `
  DELETE FROM holding h USING label entry,
    (SELECT machine, max(listed_since) AS since FROM inbox WHERE id = ANY($1) GROUP BY 1) listed
  WHERE h.machine = listed.machine AND h.sequence < listed.since AND entry.id = h.entry AND entry.text LIKE 'skill:%'`

/** Moves batches from the inbox into the events and to what waits for a figure, in one statement. */
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
  waiting AS (${ADD_WAITING}),
  news AS (${ADD_WEEKS})
  SELECT coalesce(sum(times), 0) AS events FROM counted`

/**
 * Counts some batches of the inbox and returns how many. Only one instance at a time, and only one that was made for
 * the current schema: another would not update sums that it does not know.
 */
export async function countInbox(database: Database, made: number): Promise<number> {
  return inTransaction(database, async (connection) => {
    if (!(await isMine(connection, made))) return 0
    const waiting = await connection.query<{ id: string }>('SELECT id FROM inbox ORDER BY id LIMIT $1', [60])
    const ids = waiting.rows.map(({ id }) => id)
    if (ids.length === 0) return 0
    await makePartitions(connection, ids)
    await connection.query(NAME, [ids])
    await connection.query(NAME_PEOPLE, [ids])
    await connection.query(HOLD, [ids])
    await connection.query(RELEASE, [ids])
    await connection.query(COUNT, [ids])
    return ids.length
  })
}

async function isMine(connection: Connection, made: number): Promise<boolean> {
  const { rows } = await connection.query<{ isFree: boolean }>(
    `SELECT pg_try_advisory_xact_lock($1) AND (SELECT max(version) FROM migration) = $2 AS "isFree"`,
    [COUNT_LOCK, made],
  )
  return rows[0]?.isFree === true
}

/** A machine that was off at the weekend sends on Monday. */
const OPEN_DAYS = 8

/**
 * Publishes what may be shown of one week, and returns whether there was such a week: one that is over, or, if asked
 * for, one with news. The figures of a week change at most once a day, so that their portions are large.
 */
export async function publishWeek(database: Database, made: number, now: Date, isAsked: boolean): Promise<boolean> {
  return inTransaction(database, async (connection) => {
    if (!(await isMine(connection, made))) return false
    const due = await connection.query<{ week: string; round: number; isOver: boolean }>(
      `SELECT to_char(week, 'YYYY-MM-DD') AS week, rounds + 1 AS round, week + ${OPEN_DAYS} <= $1::timestamptz AS "isOver" FROM week
       WHERE (NOT is_over AND week + ${OPEN_DAYS} <= $1)
         OR (has_news AND $2::boolean AND (published IS NULL OR published <= $1 - interval '1 day'))
       ORDER BY week LIMIT 1`,
      [now, isAsked],
    )
    const [found] = due.rows
    if (found === undefined) return false
    const { week, round, isOver } = found
    const { rows } = await connection.query<WaitingRow>(
      `SELECT entry, stage, team_group AS "group", version, agent, project, person, times::float8 AS times,
         tokens::float8 AS tokens FROM pending WHERE week = $1`,
      [week],
    )
    const { figures, published } = publish(rows, isOver)
    await connection.query(
      `INSERT INTO figure (week, round, team_group, facet, item, version, stage, times, tokens, people)
       SELECT $1, $2, r.group, r.facet, r.item, r.version, r.stage, r.times, r.tokens, r.people
       FROM jsonb_to_recordset($3) AS r("group" int, facet smallint, item int, version int, stage smallint, times bigint,
         tokens bigint, people int)
       -- What a report reads together stands together: half as many blocks for a report of two years.
       ORDER BY r."group"`,
      [week, round, JSON.stringify(figures)],
    )
    await connection.query(
      `DELETE FROM pending p USING jsonb_to_recordset($2) AS r(entry int, stage smallint, "group" int)
       WHERE p.week = $1 AND p.entry = r.entry AND p.stage = r.stage AND p.team_group = r.group`,
      [week, JSON.stringify(published)],
    )
    await connection.query(
      `UPDATE week SET has_news = false, is_over = $2,
         rounds = CASE WHEN $3::boolean THEN rounds + 1 ELSE rounds END, published = CASE WHEN $3 THEN $4::timestamptz ELSE published END
       WHERE week = $1`,
      [week, isOver, figures.length > 0, now],
    )
    return true
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
 * Removes older data: whole months of events, and figures of weeks. The numbers of batches stay a year
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
  for (const table of ['figure', 'pending', 'week'])
    await database.query(`DELETE FROM ${table} WHERE week + 7 < now() - make_interval(days => $1)`, [keepDays])
  await database.query('DELETE FROM batch WHERE received < now() - make_interval(days => $1)', [keepDays + 366])
  return rows.map(({ name }) => name)
}
