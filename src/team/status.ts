import { sumMoney } from '../text/cost.ts'
import { count } from '../text/count.ts'
import { formatInstant, parseInstant } from '../text/instant.ts'
import { asFinding, type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { moneyFor } from '../usage/rules/cost.ts'
import { parseSince } from '../usage/rules/summary.ts'
import { readPrices } from '../usage/usage.ts'
import { collect } from './collect.ts'
import { type Team, withTeam } from './disk/team.ts'
import type { MachineView as TeamMachine, TokenView as TeamToken } from './disk/tokens.ts'
import { formatToken, type Role, tokenId } from './rules/access.ts'
import { type AuditEntry, CHAIN_START, followEntry, type StoredEntry } from './rules/audit.ts'
import { parseBatch } from './rules/batch.ts'
import type { Membership, OutboxState } from './rules/membership.ts'
import type { TeamReport } from './rules/report.ts'

export interface TeamStatus {
  url: string
  group: string
  role: string
  person: string
  joined: string
  server: 'ready' | 'not ready'
  /** Batches and events that were not sent yet, including new ones in the usage log. */
  waiting: { batches: number; events: number }
  sent: number
  leftOut: number
  last?: OutboxState['last']
}

/** What this machine has sent, what waits, and whether its server answers. */
export const teamStatus = withTeam(async (team, _request: object): Promise<TeamStatus> => {
  const state = team.outbox.require()
  const collected = collect(team, state)
  const waiting = team.outbox.batchesIn('outbox', state)
  const bodies = [
    ...waiting.map((sequence) => team.outbox.readBatch(state, sequence)),
    ...collected.batches.map((each) => each.bytes),
  ]
  const { url, group, role, person, joined } = team.membership
  const findings = [...(await askServer(team)), ...stateFindings(state)]
  const isReady = findings.every(({ severity }) => severity !== 'error')
  team.machine.report(...findings)
  return {
    ...{ url, group, role, person, joined },
    server: isReady ? 'ready' : 'not ready',
    waiting: { batches: bodies.length, events: bodies.reduce((sum, body) => sum + eventsIn(body), 0) },
    sent: state.next - 1 - waiting.length,
    leftOut: collected.state.leftOut,
    last: state.last,
  }
})

function eventsIn(body: string): number {
  const read = parseBatch(body)
  return 'batch' in read ? read.batch.rows.reduce((sum, { times }) => sum + times, 0) : 0
}

async function askServer(team: Team): Promise<Finding[]> {
  try {
    await team.call({ method: 'GET', path: '/ready', milliseconds: 5_000 })
    return []
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { hint = 'nothing is lost: events are sent when the server answers again' } = error
    return [asFinding(error, { severity: 'error', hint })]
  }
}

function stateFindings({ last }: OutboxState): Finding[] {
  const findings: Finding[] = []
  if (last?.hoursOff !== undefined) {
    findings.push(report('TEAM_CLOCK', { hours: count(Math.abs(last.hoursOff), 'hour') }))
  }
  return findings
}

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

export interface AuditLog {
  entries: AuditEntry[]
  /** How many the server has, from the first on. */
  checked: number
  /** The hash of the newest: noted elsewhere, it shows later that nothing was cut off. */
  head: string
}

/** Reads the team's audit log from its first entry, checks that no entry was changed or taken out, and returns the wanted ones. */
export const readTeamAudit = withTeam(async (team, request: { since?: string; after?: string }): Promise<AuditLog> => {
  const since = request.since === undefined ? '' : parseSince(request.since, team.machine.now())
  const entries: AuditEntry[] = []
  let last = { id: 0, hash: CHAIN_START }
  let isWanted = request.after === undefined
  for (;;) {
    const path = `/v1/audit?after=${last.id}`
    const { entries: page } = await team.call({ method: 'GET', path })
    if (!Array.isArray(page) || !page.every(isStored)) throw failWith('UNREACHABLE/audit')
    if (page.length === 0) break
    for (const stored of page) {
      const entry = followEntry(last, stored)
      if (entry === undefined) throw failWith('TEAM_AUDIT', { id: last.id + 1 })
      last = { id: entry.id, hash: stored.hash }
      if (isWanted && entry.at >= since) entries.push(entry)
      isWanted ||= stored.hash === request.after
    }
  }
  if (!isWanted) throw failWith('TEAM_AUDIT/cut', { head: String(request.after) })
  return { entries, checked: last.id, head: last.hash }
})

function isStored(value: unknown): value is StoredEntry {
  return isRecord(value) && typeof value.entry === 'string' && typeof value.hash === 'string'
}

export type { TeamMachine, TeamToken }

export interface Invitation {
  token: string
  id: string
  role: Role
  group: string
  url: string
}

/** Makes a token for others. The server returns the secret; the key of the team is added here and never sent. */
export const inviteToTeam = withTeam(
  async (
    team,
    { role, group, note, days, person }: { role: Role; group: string; note?: string; days?: number; person?: string },
  ): Promise<Invitation> => {
    const body = JSON.stringify({ role, group, note, days, person })
    const { secret } = await team.call({ path: '/v1/tokens', body })
    if (typeof secret !== 'string') throw failWith('UNREACHABLE/no-token')
    const token = formatToken({ secret, key: requireKey(team.membership) })
    return { token, id: tokenId(secret), role, group, url: team.membership.url }
  },
)

function requireKey({ key }: Membership): string {
  if (key !== undefined) return key
  throw failWith('TEAM_ROLE')
}

export const listTeamTokens = withTeam(async (team, _request: object): Promise<{ tokens: TeamToken[] }> => {
  const json = await team.call({ method: 'GET', path: '/v1/tokens' })
  return json as unknown as { tokens: TeamToken[] }
})

/** Revokes one token, or every token and session of a person. */
export const revokeTeamToken = withTeam(
  async (
    team,
    { id = '', person }: { id?: string; person?: string },
  ): Promise<{ revoked: string; tokens: string[] }> => {
    if (person !== undefined && id === '') {
      const { revoked } = await team.call({ path: '/v1/people/revoke', body: JSON.stringify({ person }) })
      return { revoked: person, tokens: revoked as string[] }
    }
    if (person !== undefined || !/^[0-9a-f]{12}$/.test(id)) throw failWith('USAGE/token-id', { id })
    await team.call({ path: `/v1/tokens/${id}/revoke`, body: '{}' })
    return { revoked: id, tokens: [id] }
  },
)

/** Every machine that joined, by a number: how much it sent, and its irregularities. */
export const listTeamMachines = withTeam(async (team, _request: object): Promise<{ machines: TeamMachine[] }> => {
  const json = await team.call({ method: 'GET', path: '/v1/machines' })
  return json as unknown as { machines: TeamMachine[] }
})
