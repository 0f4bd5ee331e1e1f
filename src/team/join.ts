import { resolve } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { endOfLog, markAt } from '../usage/log.ts'
import { refreshCatalog } from './catalog.ts'
import { identifyUser, pinSigners } from './disk/identity.ts'
import { newMachineId, Outbox, Team, TeamServer } from './disk/team.ts'
import { asRole, keyPrint, parseToken, pseudonym } from './rules/access.ts'
import { type Membership, type OutboxState, serverAddress } from './rules/membership.ts'
import { nameKnownCatalog } from './signed-catalog.ts'

export interface Joined {
  url: string
  group: string
  role: string
  person: string
  /** What the pseudonym is made from. */
  personFrom: string
  /** The catalog that this machine trusts from now on, to be compared with another machine. */
  catalog?: string
}

const LOCK_MS = 60_000

/** Joins the team of a server. From now on this machine shares its usage; earlier events stay here. */
export async function joinTeam(
  machine: Machine,
  request: {
    url: string
    token: string
    /** A file that lists who may approve versions of the catalog. It overrides the list in the library. */
    signers?: string
  },
): Promise<Joined> {
  const url = serverAddress(request.url)
  if (typeof url !== 'string') {
    throw failWith('USAGE/team-address', { problem: url.problem })
  }
  const token = parseToken(request.token)
  if (token === undefined) {
    throw failWith('USAGE/token')
  }
  const outbox = new Outbox(machine.records)
  const release = await outbox.lock(LOCK_MS)
  try {
    const before = Team.find(machine)?.membership
    const state = outbox.read() ?? startHere(machine)
    const { secret, key } = token
    const asked = { url, secret, keyPrint: keyPrint(key) }
    const { team, group, role: named } = await new TeamServer(machine, asked).register(state)
    const role = asRole(named)
    if (typeof team !== 'string' || typeof group !== 'string' || role === undefined) {
      throw failWith('UNREACHABLE/other-server', { url })
    }
    if (before !== undefined && before.team !== team) {
      throw failWith('TEAM_OTHER/joined', { url: before.url })
    }
    const { person, from } = await identifyUser(machine)
    const membership: Membership = {
      ...asked,
      ...{ team, group, role },
      key: role === 'admin' ? key : undefined,
      person: pseudonym(key, person),
      joined: before?.joined ?? machine.now().toISOString(),
    }
    if (request.signers !== undefined) pinSigners(machine, resolve(machine.cwd, request.signers))
    outbox.write(state)
    new Team(machine, membership).remember()
    outbox.setDue(machine.now())
    // Before anything is installed: the group decides which versions this machine may have.
    await refreshCatalog(machine)
    const catalog = nameKnownCatalog(machine)
    return { url, group, role, person: membership.person, personFrom: from, catalog }
  } finally {
    release()
  }
}

/** Starts at the end of the usage log: earlier events are not sent. */
function startHere(machine: Machine): OutboxState {
  const log = machine.usageLog
  const offset = endOfLog(log)
  return { machine: newMachineId(), next: 1, offset, mark: markAt(log, offset), installed: '', leftOut: 0 }
}

export interface Left {
  url: string
  /** How many batches were deleted without being sent. */
  unsent: number
  /** Whether the server was informed. */
  isTold: boolean
}

/** Leaves the team: deletes the outbox and sends nothing any more. What was sent stays with the team. */
export async function leaveTeam(machine: Machine, _request: object): Promise<Left> {
  const release = await new Outbox(machine.records).lock(LOCK_MS)
  try {
    const team = Team.require(machine)
    const { outbox } = team
    const state = outbox.read()
    const unsent = state === undefined ? 0 : outbox.batchesIn('outbox', state).length
    const isTold = state !== undefined && (await tellLeft(team, state))
    outbox.forgetTeam()
    return { url: team.membership.url, unsent, isTold }
  } finally {
    release()
  }
}

async function tellLeft(team: Team, { machine: id }: OutboxState): Promise<boolean> {
  try {
    await team.call({ path: `/v1/machines/${id}/leave`, body: '{}', milliseconds: 5_000 })
    return true
  } catch (error) {
    // A user can leave even if the server is down.
    if (error instanceof LoadoutError) return false
    throw error
  }
}
