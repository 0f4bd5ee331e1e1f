import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { callHttp } from '../../machine/call-http.ts'
import { exists, readText, writeAtomically } from '../../machine/files.ts'
import { namesIn } from '../../machine/leftovers.ts'
import { acquireLock } from '../../machine/lock.ts'
import type { Machine } from '../../machine/machine.ts'
import type { RecordFile, Records } from '../../machine/records.ts'
import { codeAfter } from '../../text/issues.ts'
import { allCodes, failWith, type LoadoutError, report, retell } from '../../text/trouble.ts'
import { getDeep, isRecord } from '../../text/values.ts'
import { VERSION } from '../../text/version.ts'
import { TEAM_DUE, TEAM_FOLDER } from '../../usage/sharing.ts'
import { brokenFile, type Membership, type OutboxState, parseMembership, parseOutbox } from '../rules/membership.ts'

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

/** The server of a team, with the token that this machine shows it. */
export class TeamServer {
  readonly machine: Machine
  readonly access: Pick<Membership, 'url' | 'secret' | 'keyPrint'>

  constructor(machine: Machine, access: Pick<Membership, 'url' | 'secret' | 'keyPrint'>) {
    this.machine = machine
    this.access = access
  }

  /** Sends a request and returns the reply, also a refusal. Throws if another program or none replies. */
  async ask({ method = 'POST', path, body, milliseconds }: TeamCall): Promise<TeamReply> {
    const { url, secret } = this.access
    const clock = String(Math.max(0, Math.round(this.machine.now().getTime() / 1000)))
    const headers = { authorization: `Bearer ${secret}`, 'x-loadout-clock': clock }
    const { status, json } = await callHttp(`${url}${path}`, { method, body, headers, milliseconds })
    if (isRecord(json) && (status < 300 || isRecord(json.error))) return { status, json }
    const what = status >= 300 && status < 400 ? 'it redirects' : `status ${status}`
    throw failWith('UNREACHABLE/not-a-team', { url, what })
  }

  /** Like `ask`, but throws a refusal as an error with the server's message. */
  async call(call: TeamCall): Promise<Record<string, unknown>> {
    const reply = await this.ask(call)
    if (reply.status < 300) return reply.json
    throw refusalOf(reply)
  }

  /** Registers this machine with the server. May be repeated. */
  register(
    { machine: id }: Pick<OutboxState, 'machine'>,
    more: { replaces?: string; resume?: number } = {},
  ): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ machine: id, client: VERSION, key: this.access.keyPrint, ...more })
    return this.call({ path: '/v1/machines', body })
  }
}

export function refusalOf({ json, status }: TeamReply): LoadoutError {
  const [code, message, hint] = ['code', 'message', 'hint'].map((key) => getDeep(json, 'error', key))
  // A server of an earlier version may know the trouble by another code.
  const known = allCodes().find((each) => each === code) ?? codeAfter(String(code)) ?? 'UNREACHABLE'
  const told = report('UNREACHABLE/refused', { message: String(message ?? status) })
  return retell({ ...told, code: known, hint: typeof hint === 'string' ? hint : undefined })
}

const MEMBERSHIP: RecordFile<Membership | undefined> = {
  place: `${TEAM_FOLDER}/membership.json`,
  empty: undefined,
  parse: parseMembership,
  format: (value) => `${JSON.stringify(value, null, 2)}\n`,
  broken: brokenFile,
}

/** The team that this machine has joined. */
export class Team extends TeamServer {
  readonly membership: Membership

  constructor(machine: Machine, membership: Membership) {
    super(machine, membership)
    this.membership = membership
  }

  /** Undefined on a machine that has not joined one. */
  static find(machine: Machine): Team | undefined {
    const membership = machine.records.read(MEMBERSHIP)
    return membership && new Team(machine, membership)
  }

  static require(machine: Machine): Team {
    const membership = machine.records.read(MEMBERSHIP)
    if (membership !== undefined) return new Team(machine, membership)
    throw failWith('TEAM_NOT_JOINED')
  }

  /** From now on this machine is a member. */
  remember(): void {
    this.machine.records.write(MEMBERSHIP.place, MEMBERSHIP.format(this.membership))
  }

  get outbox(): Outbox {
    return new Outbox(this.machine.records)
  }
}

