import { asFinding, type Finding, failWith, LoadoutError, report, toldOf } from '../text/trouble.ts'
import { refreshCatalog } from './catalog.ts'
import { collect } from './collect.ts'
import { newMachineId, refusalOf, type Team, type TeamReply, withTeam } from './disk/team.ts'
import { formatBatch, parseBatch } from './rules/batch.ts'
import { nextAttemptMs, type OutboxState } from './rules/membership.ts'

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
export const pushUsage = withTeam(async (team, request: PushRequest): Promise<Push> => {
  if (request.dryRun) return preview(team)
  const release = await team.outbox.lock(request.isBackground ? 0 : 60_000)
  try {
    return await pushLocked(team)
  } finally {
    release()
    if (request.isBackground) await refreshCatalog(team.machine)
  }
})

function preview(team: Team): Push {
  const before = team.outbox.require()
  const waiting = team.outbox.batchesIn('outbox', before)
  const { batches, state } = collect(team, before)
  const bodies = [
    ...waiting.map((sequence) => team.outbox.readBatch(before, sequence)),
    ...batches.map(({ bytes }) => bytes),
  ]
  return { bodies, sent: 0, waiting: bodies.length, leftOut: state.leftOut }
}

async function pushLocked(team: Team): Promise<Push> {
  let state = collectAll(team, team.outbox.require())
  const failures = state.last?.failures ?? 0
  let sent = 0
  const at = team.machine.now().toISOString()
  let last: NonNullable<OutboxState['last']>
  try {
    const done = await sendAll(team, state)
    ;({ state, sent } = done)
    last = { at, failures: 0, hoursOff: done.hoursOff === 0 ? undefined : done.hoursOff }
    team.machine.report(...done.findings)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    // Batches that were sent before the error have left the outbox, and the identity may be new.
    state = team.outbox.require()
    const { hint: _, ...told } = toldOf(error)
    last = { at, failures: failures + 1, ...told }
    team.machine.report(asFinding(error, { severity: 'error' }))
  }
  state = { ...state, last }
  team.outbox.write(state)
  team.outbox.setDue(new Date(team.machine.now().getTime() + nextAttemptMs(last.failures)))
  team.outbox.tidy(state)
  return { sent, waiting: team.outbox.batchesIn('outbox', state).length, leftOut: state.leftOut }
}

/**
 * Writes the batches first, then the state that makes them count: a kill in between leaves nothing half done.
 */
function collectAll(team: Team, before: OutboxState): OutboxState {
  let state = before
  for (;;) {
    const { batches, state: after } = collect(team, state)
    for (const { sequence, bytes } of batches) team.outbox.putBatch(state, sequence, bytes)
    if (batches.length > 0 || after.offset !== state.offset) team.outbox.write(after)
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
async function sendAll(team: Team, before: OutboxState): Promise<Sent> {
  const result: Sent = { state: before, sent: 0, hoursOff: 0, findings: [] }
  // Each refusal has one remedy. If the same refusal comes again for the same batch, the remedy did not help.
  const tried = new Set<string>()
  for (;;) {
    const { state } = result
    const [sequence] = team.outbox.batchesIn('outbox', state)
    if (sequence === undefined) return result
    const reply = await team.ask({ path: '/v1/batches', body: team.outbox.readBatch(state, sequence) })
    if (reply.status === 200) {
      team.outbox.moveBatch(state, sequence, 'sent')
      result.sent++
      result.hoursOff = Number(reply.json.hoursOff ?? 0)
      continue
    }
    const refusal = refusalOf(reply)
    const attempt = `${refusal.code} ${sequence} ${state.machine}`
    if (tried.has(attempt)) throw refusal
    tried.add(attempt)
    // The user left on a copy of this machine: leaving here would have removed the team's files.
    if (refusal.code === 'TEAM_CLONED') {
      result.state = await separate(team, state)
      result.findings.push(report('TEAM_CLONED'))
    } else if (refusal.code === 'TEAM_BEHIND') await sendAgain(team, state, reply)
    else if (refusal.code === 'TEAM_UNKNOWN_MACHINE') await team.register(state)
    else throw refusal
  }
}

/**
 * Gives this machine and its batches a new identity. Batches from before the copy were sent once.
 */
async function separate(team: Team, before: OutboxState): Promise<OutboxState> {
  const batches = team.outbox.batchesIn('outbox', before).map((sequence) => team.outbox.readBatch(before, sequence))
  const state = { ...before, machine: newMachineId(), next: batches.length + 1 }
  for (const [at, bytes] of batches.entries()) {
    const read = parseBatch(bytes)
    if (!('batch' in read)) throw failWith('FILE_UNREADABLE/batch')
    team.outbox.putBatch(state, at + 1, formatBatch({ ...read.batch, machine: state.machine, sequence: at + 1 }))
  }
  await team.register(state, { replaces: before.machine })
  team.outbox.write(state)
  return state
}

/**
 * The server was restored from a backup and lost batches: sends again those that are still here, and reports the rest
 * as lost.
 */
async function sendAgain(team: Team, state: OutboxState, { json }: TeamReply): Promise<void> {
  const expected = Number(json.expected)
  const again = team.outbox.batchesIn('sent', state).filter((sequence) => sequence >= expected)
  for (const sequence of again) team.outbox.moveBatch(state, sequence, 'outbox')
  const [first] = team.outbox.batchesIn('outbox', state)
  if (first !== undefined && first > expected) await team.register(state, { resume: first })
}
