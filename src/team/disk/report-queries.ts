import { SENT_STAGES } from '../rules/batch.ts'
import type { ReportRows } from '../rules/report.ts'
import { FACETS } from './count.ts'
import type { Connection } from './database.ts'

/** Days such as `2026-11-17`; the last is not included. */
export interface ReportRange {
  from: string
  to: string
  /** Only this group. */
  group?: string | undefined
}

/**
 * Reads whole months of a long range as months, and the rest as days. So the time of a report grows slowly with its
 * range, and not with the data outside of it.
 */
function parts(table: 'usage' | 'reach', which: string): string {
  return `
    SELECT * FROM ${table}_day WHERE ${which} AND day >= $1 AND day < $3
    UNION ALL
    SELECT * FROM ${table}_month WHERE ${which} AND day >= $3 AND day < $4
    UNION ALL
    SELECT * FROM ${table}_day WHERE ${which} AND day >= $4 AND day < $2`
}

const USAGE = `
  WITH summed AS (
    SELECT facet, item, version, stage, sum(times)::float8 AS times, sum(tokens)::float8 AS tokens,
      min(day) AS first, max(day) AS last
    FROM (${parts('usage', 'team_group = $5')}) part GROUP BY 1, 2, 3, 4
  )
  SELECT facet, l.text AS name, coalesce(v.text, '') AS version, stage, times, tokens,
    to_char(first, 'YYYY-MM-DD') AS first, to_char(last, 'YYYY-MM-DD') AS last
  FROM summed s JOIN label l ON l.id = s.item LEFT JOIN label v ON v.id = s.version
  ORDER BY 1, 2, 3, 4`

const PEOPLE = `
  WITH met AS MATERIALIZED (
    SELECT facet, item, version, chunk, bit_or(people) AS people FROM (${parts('reach', 'true')}) part GROUP BY 1, 2, 3, 4
  ), own AS (
    SELECT chunk, people FROM met WHERE facet = ${FACETS.group} AND item = $5
  ), seen AS MATERIALIZED (
    SELECT * FROM met WHERE $5 = 0
    UNION ALL
    SELECT m.facet, m.item, m.version, m.chunk, m.people & own.people FROM met m JOIN own USING (chunk) WHERE $5 <> 0
  ), counted AS (
    SELECT 'people' AS part, item, version, sum(bit_count(people)) AS people
    FROM seen WHERE facet = ${FACETS.entry} GROUP BY 2, 3
    UNION ALL
    SELECT 'entryPeople', item, 0, sum(bit_count(people)) FROM
      (SELECT item, chunk, bit_or(people) AS people FROM seen WHERE facet = ${FACETS.entry} GROUP BY 1, 2) entry GROUP BY 2
    UNION ALL
    SELECT 'groupPeople', item, 0, sum(bit_count(people)) FROM met WHERE facet = ${FACETS.group} GROUP BY 2
    UNION ALL
    SELECT 'allPeople', 0, 0, coalesce(sum(bit_count(people)), 0) FROM
      (SELECT chunk, bit_or(people) AS people FROM seen WHERE facet = ${FACETS.group} GROUP BY 1) everyone
  )
  SELECT part, coalesce(l.text, '') AS name, coalesce(v.text, '') AS version, people::float8 AS people
  FROM counted c LEFT JOIN label l ON l.id = c.item LEFT JOIN label v ON v.id = c.version
  WHERE people > 0 OR part = 'allPeople' ORDER BY 1, 2, 3`

const HOLDINGS = `
  WITH now_on AS (
    SELECT h.entry, h.version, count(DISTINCT h.machine) AS machines, min(h.since) AS since
    FROM holding h JOIN machine m ON m.id = h.machine
    WHERE m.left_at IS NULL AND ($1::text IS NULL OR m.group_name = $1)
    GROUP BY 1, 2
  )
  SELECT e.text AS entry, v.text AS version, machines::float8 AS machines, to_char(since, 'YYYY-MM-DD') AS since
  FROM now_on JOIN label e ON e.id = entry JOIN label v ON v.id = version ORDER BY 1, 2`

/** The time of the first two grows with the range, that of the last with the number of machines. */
export const REPORT_QUERIES = { usage: USAGE, people: PEOPLE, holdings: HOLDINGS }

export function reportValues(range: ReportRange, group: number): unknown[] {
  return [range.from, range.to, ...wholeMonths(range), group]
}

interface UsageRow {
  facet: number
  name: string
  version: string
  stage: number
  times: number
  tokens: number
  first: string
  last: string
}

interface PeopleRow {
  part: 'people' | 'entryPeople' | 'groupPeople' | 'allPeople'
  name: string
  version: string
  people: number
}

export async function queryReport(database: Pick<Connection, 'query'>, range: ReportRange): Promise<ReportRows> {
  const { group } = range
  const values = reportValues(range, group === undefined ? 0 : await groupNumber(database, group))
  const usage = (await database.query<UsageRow>(REPORT_QUERIES.usage, values)).rows
  const people = (await database.query<PeopleRow>(REPORT_QUERIES.people, values)).rows
  const holdings = (await database.query<ReportRows['holdings'][number]>(REPORT_QUERIES.holdings, [group ?? null])).rows
  const waiting = await database.query<{ waiting: number }>('SELECT count(*)::int AS waiting FROM inbox')
  const named = (facet: keyof typeof FACETS) =>
    usage.filter((row) => row.facet === FACETS[facet]).map((row) => ({ ...row, stage: stageAt(row.stage) }))
  const counted = (part: PeopleRow['part']) => people.filter((row) => row.part === part)
  return {
    usage: named('entry').map((row) => ({ ...row, entry: row.name })),
    people: counted('people').map((row) => ({ ...row, entry: row.name })),
    entryPeople: counted('entryPeople').map((row) => ({ ...row, entry: row.name })),
    holdings,
    groups: named('group'),
    groupPeople: counted('groupPeople'),
    agents: named('agent'),
    projects: named('project'),
    allPeople: counted('allPeople')[0]?.people ?? 0,
    waiting: waiting.rows[0]?.waiting ?? 0,
  }
}

function stageAt(number: number) {
  return SENT_STAGES[number] ?? 'planned'
}

/** -1 for a group that never sent anything: it has no rows. */
async function groupNumber(database: Pick<Connection, 'query'>, group: string): Promise<number> {
  const { rows } = await database.query<{ id: number }>('SELECT id FROM label WHERE text = $1', [group])
  return rows[0]?.id ?? -1
}

/** The start of the first whole month in a range, and the end of the last one. Equal if there is none. */
export function wholeMonths({ from, to }: Pick<ReportRange, 'from' | 'to'>): [string, string] {
  const first = from.endsWith('-01') ? from : monthAfter(from)
  const end = `${to.slice(0, 7)}-01`
  return first < end ? [first, end] : [from, from]
}

function monthAfter(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10)
}
