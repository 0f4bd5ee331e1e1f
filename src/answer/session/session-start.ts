import type { HookCall } from '../../agents/rules/hook-call.ts'
import { openScan, type SkillScan, seeAgent } from '../../agents/see.ts'
import { attempt, logLine } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject, type Project } from '../../machine/open-project.ts'
import { adoptSession, claimant, claimLine, pruneSessions, readSession } from '../../machine/sessions.ts'
import type { Knowledge } from '../../payloads/knowledge.ts'
import { allEntries } from '../../payloads/rules/dispatch-table.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { type ListedEntries, recordTask } from '../../usage/record.ts'
import {
  type Claim,
  formatClaim,
  keysOf,
  nextStart,
  type Part,
  readState,
  type SessionState,
  wonBy,
} from '../../usage/rules/session-state.ts'
import { shareWhenDue } from '../../usage/sharing.ts'
import { openTranscript, type Transcript } from '../disk/session/transcript.ts'
import {
  fenceDigest,
  type GivenPart,
  linesOf,
  type Measure,
  measureIn,
  renderParts,
} from '../rules/session/session-text.ts'
import { rebuild } from './rebuild.ts'
import { coreParts, indexPart, indexRoom, type OfferedPack, refreshCatalog } from './start-parts.ts'

/** The start of a session: the core, and an index of what can be loaded. A continued session gets back what it lost. */
export async function answerStart(machine: Machine, call: HookCall): Promise<string> {
  const { host, session, source = 'startup' } = call
  const log = (message: string) => logLine(machine, `${host.agent} ${call.event}`, message)
  attempt(log, 'earlier prompts are left out', () => adoptSession(machine, host.agent, session), undefined)
  const { state, isContinued, isHeld } = openStart(machine, call)
  const project = openProject(machine)
  const scan = openScan(machine)
  const { knowledge, packs, catalog } = refreshCatalog(machine, project, host.agent, log, 'start', scan)
  catalog.broken.forEach(log)
  pruneSessions(machine)
  shareWhenDue(machine)

  const room = Math.min(host.replyLimit.characters, host.replyLimit.tokens * 4)
  const sources = { project, knowledge, packs, room, sizeOf: measureIn(host.replyLimit.counts), log }
  const base = isContinued && state.claims.some(hasIndex) ? [] : baseParts(machine, sources)
  const claim: Claim = {
    by: claimant(),
    parts: base.map(({ part }) => part),
    start: state.starts + 1,
    isAnew: isContinued || state.starts === 0 ? undefined : true,
    isCompacted: source === 'compact' || undefined,
  }
  const won = wonBy(readState(claimLine(machine, host.agent, session, formatClaim(claim))), claim.by)
  if (won === undefined) return ''
  const keys = new Set(won.flatMap(keysOf))
  const isWon = ({ part }: GivenPart) => keysOf(part).every((key) => keys.has(key))
  const fresh = base.filter((given) => isWon(given) && !isHeld(given, given.part))
  const packTexts = source === 'compact' ? await lostPacks(machine, state.claims, log) : new Map()
  const { text, given } = isContinued
    ? rebuild(machine, { ...sources, agent: host.agent, claims: state.claims, fresh, packTexts, isHeld })
    : { text: renderParts(fresh), given: fresh }
  const again = given.flatMap(({ part }) => (part.form === 'pack' ? [part] : []))
  if (again.length > 0) claimLine(machine, host.agent, session, formatClaim({ by: claimant(), parts: again }))
  const own = attempt(log, 'the list of skills is not counted', () => ownList(machine, call, scan), {})
  record(machine, sources, given, source, own)
  return text
}

/** The state of a session at its start. */
interface StartState {
  state: SessionState
  /** The session continues: what it received is rebuilt. */
  isContinued: boolean
  /** Whether the agent itself still has a part, in its current form. */
  isHeld(now: GivenPart, given: Part): boolean
}

/**
 * A compaction removes everything that was delivered; an agent replays a session that is resumed or forked.
 */
