import { failWith } from '../text/trouble.ts'
import { withTeam } from './disk/team.ts'
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
