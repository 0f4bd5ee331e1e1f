import { SENT_STAGES } from '../rules/batch.ts'
import { FACETS, SEVERAL, TEAM } from '../rules/portions.ts'
import type { ReportRows } from '../rules/report.ts'
import type { Connection } from './database.ts'

/** Mondays; the last is not included. */
export interface ReportRange {
  from: string
  to: string
  /** Only this group. */
  group?: string
}

const FIGURES = `
  WITH summed AS (
    SELECT facet, item, version, stage, sum(times)::float8 AS times, sum(tokens)::float8 AS tokens,
      max(people)::float8 AS people, min(week) AS first, max(week) AS last
    FROM figure WHERE team_group = $1 AND week >= $2 AND week < $3 GROUP BY 1, 2, 3, 4
  )
  SELECT facet, item = ${SEVERAL} OR version = ${SEVERAL} AS "isJoined", coalesce(l.text, '') AS name,
    coalesce(v.text, '') AS version, stage, times, tokens, people,
    to_char(first, 'YYYY-MM-DD') AS first, to_char(last, 'YYYY-MM-DD') AS last
  FROM summed s LEFT JOIN label l ON l.id = s.item LEFT JOIN label v ON v.id = s.version
  ORDER BY 1, 2, 3, 4, 5`

const PEOPLE = `
  SELECT coalesce(max(people), 0)::float8 AS people FROM (
    SELECT sum(people) AS people FROM figure
    WHERE team_group = $1 AND week >= $2 AND week < $3 AND facet = ${FACETS.group} GROUP BY week, round, stage) round`

const HOLDINGS = `
  WITH held AS (
    SELECT h.entry, h.version, m.group_name, array_agg(m.id) AS machines, min(h.since) AS since
    FROM holding h JOIN machine m ON m.id = h.machine WHERE m.left_at IS NULL AND m.seen >= $1 GROUP BY 1, 2, 3
  )
  SELECT e.text AS entry, v.text AS version, coalesce(g.id, 0) AS "group", machines,
    to_char(since, 'YYYY-MM-DD') AS since
  FROM held JOIN label e ON e.id = entry JOIN label v ON v.id = version LEFT JOIN label g ON g.text = group_name`

/** What the catalog says about skills, by the beginning of the digest that machines report. */
const CATALOG = `
  SELECT kind || ':' || name AS entry, version, state, left(digest, 16) AS digest FROM catalog_version
  ORDER BY published DESC, version DESC`

/** The time of the first two grows with the range, that of the others with the number of machines. */
export const REPORT_QUERIES = { figures: FIGURES, people: PEOPLE, holdings: HOLDINGS }

type FigureRow = Omit<ReportRows['usage'][number], 'stage'> & { facet: number; stage: number }

export async function queryReport(
  database: Pick<Connection, 'query'>,
  { from, to, group }: ReportRange,
  activeSince: Date,
): Promise<ReportRows> {
  const number = group === undefined ? TEAM : await groupNumber(database, group)
  const values = [number, from, to]
  const figures = (await database.query<FigureRow>(FIGURES, values)).rows
  const people = await database.query<{ people: number }>(PEOPLE, values)
  const holdings = await database.query<ReportRows['holdings'][number]>(HOLDINGS, [activeSince])
  const catalog = await database.query<ReportRows['catalog'][number]>(CATALOG)
  const other = await database.query<{ waiting: number; silent: number; running: string | null }>(
    `SELECT (SELECT count(*)::int FROM inbox) AS waiting,
       (SELECT count(*)::int FROM machine WHERE left_at IS NULL AND seen < $1) AS silent,
       (SELECT to_char(max(published), 'YYYY-MM-DD"T"HH24:MI"Z"') FROM week WHERE NOT is_over AND week >= $2 AND week < $3) AS running`,
    [activeSince, from, to],
  )
  const about = (facet: keyof typeof FACETS) =>
    figures
      .filter((row) => row.facet === FACETS[facet])
      .map((row) => ({ ...row, entry: row.name, stage: SENT_STAGES[row.stage] ?? 'planned' }))
  return {
    usage: about('entry'),
    versions: about('version'),
    groups: about('group'),
    agents: about('agent'),
    projects: about('project'),
    holdings: holdings.rows,
    catalog: catalog.rows,
    group: number,
    people: people.rows[0]?.people ?? 0,
    waiting: other.rows[0]?.waiting ?? 0,
    silent: group === undefined ? (other.rows[0]?.silent ?? 0) : undefined,
    running: other.rows[0]?.running ?? undefined,
  }
}

/** -1 for a group that never sent anything: it has no rows. */
async function groupNumber(database: Pick<Connection, 'query'>, group: string): Promise<number> {
  const { rows } = await database.query<{ id: number }>('SELECT id FROM label WHERE text = $1', [group])
  return rows[0]?.id ?? -1
}
