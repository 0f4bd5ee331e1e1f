import { sumMoney } from '../text/cost.ts'
import { formatInstant, parseInstant } from '../text/instant.ts'
import { failWith } from '../text/trouble.ts'
import { moneyFor } from '../usage/rules/cost.ts'
import { parseSince } from '../usage/rules/summary.ts'
import { readPrices } from '../usage/usage.ts'
import { withTeam } from './disk/team.ts'
import type { TeamReport } from './rules/report.ts'

export interface ReportRequest {
  /** `30d`, `2w` or a day. Default: 30 days. */
  since?: string
  /** The last day that counts. Default: today. */
  until?: string
  group?: string
}

const DAY_MS = 86_400_000

/** What the team's server counted in a range. */
export const reportTeam = withTeam(async (team, request: ReportRequest): Promise<TeamReport> => {
  const now = team.machine.now()
  const query = new URLSearchParams()
  if (request.since !== undefined) query.set('from', parseSince(request.since, now).slice(0, 10))
  if (request.until !== undefined) {
    const until = request.until.length === 10 ? parseInstant(request.until) : undefined
    if (until === undefined) {
      throw failWith('USAGE/until', { until: request.until })
    }
    query.set('to', formatInstant(until + DAY_MS).slice(0, 10))
  }
  if (request.group !== undefined) query.set('group', request.group)
  const path = `/v1/report${query.size > 0 ? `?${query}` : ''}`
  const json = await team.call({ method: 'GET', path })
  const report = json as unknown as TeamReport
  const prices = readPrices(team.machine)
  for (const row of report.agents) {
    // A server of an earlier version does not count it.
    row.listing ??= 0
    const money = moneyFor(row.tokens + row.listing, prices, row.agent)
    if (money === undefined) continue
    row.money = money
    report.money = sumMoney(report.money, money)
  }
  return report
})
