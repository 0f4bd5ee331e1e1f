import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { ADD_WAITING, ADD_WEEKS, publishWeek } from '../../src/team/disk/count.ts'
import { madeFor, migrateUp, openDatabase } from '../../src/team/disk/database.ts'
import { MIGRATIONS } from '../../src/team/disk/migrations.ts'
import { queryReport, REPORT_QUERIES } from '../../src/team/disk/report-queries.ts'
import { addDays, mondayOf, TEAM } from '../../src/team/rules/portions.ts'
import { assembleReport } from '../../src/team/rules/report.ts'
import { startPostgres } from '../team/postgres.ts'

const MONTHS = 24
const [ENTRIES, PEOPLE, GROUPS, AGENTS] = [300, 1000, 20, 4]

/**
 * Two years of events, generated in the database; then how long reports of different ranges take, with little and much
 * history.
 */
export async function loadReport(events: number): Promise<void> {
  const postgres = await startPostgres('fsync=off', 'shared_buffers=512MB', 'work_mem=64MB', 'max_wal_size=8GB')
  const database = openDatabase(postgres.url, () => {}, 600_000)
  try {
    await migrateUp(database, MIGRATIONS)
    await makeLabels(database)
    const perMonth = Math.round(events / MONTHS)
    for (let month = 0; month < 2; month++) await makeMonth(database, month, perMonth)
    await makeMachines(database)
    await database.query('ANALYZE')
    await measure(database, 'two months of history', [7, 30])
    const little = await blocksRead(database)
    for (let month = 2; month < MONTHS; month++) await makeMonth(database, month, perMonth)
    await database.query('VACUUM ANALYZE')
    const { rows } = await database.query(`SELECT (SELECT sum(times) FROM event)::float8 AS events,
      (SELECT count(*) FROM figure)::float8 AS figures, (SELECT count(*) FROM pending)::float8 AS pending, pg_size_pretty(pg_database_size(current_database())) AS size`)
    process.stdout.write(`${JSON.stringify(rows[0])}\n`)
    await measure(database, `${MONTHS} months of history`, [7, 30, 90, 365, 730])
    const much = await blocksRead(database)
    process.stdout.write(`blocks read for 30 days: ${little} with two months of history, ${much} with ${MONTHS}\n`)
    await explain(database)
    if (much > 2 * little) throw new Error('a report reads more when there is more history outside of its range')
  } finally {
    await database.end()
    await postgres.stop()
  }
}

/** Numbers are used directly: 1… entries, then groups, agents, versions. */
async function makeLabels(database: pg.Pool): Promise<void> {
  const parts = [
    [ENTRIES, "'skill:entry-' || n"],
    [GROUPS, "'group-' || n"],
    [AGENTS, "'agent-' || n"],
    [ENTRIES * 3, "md5('v' || n)"],
  ] as const
  for (const [count, text] of parts)
    await database.query(`INSERT INTO label (text) SELECT ${text} FROM generate_series(1, ${count}) n`)
}

async function makeMonth(database: pg.Pool, ago: number, events: number): Promise<void> {
  const first = `(date_trunc('month', now()) - interval '${ago} months')`
  const { rows } = await database.query(`SELECT to_char(${first}, 'YYYY_MM') AS name, ${first}::text AS begin,
    (${first} + interval '1 month')::text AS next, least(extract(epoch FROM interval '1 month'), extract(epoch FROM now() - ${first})) / 3600 AS hours`)
  const { name, begin, next, hours } = rows[0]
  await database.query(`CREATE TABLE event_${name} PARTITION OF event FOR VALUES FROM ('${begin}') TO ('${next}')`)
  const [groups, agents, versions] = [ENTRIES, ENTRIES + GROUPS, ENTRIES + GROUPS + AGENTS]
  const month = `'${begin}'::timestamptz`
  await database.query(`
    CREATE UNLOGGED TABLE made AS
    SELECT ${month} + make_interval(hours => floor(random() * ${Math.min(Number(hours), 27 * 24)})::int) AS hour, person, 
      (person * 7 + floor(random() * random() * 40)::int) % ${ENTRIES} + 1 AS entry, random() AS dice
    FROM (SELECT floor(random() * ${PEOPLE})::int AS person FROM generate_series(1, ${events})) each`)
  await database.query(`
    INSERT INTO event (hour, machine, person, team_group, entry, version, agent, project, stage, times, tokens)
    SELECT hour, person + 1, person + 1, person % ${GROUPS} + 1 + ${groups}, entry,
      entry * 3 - ${ago} % 3 + ${versions}, person % ${AGENTS} + 1 + ${agents}, 0, (1 + floor(dice * 3))::int, 1, 100 FROM made`)
  await database.query('DROP TABLE made')
  for (const sum of [ADD_WAITING, ADD_WEEKS])
    await database.query(`WITH counted AS (SELECT * FROM event_${name}) ${sum}`)
  const started = performance.now()
  let weeks = 0
  while (await publishWeek(database, madeFor(MIGRATIONS), new Date(), true)) weeks++
  process.stdout.write(`${name}: ${weeks} weeks published in ${Math.round(performance.now() - started)} ms\n`)
}

