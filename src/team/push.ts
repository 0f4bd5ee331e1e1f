import type { Machine } from '../machine/machine.ts'
import { asFinding, type Finding, failWith, LoadoutError, type Report, report } from '../text/trouble.ts'
import { VERSION } from '../text/version.ts'
import { refreshCatalog } from './catalog.ts'
import { collect } from './collect.ts'
import {
  batchesIn,
  lockTeam,
  moveBatch,
  newMachineId,
  putBatch,
  readBatch,
  readOutbox,
  setDue,
  tidy,
  writeOutbox,
} from './disk/outbox.ts'
import { askTeam, callTeam, refusalOf, requireMembership, type TeamReply } from './disk/team-client.ts'
import { formatBatch, parseBatch } from './rules/batch.ts'
import { type Membership, nextAttemptMs, type OutboxState } from './rules/membership.ts'

export interface PushRequest {
  /** Returns the bytes that would be sent, and sends nothing. */
  dryRun?: boolean
  /** Ends at once if another process is sending. */
  isBackground?: boolean
}

export interface Push {
  /** For a dry run: the body of each request, byte for byte. */
  bodies?: string[]
  sent: number
  /** Batches that were not sent yet. */
  waiting: number
  /** Events that are never sent, because their id does not look like one. */
  leftOut: number
}

/** Puts new events of the usage log into the outbox, and sends the outbox. */
export async function pushUsage(machine: Machine, request: PushRequest): Promise<Report<Push>> {
  const membership = requireMembership(machine)
  if (request.dryRun) return { value: preview(machine, membership), findings: [] }
  const release = await lockTeam(machine, request.isBackground ? 0 : LONGEST_WAIT_MS)
  try {
    return await pushLocked(machine, membership)
  } finally {
    release()
    if (request.isBackground) await refreshCatalog(machine)
  }
}

const LONGEST_WAIT_MS = 60_000

function preview(machine: Machine, membership: Membership): Push {
  const before = requireOutbox(machine)
  const waiting = batchesIn(machine, 'outbox', before)
  const { batches, state } = collect(machine, membership, before)
  const bodies = [
    ...waiting.map((sequence) => readBatch(machine, before, sequence)),
    ...batches.map(({ bytes }) => bytes),
  ]
  return { bodies, sent: 0, waiting: bodies.length, leftOut: state.leftOut }
}

async function pushLocked(machine: Machine, membership: Membership): Promise<Report<Push>> {
  let state = collectAll(machine, membership, requireOutbox(machine))
  const failures = state.last?.failures ?? 0
  const findings: Finding[] = []
  let sent = 0
  let last: NonNullable<OutboxState['last']>
  try {
    const done = await sendAll(machine, membership, state)
    ;({ state, sent } = done)
    last = { at: now(machine), failures: 0, hoursOff: done.hoursOff === 0 ? undefined : done.hoursOff }
    findings.push(...done.findings)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    // Batches that were sent before the error have left the outbox, and the identity may be new.
    state = requireOutbox(machine)
    last = { at: now(machine), failures: failures + 1, code: error.code, message: error.message }
    findings.push({ ...asFinding(error), severity: 'error' })
  }
  state = { ...state, last }
  writeOutbox(machine, state)
  setDue(machine, new Date(machine.now().getTime() + nextAttemptMs(last.failures)))
  tidy(machine, state)
  return { value: { sent, waiting: batchesIn(machine, 'outbox', state).length, leftOut: state.leftOut }, findings }
}

function now(machine: Machine): string {
  return machine.now().toISOString()
}

export function requireOutbox(machine: Machine): OutboxState {
  const state = readOutbox(machine)
  if (state !== undefined) return state
  throw failWith('BAD_TEAM_FILE/outbox')
}

/**
 * Writes the batches first, then the state that makes them count: a kill in between leaves nothing half done.
 */
