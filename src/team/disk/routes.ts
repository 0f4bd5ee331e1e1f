import { HttpRefusal } from '../../machine/http.ts'
import { parseForeignJson } from '../../text/json.ts'
import { failWith, toldOf } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { asRole, type Right, ROLES, tokenId } from '../rules/access.ts'
import { ACCEPTED_FORMATS, hoursOff, isWhole, MOST_BATCHES, parseBatch, SENT_TEXTS } from '../rules/batch.ts'
import { addDays, LARGEST_HIDDEN_GROUP, mondayOf } from '../rules/portions.ts'
import { assembleReport } from '../rules/report.ts'
import { acceptBatch, type BatchResult, joinMachine, leaveMachine } from './accept-batch.ts'
import { noteAudit, readAudit } from './audit.ts'
import { countInbox, publishWeek } from './count.ts'
import { type Connection, type Database, inTransaction, type Migration, madeFor, troubleOf } from './database.ts'
import { queryReport } from './report-queries.ts'
import {
  addToken,
  type Caller,
  listMachines,
  listTokens,
  readTeam,
  revokePerson,
  revokeToken,
  type Team,
} from './tokens.ts'

/** What the routes work with. */
export interface Backend {
  database: Database
  migrations: readonly Migration[]
  now(): Date
  /** Machines that have sent nothing since then are silent: they are not in the roll-out. */
  activeSince(): Date
  /** Called for every batch that arrived. */
  onBatch(events: number, result: BatchResult['result']): void
}

/** One request, by a caller who has the right. */
export interface Call {
  backend: Backend
  caller: Caller
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  header(name: string): string | undefined
  /** Bounded by the HTTP server. */
  readBody(): Promise<string>
}

export interface Answer {
  status?: 200 | 409 | 426
  json: object
}

/** A route as data. Each part of the server has its own table of routes. */
export interface Route {
  method: 'GET' | 'POST'
  path: string
  right: Right
  answer(call: Call): Promise<Answer>
}

export const USAGE_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/v1/machines', right: 'usage.send', answer: join },
  { method: 'GET', path: '/v1/machines', right: 'machines.read', answer: machines },
  { method: 'POST', path: '/v1/machines/:machine/leave', right: 'usage.send', answer: leave },
  { method: 'POST', path: '/v1/batches', right: 'usage.send', answer: receive },
  { method: 'GET', path: '/v1/reader', right: 'report.read', answer: reader },
  { method: 'GET', path: '/v1/report', right: 'report.read', answer: report },
  { method: 'GET', path: '/v1/tokens', right: 'tokens.manage', answer: tokens },
  { method: 'POST', path: '/v1/tokens', right: 'tokens.manage', answer: invite },
  { method: 'POST', path: '/v1/tokens/:token/revoke', right: 'tokens.manage', answer: revoke },
  { method: 'POST', path: '/v1/people/revoke', right: 'tokens.manage', answer: revokeAll },
  { method: 'GET', path: '/v1/audit', right: 'audit.read', answer: audit },
]

async function join({ backend, caller, readBody }: Call): Promise<Answer> {
  const { machine, client, key, replaces, resume } = await readObject(readBody)
  const team = await requireTeam(backend.database)
  if (!isId(machine) || (replaces !== undefined && !isId(replaces))) throw badRequest('"machine" is not an id')
  if (typeof client !== 'string' || !/^[\w.+-]{1,40}$/.test(client)) throw badRequest('"client" is not a version')
  if (resume !== undefined && !isWhole(resume, 1, MOST_BATCHES)) {
    throw badRequest(`"resume" is not a number from 1 to ${MOST_BATCHES}`)
  }
  if (key !== team.keyPrint) {
    throw new HttpRefusal(409, failWith('TEAM_OTHER/token'))
  }
  const { id: token, group, role } = caller
  const { expected } = await withAudit(backend, async (connection, note) => {
    await note({ actor: token, action: 'machine joined', about: { machine: machine.slice(0, 12), group } })
    return joinMachine(connection, { machine, token, group, client, replaces, resume })
  })
  return { json: { team: team.id, group, role, expected, formats: ACCEPTED_FORMATS } }
}

async function leave({ backend, caller, params: { machine } }: Call): Promise<Answer> {
  if (!isId(machine)) throw badRequest('it does not name the id of a machine')
  const left = await withAudit(backend, async (connection, note) => {
    const isGone = await leaveMachine(connection, machine, caller.id)
    if (isGone) await note({ actor: caller.id, action: 'machine left', about: { machine: machine.slice(0, 12) } })
    return isGone
  })
  return { json: { left } }
}

