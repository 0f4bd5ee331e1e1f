import type { Machine } from '../machine/machine.ts'
import { failWith, type Report } from '../text/trouble.ts'
import { callTeam, requireMembership } from './disk/team-client.ts'
import type { MachineView as TeamMachine, TokenView as TeamToken } from './disk/tokens.ts'
import { formatToken, type Role, tokenId } from './rules/access.ts'
import type { Membership } from './rules/membership.ts'

export type { TeamMachine, TeamToken }

export interface Invitation {
  token: string
  id: string
  role: Role
  group: string
  url: string
}

/** Makes a token for others. The server returns the secret; the key of the team is added here and never sent. */
export async function inviteToTeam(
  machine: Machine,
  { role, group, note, days }: { role: Role; group: string; note?: string; days?: number },
): Promise<Report<Invitation>> {
  const membership = requireMembership(machine)
  const body = JSON.stringify({ role, group, note, days })
  const { secret } = await callTeam(machine, membership, { path: '/v1/tokens', body })
  if (typeof secret !== 'string') throw failWith('UNREACHABLE/no-token')
  const token = formatToken({ secret, key: requireKey(membership) })
  return { value: { token, id: tokenId(secret), role, group, url: membership.url }, findings: [] }
}

function requireKey({ key }: Membership): string {
  if (key !== undefined) return key
  throw failWith('TEAM_ROLE')
}

export async function listTeamTokens(machine: Machine, _request: object): Promise<Report<{ tokens: TeamToken[] }>> {
  const json = await callTeam(machine, requireMembership(machine), { method: 'GET', path: '/v1/tokens' })
  return { value: json as unknown as { tokens: TeamToken[] }, findings: [] }
}

export async function revokeTeamToken(machine: Machine, { id }: { id: string }): Promise<Report<{ revoked: string }>> {
  if (!/^[0-9a-f]{12}$/.test(id)) {
    throw failWith('USAGE/token-id', { id })
  }
  await callTeam(machine, requireMembership(machine), { path: `/v1/tokens/${id}/revoke`, body: '{}' })
  return { value: { revoked: id }, findings: [] }
}

/** Every machine that joined, by a number: how much it sent, and its irregularities. */
export async function listTeamMachines(
  machine: Machine,
  _request: object,
): Promise<Report<{ machines: TeamMachine[] }>> {
  const json = await callTeam(machine, requireMembership(machine), { method: 'GET', path: '/v1/machines' })
  return { value: json as unknown as { machines: TeamMachine[] }, findings: [] }
}