function collectAll(machine: Machine, membership: Membership, before: OutboxState): OutboxState {
  let state = before
  for (;;) {
    const { batches, state: after } = collect(machine, membership, state)
    for (const { sequence, bytes } of batches) putBatch(machine, state, sequence, bytes)
    if (batches.length > 0 || after.offset !== state.offset) writeOutbox(machine, after)
    state = after
    if (batches.length === 0) return state
  }
}

interface Sent {
  state: OutboxState
  sent: number
  hoursOff: number
  findings: Finding[]
}

/** One after the other, the oldest first. Stops at the first batch that the server does not accept. */
async function sendAll(machine: Machine, membership: Membership, before: OutboxState): Promise<Sent> {
  const result: Sent = { state: before, sent: 0, hoursOff: 0, findings: [] }
  // Each refusal has one remedy. If the same refusal comes again for the same batch, the remedy did not help.
  const tried = new Set<string>()
  for (;;) {
    const { state } = result
    const [sequence] = batchesIn(machine, 'outbox', state)
    if (sequence === undefined) return result
    const reply = await askTeam(machine, membership, { path: '/v1/batches', body: readBatch(machine, state, sequence) })
    if (reply.status === 200) {
      moveBatch(machine, state, sequence, 'sent')
      result.sent++
      result.hoursOff = Number(reply.json.hoursOff ?? 0)
      continue
    }
    const refusal = refusalOf(reply)
    const attempt = `${refusal.code} ${sequence} ${state.machine}`
    if (tried.has(attempt)) throw refusal
    tried.add(attempt)
    // The user left on a copy of this machine: leaving here would have removed the team's files.
    if (refusal.code === 'TEAM_CLONED' || refusal.code === 'TEAM_LEFT') {
      result.state = await separate(machine, membership, state)
      result.findings.push(clonedFinding())
    } else if (refusal.code === 'TEAM_BEHIND') await sendAgain(machine, membership, state, reply)
    else if (refusal.code === 'TEAM_UNKNOWN_MACHINE') await register(machine, membership, state)
    else throw refusal
  }
}

function clonedFinding(): Finding {
  return report('TEAM_CLONED')
}

/**
 * Gives this machine and its batches a new identity. Batches from before the copy were sent once.
 */
async function separate(machine: Machine, membership: Membership, before: OutboxState): Promise<OutboxState> {
  const batches = batchesIn(machine, 'outbox', before).map((sequence) => readBatch(machine, before, sequence))
  const state = { ...before, machine: newMachineId(), next: batches.length + 1 }
  for (const [at, bytes] of batches.entries()) {
    const read = parseBatch(bytes)
    if (!('batch' in read)) throw failWith('BAD_TEAM_FILE/batch')
    putBatch(machine, state, at + 1, formatBatch({ ...read.batch, machine: state.machine, sequence: at + 1 }))
  }
  await register(machine, membership, state, { replaces: before.machine })
  writeOutbox(machine, state)
  return state
}

/**
 * The server was restored from a backup and lost batches: sends again those that are still here, and reports the rest
 * as lost.
 */
async function sendAgain(
  machine: Machine,
  membership: Membership,
  state: OutboxState,
  { json }: TeamReply,
): Promise<void> {
  const expected = Number(json.expected)
  const again = batchesIn(machine, 'sent', state).filter((sequence) => sequence >= expected)
  for (const sequence of again) moveBatch(machine, state, sequence, 'outbox')
  const [first] = batchesIn(machine, 'outbox', state)
  if (first !== undefined && first > expected) await register(machine, membership, state, { resume: first })
}

/** Registers this machine with the server. May be repeated. */
export async function register(
  machine: Machine,
  membership: Pick<Membership, 'url' | 'secret' | 'keyPrint'>,
  { machine: id }: Pick<OutboxState, 'machine'>,
  more: { replaces?: string; resume?: number } = {},
): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ machine: id, client: VERSION, key: membership.keyPrint, ...more })
  return callTeam(machine, membership, { path: '/v1/machines', body })
}