async function machines({ backend: { database } }: Call): Promise<Answer> {
  return { json: { machines: await listMachines(database) } }
}

async function receive({ backend, caller, header, readBody }: Call): Promise<Answer> {
  const bytes = await readBody()
  const read = parseBatch(bytes)
  if ('problem' in read) {
    if (read.format === undefined)
      throw new HttpRefusal(400, failWith('TEAM_FORMAT/unread-batch-problem', { problem: read.problem }))
    const old = read.format < Math.min(...ACCEPTED_FORMATS) ? 'machine' : 'server'
    const facts = { problem: read.problem, accepted: ACCEPTED_FORMATS.join(', '), old }
    return { status: 426, json: { error: toldOf(failWith('TEAM_FORMAT/batch', facts)) } }
  }
  const { batch } = read
  const team = await requireTeam(backend.database)
  if (batch.team !== team.id) {
    throw new HttpRefusal(409, failWith('TEAM_OTHER/batch'))
  }
  const clock = header('x-loadout-clock') ?? ''
  const off = hoursOff(/^\d{1,15}$/.test(clock) ? Number(clock) : undefined, backend.now().getTime() / 1000)
  const outcome = await acceptBatch(backend.database, { ...batch, bytes, token: caller.id, hoursOff: off })
  backend.onBatch(
    batch.rows.reduce((sum, { times }) => sum + times, 0),
    outcome.result,
  )
  const { result } = outcome
  if (result === 'accepted' || result === 'duplicate') return { json: { result, hoursOff: off } }
  return { status: 409, json: { error: toldOf(failWith(REFUSED[result])), ...outcome } }
}

const REFUSED = {
  behind: 'TEAM_BEHIND/batches',
  cloned: 'TEAM_CLONED/rows',
  left: 'TEAM_CLONED/machine',
  'unknown machine': 'TEAM_UNKNOWN_MACHINE/token',
} as const

/** Who asks: what its page shows depends on it. */
async function reader({ caller: { role, group } }: Call): Promise<Answer> {
  return { json: { role, group } }
}

async function report({ backend, caller, query }: Call): Promise<Answer> {
  const today = backend.now().toISOString().slice(0, 10)
  // A week is the smallest range: figures of a day would be a diary.
  const from = mondayOf(readDay(query.from, 'from') ?? addDays(today, -30))
  const to = addDays(mondayOf(addDays(readDay(query.to, 'to') ?? addDays(today, 1), -1)), 7)
  if (from >= to) throw badRequest('"from" must be a day before "to"')
  const { group } = query
  if (group !== undefined && !SENT_TEXTS.project.test(group)) throw badRequest('"group" is not the name of a group')
  await settle(backend)
  await noteReading(backend, { actor: caller.id, action: 'report read', about: { from, to: addDays(to, -1), group } })
  const rows = await queryReport(backend.database, { from, to, group }, backend.activeSince())
  if (group !== undefined && rows.usage.length === 0) {
    throw new HttpRefusal(403, failWith('TEAM_GROUP_SMALL/group', { group, least: LARGEST_HIDDEN_GROUP }))
  }
  return { json: assembleReport({ from, to: addDays(to, -1) }, rows) }
}

// The client waits no longer; the report then says how many batches are not counted.
const SETTLE_MS = 2_000

/**
 * Counts new batches and publishes what may be shown, so that a report includes it. A read-only database still gives a report.
 */
async function settle({ database, migrations, now }: Backend): Promise<void> {
  const end = Date.now() + SETTLE_MS
  const made = madeFor(migrations)
  try {
    while (Date.now() < end && (await countInbox(database, made)) > 0);
    while (Date.now() < end && (await publishWeek(database, made, now(), true)));
  } catch {
    // The report says how many batches wait.
  }
}

function readDay(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // A day that a month does not have is read as one of the next month.
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  if (isDay && text > '1970' && text < '9000') return text
  throw badRequest(`"${name}" is not a day such as 2026-11-17`)
}

async function tokens({ backend: { database } }: Call): Promise<Answer> {
  return { json: { tokens: await listTokens(database) } }
}