/** A use case for a machine that has joined a team. */
export function withTeam<Request, Result>(
  run: (team: Team, request: Request) => Result,
): (machine: Machine, request: Request) => Result {
  return (machine, request) => run(Team.require(machine), request)
}

const STATE: RecordFile<OutboxState | undefined> = {
  place: `${TEAM_FOLDER}/outbox.json`,
  empty: undefined,
  parse: parseOutbox,
  format: (value) => `${JSON.stringify(value, null, 2)}\n`,
  broken: brokenFile,
}

export function newMachineId(): string {
  return randomBytes(16).toString('hex')
}

type Tray = 'outbox' | 'sent'

/** What this machine sends to its team: batches in files, and a record of the state that makes them count. */
export class Outbox {
  readonly records: Records

  constructor(records: Records) {
    this.records = records
  }

  read(): OutboxState | undefined {
    return this.records.read(STATE)
  }

  require(): OutboxState {
    const state = this.read()
    if (state !== undefined) return state
    throw failWith('FILE_UNREADABLE/outbox')
  }

  /** New batches count from this moment: their files must exist before. */
  write(state: OutboxState): void {
    this.records.write(STATE.place, STATE.format(state))
  }

  /**
   * The numbers of the batches in a tray, the oldest first. Ignores batches of a process that was killed before it
   * finished.
   */
  batchesIn(tray: Tray, state: OutboxState): number[] {
    const names = namesIn(this.#folder(tray, state))
    const numbers = names.flatMap((name) => (/^\d{12}\.json$/.test(name) ? [Number(name.slice(0, 12))] : []))
    return numbers.filter((sequence) => sequence < state.next).sort((a, b) => a - b)
  }

  readBatch(state: OutboxState, sequence: number): string {
    return readText(join(this.#folder('outbox', state), fileOf(sequence)))
  }

  putBatch(state: Pick<OutboxState, 'machine'>, sequence: number, bytes: string): void {
    this.records.privateFolder(`${TEAM_FOLDER}/outbox/${state.machine}`)
    writeAtomically(join(this.#folder('outbox', state), fileOf(sequence)), bytes, 0o600)
  }

  /** Sent batches are kept for a while: a server that was restored from a backup asks for them again. */
  moveBatch(state: OutboxState, sequence: number, to: Tray): void {
    this.records.privateFolder(`${TEAM_FOLDER}/${to}/${state.machine}`)
    const [name, from] = [fileOf(sequence), to === 'sent' ? 'outbox' : 'sent'] as const
    renameSync(join(this.#folder(from, state), name), join(this.#folder(to, state), name))
  }

  /** Removes old sent batches, and the batches of earlier identities of this machine. */
  tidy(state: OutboxState): void {
    for (const tray of ['outbox', 'sent'] as const) {
      const around = this.records.path(`${TEAM_FOLDER}/${tray}`)
      for (const id of namesIn(around))
        if (id !== state.machine) rmSync(join(around, id), { recursive: true, force: true })
    }
    const sent = this.#folder('sent', state)
    for (const name of namesIn(sent)) {
      const stat = statSync(join(sent, name), { throwIfNoEntry: false })
      if (stat !== undefined && Date.now() - stat.mtimeMs > 14 * 86_400_000) rmSync(join(sent, name), { force: true })
    }
  }

  /** When the background may try again. Stored as the time of a file, so that a hook only needs one `stat`. */
  setDue(at: Date): void {
    const path = this.records.path(TEAM_DUE)
    if (!exists(path)) this.records.write(TEAM_DUE, '')
    utimesSync(path, at, at)
  }

  /** One process at a time collects and sends. */
  lock(waitMs: number): Promise<() => void> {
    return acquireLock(join(this.records.privateFolder('locks'), 'team'), { purpose: 'team', waitMs })
  }

  /** Deletes everything about the team. */
  forgetTeam(): void {
    rmSync(this.records.path(TEAM_FOLDER), { recursive: true, force: true })
  }

  #folder(tray: Tray, { machine: id }: Pick<OutboxState, 'machine'>): string {
    return this.records.path(`${TEAM_FOLDER}/${tray}/${id}`)
  }
}

function fileOf(sequence: number): string {
  return `${String(sequence).padStart(12, '0')}.json`
}
