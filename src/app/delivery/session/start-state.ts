import type { HookCall } from '../../../domain/delivery/session/hook-call.ts'
import {
  formatClaim,
  nextStart,
  type Part,
  readState,
  type SessionState,
} from '../../../domain/delivery/session/session-state.ts'
import { fenceDigest, type GivenPart } from '../../../domain/delivery/session/session-text.ts'
import { openTranscript, type Transcript } from '../../../infra/delivery/session/transcript.ts'
import type { Machine } from '../../../infra/machine.ts'
import { claimant, claimLine, readSession } from '../../../infra/sessions.ts'

/** What is known of a session when it starts. */
export interface StartState {
  state: SessionState
  /** The session goes on: what it was given is rebuilt. */
  isContinued: boolean
  /** Whether the agent itself still has a part, in the form that it has now. */
  isHeld(now: GivenPart, given: Part): boolean
}

/** After a compaction nothing is left of what was given; a session that is resumed or forked is replayed by its agent. */
export function openStart(machine: Machine, call: HookCall): StartState {
  const { source } = call
  if (source !== 'resume' && source !== 'fork') {
    const state = readWhenEmpty(machine, call)
    return { state, isContinued: source === 'compact' && state.claims.length > 0, isHeld: () => false }
  }
  const transcript = openTranscript(call.transcript)
  const state = readState(readSession(machine, call.host.agent, call.session))
  const parent = state.claims.length === 0 && source === 'fork' ? transcript?.forkedFrom : undefined
  if (parent !== undefined) {
    const inherited = inherit(machine, call, parent)
    return { state: inherited, isContinued: true, isHeld: (now, given) => now.part.sum === given.sum }
  }
  const isContinued = state.claims.length > 0
  return { state, isContinued, isHeld: (now) => transcript !== undefined && isIn(transcript, now) }
}

/** A damaged state is trusted by nobody until the context is empty: then it begins anew. */
function readWhenEmpty(machine: Machine, { host, session, source }: HookCall): SessionState {
  const text = readSession(machine, host.agent, session)
  try {
    return readState(text)
  } catch (error) {
    const anew = formatClaim({ by: claimant(), parts: [], start: nextStart(text), isAnew: true })
    const state = readState(claimLine(machine, host.agent, session, `\n${anew}`))
    if (source === 'compact') throw error
    return state
  }
}

/** A fork has been given what its parent was. */
function inherit(machine: Machine, { host, session }: HookCall, parent: string): SessionState {
  const { claims } = readState(readSession(machine, host.agent, parent))
  const lines = claims.map(({ parts }) => formatClaim({ by: claimant(), parts }))
  return readState(claims.length === 0 ? '' : claimLine(machine, host.agent, session, lines.join('')))
}

function isIn(transcript: Transcript, { part, text }: GivenPart): boolean {
  return transcript.holds(part.form === 'pointer' ? JSON.stringify(text).slice(1, -1) : fenceDigest(text))
}
