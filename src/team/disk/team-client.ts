import { callHttp } from '../../machine/call-http.ts'
import type { Machine } from '../../machine/machine.ts'
import type { RecordFile } from '../../machine/records.ts'
import { CODES, failWith, LoadoutError } from '../../text/trouble.ts'
import { getDeep, isRecord } from '../../text/values.ts'
import { TEAM_FOLDER } from '../../usage/sharing.ts'
import { BROKEN, type Membership, parseMembership } from '../rules/membership.ts'

const MEMBERSHIP: RecordFile<Membership | undefined> = {
  place: `${TEAM_FOLDER}/membership.json`,
  empty: undefined,
  parse: parseMembership,
  format: (value) => `${JSON.stringify(value, null, 2)}\n`,
  broken: BROKEN,
}

export function readMembership(machine: Machine): Membership | undefined {
  return machine.records.read(MEMBERSHIP)
}

export function requireMembership(machine: Machine): Membership {
  const membership = readMembership(machine)
  if (membership !== undefined) return membership
  throw failWith('TEAM_NOT_JOINED')
}

export function writeMembership(machine: Machine, membership: Membership): void {
  machine.records.write(MEMBERSHIP.place, MEMBERSHIP.format(membership))
}

export interface TeamReply {
  status: number
  json: Record<string, unknown>
}

export interface TeamCall {
  method?: 'GET' | 'POST'
  path: string
  body?: string
  milliseconds?: number
}

/**
 * Sends a request to the team's server and returns its reply, also a refusal. Throws if another program or none
 * replies.
 */
export async function askTeam(
  machine: Machine,
  { url, secret }: Pick<Membership, 'url' | 'secret'>,
  { method = 'POST', path, body, milliseconds }: TeamCall,
): Promise<TeamReply> {
  const clock = String(Math.max(0, Math.round(machine.now().getTime() / 1000)))
  const headers = { authorization: `Bearer ${secret}`, 'x-loadout-clock': clock }
  const { status, json } = await callHttp(`${url}${path}`, { method, body, headers, milliseconds })
  if (isRecord(json) && (status < 300 || isRecord(json.error))) return { status, json }
  const what = status >= 300 && status < 400 ? 'it redirects' : `status ${status}`
  throw failWith('UNREACHABLE/not-a-team', { url, what })
}

/** Like `askTeam`, but throws a refusal as an error with the server's message. */
export async function callTeam(
  machine: Machine,
  membership: Pick<Membership, 'url' | 'secret'>,
  call: TeamCall,
): Promise<Record<string, unknown>> {
  const reply = await askTeam(machine, membership, call)
  if (reply.status < 300) return reply.json
  throw refusalOf(reply)
}

export function refusalOf({ json, status }: TeamReply): LoadoutError {
  const [code, message, hint] = ['code', 'message', 'hint'].map((key) => getDeep(json, 'error', key))
  const known = CODES.find((each) => each === code) ?? 'UNREACHABLE'
  return new LoadoutError(known, `the team’s server refused: ${String(message ?? status)}`, {
    hint: typeof hint === 'string' ? hint : undefined,
  })
}