async function invite({ backend, caller, readBody }: Call): Promise<Answer> {
  const { role: named, group, note = '', days, person } = await readObject(readBody)
  const role = asRole(named)
  if (role === undefined) throw badRequest(`"role" must be one of ${ROLES.join(', ')}`)
  if (typeof group !== 'string' || !SENT_TEXTS.project.test(group)) throw badRequest('"group" is not a name')
  if (typeof note !== 'string' || !/^[\p{L}\p{N}\p{P} ]{0,100}$/u.test(note))
    throw badRequest('"note" is not a short text')
  if (days !== undefined && !isWhole(days, 1, 3_650)) throw badRequest('"days" is not a number from 1 to 3650')
  if (person !== undefined && !isPerson(person)) throw badRequest('"person" is not a name')
  const secret = await withAudit(backend, async (connection, noteEntry) => {
    const hours = days === undefined ? undefined : days * 24
    const made = await addToken(connection, { role, group, note, hours, person, by: caller.id })
    const about = { token: tokenId(made), role, group, days, person }
    await noteEntry({ actor: caller.id, action: 'token made', about })
    return made
  })
  return { json: { secret } }
}

async function revoke({ backend, caller, params: { token = '' } }: Call): Promise<Answer> {
  const result = await withAudit(backend, async (connection, note) => {
    const done = /^[0-9a-f]+$/.test(token) ? await revokeToken(connection, token) : 'not found'
    if (done === 'revoked') await note({ actor: caller.id, action: 'token revoked', about: { token } })
    return done
  })
  if (result === 'revoked') return { json: { revoked: token } }
  if (result === 'not found') throw new HttpRefusal(404, failWith('ENTRY_NOT_FOUND/token-id'))
  throw lastAdministrator()
}

function lastAdministrator(): HttpRefusal {
  return new HttpRefusal(409, failWith('TEAM_ROLE/last-admin-revoke'))
}

/** Everything that a person who leaves could still use. */
async function revokeAll({ backend, caller, readBody }: Call): Promise<Answer> {
  const { person } = await readObject(readBody)
  if (!isPerson(person)) throw badRequest('"person" is not a name')
  const revoked = await withAudit(backend, async (connection, note) => {
    const ids = await revokePerson(connection, person)
    if (typeof ids !== 'string')
      await note({ actor: caller.id, action: 'person revoked', about: { person, tokens: ids } })
    return ids
  })
  if (typeof revoked !== 'string') return { json: { revoked } }
  throw lastAdministrator()
}

function isPerson(value: unknown): value is string {
  return typeof value === 'string' && /^[\p{L}\p{N}@._+ -]{1,100}$/u.test(value)
}

/** One page of the audit log, as it is stored: the reader checks the chain. */
async function audit({ backend, caller, query }: Call): Promise<Answer> {
  const after = query.after === undefined ? undefined : Number(query.after)
  if (after !== undefined && !isWhole(after, 0, Number.MAX_SAFE_INTEGER)) {
    throw badRequest('"after" is not the number of an entry')
  }
  if (!after) await noteReading(backend, { actor: caller.id, action: 'audit read', about: {} })
  return { json: { entries: await readAudit(backend.database, after) } }
}

type NewEntry = Parameters<typeof noteAudit>[1]

/** A change and its entry in the audit log, both or neither. */
export function withAudit<T>(
  { database, now }: Backend,
  work: (connection: Connection, note: (entry: NewEntry) => Promise<void>) => Promise<T>,
): Promise<T> {
  return inTransaction(database, (connection) => work(connection, (entry) => noteAudit(connection, entry, now())))
}

/** A database that is read-only still answers; then only the log of requests tells who asked. */
async function noteReading(backend: Backend, entry: NewEntry): Promise<void> {
  try {
    await withAudit(backend, (_, note) => note(entry))
  } catch (error) {
    if (troubleOf(error) !== 'read-only') throw error
  }
}

export async function requireTeam(database: Database): Promise<Team> {
  const team = await readTeam(database)
  if (team !== undefined) return team
  throw new HttpRefusal(503, failWith('TEAM_DATABASE/no-team'))
}

export async function readObject(readBody: Call['readBody']): Promise<Record<string, unknown>> {
  const { value, problem: wrong } = parseForeignJson(await readBody())
  if (isRecord(value)) return value
  throw badRequest(wrong ?? 'it is not an object')
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}

export function badRequest(message: string): HttpRefusal {
  return new HttpRefusal(400, failWith('USAGE/team-request', { problem: message }))
}