function openStart(machine: Machine, call: HookCall): StartState {
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
  if (call.host.keepsContext) {
    const wasGiven = (part: Part) => keysOf(part).every((key) => state.given.has(key))
    return { state, isContinued, isHeld: (now, given) => now.part.sum === given.sum && wasGiven(given) }
  }
  return { state, isContinued, isHeld: (now) => transcript !== undefined && isIn(transcript, now) }
}

/** Replaces a damaged state as soon as the context is empty. */
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

/** A fork has received everything that its parent received. */
function inherit(machine: Machine, { host, session }: HookCall, parent: string): SessionState {
  const { claims } = readState(readSession(machine, host.agent, parent))
  const lines = claims.map(({ parts }) => formatClaim({ by: claimant(), parts }))
  return readState(claims.length === 0 ? '' : claimLine(machine, host.agent, session, lines.join('')))
}

function isIn(transcript: Transcript, { part, text }: GivenPart): boolean {
  return transcript.holds(part.form === 'pointer' ? JSON.stringify(text).slice(1, -1) : fenceDigest(text))
}

/** The texts of packs that a compaction removed, by their digest. */
async function lostPacks(
  machine: Machine,
  claims: readonly Claim[],
  log: (message: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const audits = claims.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.form === 'pack' ? (part.audit ?? []) : [])),
  )
  return audits.length === 0 ? new Map() : (await import('./given-packs.ts')).packTexts(machine, audits, log)
}

function hasIndex({ parts }: Claim): boolean {
  return parts.some(({ form }) => form === 'index')
}

interface Sources {
  project: Project
  knowledge: Knowledge
  packs: readonly OfferedPack[]
  room: number
  sizeOf: Measure
  log: (message: string) => void
}

/**
 * The core takes up to two thirds, the index up to a quarter. The rest is for naming, after a compaction, what prompts
 * added.
 */
function baseParts(machine: Machine, { project, knowledge, packs, room, sizeOf, log }: Sources): GivenPart[] {
  const core = coreParts(machine, knowledge, Math.floor((room * 2) / 3), sizeOf)
  core.problems.forEach(log)
  const ids = new Set(core.parts.flatMap(({ part }) => (part.form === 'text' ? [part.id] : [])))
  const index = indexPart({ project, knowledge, packs, given: ids, room: indexRoom(room), sizeOf, log })
  return index === undefined ? core.parts : [...core.parts, index]
}

/** The lines of the agent's own list of skills, which it reads when a session begins with an empty context. */
function ownList(machine: Machine, { host, source = 'startup' }: HookCall, scan: SkillScan): Partial<ListedEntries> {
  if (['compact', 'fork', 'resume'].includes(source)) return {}
  const { skills } = seeAgent(machine, { agent: host.agent, project: machine.cwd }, scan).value
  const listed: Record<string, number> = {}
  // Some agents list two skills of one name.
  for (const { name, tokens } of skills)
    if (tokens > 0) listed[`skill:${name}`] = (listed[`skill:${name}`] ?? 0) + tokens
  return { isStart: true, listed }
}

function record(
  machine: Machine,
  { project, knowledge }: Sources,
  given: readonly GivenPart[],
  source: string,
  own: Partial<ListedEntries>,
): void {
  const { table, layerOf } = knowledge
  const layers = new Map(allEntries(table).map((entry) => [entry.id, layerOf(entry)]))
  const entries = given.flatMap(({ part, text }) => {
    if (part.form !== 'text') return []
    const what = { id: part.id, kind: 'payload' as const, trigger: source, mode: 'eager' as const }
    return [{ ...what, tokens: estimateTokens(text), layer: layers.get(part.id), version: part.sum }]
  })
  const steps = (['planned', 'delivered'] as const).map((stage) => ({ stage, entries }))
  const listed = { ...own.listed, ...linesOf(given) }
  const isNamed = own.isStart || Object.keys(listed).length > 0
  recordTask(machine, { task: `session ${source}`, project, steps, named: isNamed ? { ...own, listed } : undefined })
}