/** A machine for each person, with the skills that the person uses. */
async function makeMachines(database: pg.Pool): Promise<void> {
  await database.query(`INSERT INTO token (id, hash, role, group_name) VALUES ('load', 'x', 'member', 'load')`)
  await database.query(`
    INSERT INTO machine (name, token, group_name, client)
    SELECT 'machine-' || n, 'load', 'group-' || ((n - 1) % ${GROUPS} + 1), '0' FROM generate_series(1, ${PEOPLE}) n`)
  await database.query(`
    INSERT INTO holding (machine, entry, agent, version, since, seen)
    SELECT machine, entry, agent, max(version), min(hour), max(hour) FROM event GROUP BY 1, 2, 3`)
}

const ROUNDS = 9
const MOST_MS = 1000

function rangeOfGroup(days: number) {
  return { ...rangeOf(days), group: 'group-7' }
}

/** Of the two queries that grow with a range: how much of the tables and indexes they touch. */
async function blocksRead(database: pg.Pool): Promise<number> {
  let sum = 0
  for (const name of ['figures', 'people'] as const) {
    const sql = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${REPORT_QUERIES[name]}`
    const { rows } = await database.query(sql, reportValues(rangeOf(30)))
    const { Plan: plan } = rows[0]['QUERY PLAN'][0]
    sum += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return sum
}

async function measure(database: pg.Pool, title: string, ranges: readonly number[]): Promise<void> {
  for (const range of ranges.flatMap((days) => [rangeOf(days), rangeOfGroup(days)])) {
    const what = `${Math.round((Date.parse(range.to) - Date.parse(range.from)) / 86_400_000)} days${'group' in range ? ' of one group' : ''}`
    const times: number[] = []
    let counted = 0
    const connection = await database.connect()
    const { rows } = await connection.query('SELECT pg_backend_pid() AS pid')
    const busyBefore = busyMs(rows[0].pid)
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      counted = assembleReport(range, await queryReport(connection, range, new Date(0))).events
      times.push(performance.now() - started)
    }
    const busy = Math.round((busyMs(rows[0].pid) - busyBefore) / ROUNDS)
    connection.release()
    const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
    process.stdout.write(
      `${title}: ${what}, ${counted} events: ${Math.round(median)} ms, worst of ${ROUNDS} ${Math.round(times.at(-1) ?? 0)} ms, processor ${busy} ms\n`,
    )
    if (median > MOST_MS) throw new Error(`a report takes more than ${MOST_MS} ms`)
  }
}

/** The processor time of this program and of one PostgreSQL process: what else runs on the machine does not change it. */
function busyMs(postgres: number): number {
  const { user, system } = process.cpuUsage()
  const fields = readFileSync(`/proc/${postgres}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (user + system) / 1000 + (Number(fields[11]) + Number(fields[12])) * 10
}

function rangeOf(days: number): { from: string; to: string } {
  const today = new Date().toISOString().slice(0, 10)
  return { from: mondayOf(addDays(today, -days)), to: addDays(mondayOf(today), 7) }
}

function reportValues({ from, to }: { from: string; to: string }): unknown[] {
  return [TEAM, from, to]
}

/** What the plans read: tables, rows and the time. */
async function explain(database: pg.Pool): Promise<void> {
  for (const [name, sql] of Object.entries(REPORT_QUERIES)) {
    const { rows } = await database.query(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${sql}`,
      name === 'holdings' ? [new Date(0)] : reportValues(rangeOf(30)),
    )
    const lines = rows.map((row: Record<string, string>) => row['QUERY PLAN'] ?? '')
    const kept = lines.filter((line: string) => /Scan|Aggregate|Execution/.test(line))
    process.stdout.write(`plan of ${name}, 30 days:\n${kept.map((line: string) => `  ${line}`).join('\n')}\n`)
  }
}
