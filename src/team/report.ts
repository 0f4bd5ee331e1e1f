import type { Machine } from '../machine/machine.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { parseSince } from '../usage/rules/summary.ts'
import { callTeam, requireMembership } from './disk/team-client.ts'
import type { TeamReport } from './rules/report.ts'

export interface ReportRequest {
  /** `30d`, `2w` or a day. Default: 30 days. */
  since?: string | undefined
  /** The last day that counts. Default: today. */
  until?: string | undefined
  group?: string | undefined
}

const DAY_MS = 86_400_000

/** What the team's server counted in a range. */
export async function reportTeam(machine: Machine, request: ReportRequest): Promise<Report<TeamReport>> {
  const membership = requireMembership(machine)
  const now = machine.now()
  const query = new URLSearchParams()
  if (request.since !== undefined) query.set('from', parseSince(request.since, now).slice(0, 10))
  if (request.until !== undefined) {
    if (!/^\d{4}-\d\d-\d\d$/.test(request.until) || Number.isNaN(Date.parse(request.until))) {
      throw new LoadoutError('USAGE', `"${request.until}" is not a day`, { hint: 'give --until 2026-11-17' })
    }
    query.set('to', new Date(Date.parse(request.until) + DAY_MS).toISOString().slice(0, 10))
  }
  if (request.group !== undefined) query.set('group', request.group)
  const path = `/v1/report${query.size > 0 ? `?${query}` : ''}`
  const json = await callTeam(machine, membership, { method: 'GET', path })
  return { value: json as unknown as TeamReport, findings: [] }
}
