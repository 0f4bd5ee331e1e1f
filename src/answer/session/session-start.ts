import type { HookCall } from '../../agents/rules/hook-call.ts'
import { openScan, type SkillScan, seeAgent } from '../../agents/see.ts'
import { attemptOrLog, describeTrouble } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { claimant } from '../../machine/sessions.ts'
import type { Knowledge } from '../../payloads/knowledge.ts'
import { sha256 } from '../../text/values.ts'
import type { ListedEntries } from '../../usage/record.ts'
import {
  type Claim,
  type DeliveredPart,
  formatClaim,
  keysOf,
  nextStart,
  readState,
  type SessionState,
} from '../../usage/rules/session-state.ts'
import { shareWhenDue } from '../../usage/sharing.ts'
import { openTranscript } from '../disk/transcript.ts'
import type { PackAudit } from '../record.ts'
import {
  blockLength,
  fenceDigest,
  type GivenPart,
  linesOf,
  partsLength,
  pointerBlock,
  renderParts,
} from '../rules/session-text.ts'
import { Conversation } from './conversation.ts'
import { PartsNow } from './parts-now.ts'
import { coreParts, refreshCatalog } from './start-parts.ts'

/** The start of a session: the core, and an index of what can be loaded. A continued session gets back what it lost. */
export function answerStart(machine: Machine, call: HookCall): Promise<string> {
  return new SessionStart(machine, call).give()
}

const LEFT_OUT = 'Loadout: given earlier in this session, and too long to be given again. Read what is still needed.\n'

class SessionStart extends Conversation {
  private readonly knowledge: Knowledge
  private readonly now: PartsNow
  private readonly state: SessionState
  /** The session continues: what it received is rebuilt. */
  private readonly isContinued: boolean
  /** Whether the agent itself still has a part, in its current form. */
  private readonly isHeld: (now: GivenPart, given: DeliveredPart) => boolean
  private readonly scan: SkillScan

  constructor(machine: Machine, call: HookCall) {
    super(machine, call)
    const { host, session } = call
    attemptOrLog(this.log, 'earlier prompts are left out', () => machine.sessions.adopt(host.agent, session), undefined)
    const opened = this.open()
    this.state = opened.state
    this.isContinued = opened.isContinued
    this.isHeld = opened.isHeld
    this.scan = openScan(machine)
    const refreshed = refreshCatalog(machine, this.project, host.agent, this.log, 'start', this.scan)
    this.knowledge = refreshed.knowledge
    const { project, knowledge, room, sizeOf, log } = this
    this.now = new PartsNow({ machine, host, project, knowledge, packs: refreshed.packs, room, sizeOf, log })
    refreshed.catalog.broken.forEach(this.log)
  }

  async give(): Promise<string> {
    const { machine, state, isContinued } = this
    const { source = 'startup' } = this.call
    machine.sessions.prune()
    shareWhenDue(machine)
    const hasIndex = state.claims.some(({ parts }) => parts.some(({ form }) => form === 'index'))
    const base = isContinued && hasIndex ? [] : this.baseParts()
    const won = this.win(base, {
      start: state.starts + 1,
      isAnew: isContinued || state.starts === 0 ? undefined : true,
      isCompacted: source === 'compact' || undefined,
    })
    if (won === undefined) return ''
    const fresh = won.filter((given) => !this.isHeld(given, given.part))
    const packTexts = source === 'compact' ? await this.lostPacks() : new Map<string, string>()
    const { text, given } = isContinued ? this.rebuild(fresh, packTexts) : { text: renderParts(fresh), given: fresh }
    const again = given.flatMap(({ part }) => (part.form === 'pack' ? [part] : []))
    if (again.length > 0) this.write({ by: claimant(), parts: again })
    const own = attemptOrLog(this.log, 'the list of skills is not counted', () => this.ownList(), {})
    const listed = { ...own.listed, ...linesOf(given) }
    const named = own.isStart || Object.keys(listed).length > 0 ? { ...own, listed } : undefined
    const layerOf = (id: string) => {
      const entry = this.now.entry(id)
      return entry && this.knowledge.layerOf(entry)
    }
    this.recordTexts(source, given, { task: `session ${source}`, named, layerOf })
    return text
  }

  /** A compaction removes everything that was delivered; an agent replays a session that is resumed or forked. */
  private open(): {
    state: SessionState
    isContinued: boolean
    isHeld: (now: GivenPart, given: DeliveredPart) => boolean
  } {
    const { source, host } = this.call
    if (source !== 'resume' && source !== 'fork') {
      const state = this.readWhenEmpty()
      return { state, isContinued: source === 'compact' && state.claims.length > 0, isHeld: () => false }
    }
    const transcript = openTranscript(this.call.transcript)
    const state = this.read()
    const parent = state.claims.length === 0 && source === 'fork' ? transcript?.forkedFrom : undefined
    if (parent !== undefined) {
      // A fork has received everything that its parent received.
      const { claims } = this.read(parent)
      const inherited =
        claims.length === 0 ? state : this.write(...claims.map(({ parts }) => ({ by: claimant(), parts })))
      return { state: inherited, isContinued: true, isHeld: (now, given) => now.part.sum === given.sum }
    }
    const isContinued = state.claims.length > 0
    if (host.keepsContext) {
      const wasGiven = (part: DeliveredPart) => keysOf(part).every((key) => state.given.has(key))
      return { state, isContinued, isHeld: (now, given) => now.part.sum === given.sum && wasGiven(given) }
    }
    const isIn = ({ part, text }: GivenPart) =>
      transcript?.holds(part.form === 'pointer' ? JSON.stringify(text).slice(1, -1) : fenceDigest(text)) ?? false
    return { state, isContinued, isHeld: isIn }
  }

  /** Replaces a damaged state as soon as the context is empty. */
  private readWhenEmpty(): SessionState {
    const { host, session, source } = this.call
    const text = this.machine.sessions.read(host.agent, session)
    try {
      return readState(text)
    } catch (error) {
      const anew = formatClaim({ by: claimant(), parts: [], start: nextStart(text), isAnew: true })
      const state = readState(this.machine.sessions.claimLine(host.agent, session, `\n${anew}`))
      if (source === 'compact') throw error
      return state
    }
  }

  /**
   * The core takes up to two thirds, the index up to a quarter. The rest is for naming, after a compaction, what prompts
   * added.
   */
  private baseParts(): GivenPart[] {
    const core = coreParts(this.machine, this.knowledge, Math.floor((this.room * 2) / 3), this.sizeOf)
    core.problems.forEach(this.log)
    const index = this.now.index(core.parts.map(({ part }) => part))
    return index === undefined ? core.parts : [...core.parts, index]
  }

  /** The texts of packs that a compaction removed, by their digest: byte for byte, or not at all. */
  private async lostPacks(): Promise<ReadonlyMap<string, string>> {
    const { machine, state, log } = this
    const parts = state.claims.flatMap((claim) => claim.parts)
    const audits = new Set(parts.flatMap((part) => (part.form === 'pack' ? (part.audit ?? []) : [])))
    const texts = new Map<string, string>()
    if (audits.size === 0) return texts
    const [{ rehydrate }, { readAudit }] = await Promise.all([import('../packs.ts'), import('../../machine/audits.ts')])
    for (const id of audits) {
      try {
        const { record } = readAudit<PackAudit>(machine, id)
        const { value, findings } = machine.collect((listening) => rehydrate(listening, id, record))
        for (const { text } of value.wrappers) texts.set(sha256(text), text)
        for (const { message } of findings) log(`${message}: it was not given again`)
      } catch (error) {
        log(`a pack was not given again: ${describeTrouble(error)}`)
      }
    }
    return texts
  }

  /** Everything that the session received, from the current sources: the same bytes, as long as those are unchanged. */
  private rebuild(
    fresh: readonly GivenPart[],
    packTexts: ReadonlyMap<string, string>,
  ): { text: string; given: GivenPart[] } {
    const { sizeOf, room } = this
    // A session may have received something before its start event.
    const isStart = ({ parts }: Claim) => parts.some(({ form }) => form === 'index')
    const starts = this.state.claims.filter(isStart)
    const claims = [...starts, ...this.state.claims.filter((claim) => !isStart(claim))]
    const named = new Set<string>()
    const missing = (part: DeliveredPart, claim: Claim) => this.missing(part, claim, packTexts, named) ?? []
    const replies = [[...fresh], ...claims.map((claim) => claim.parts.flatMap((part) => missing(part, claim)))]
    const lines: string[] = []
    const isTooLong = () => {
      const whole = replies.reduce((sum, parts) => sum + partsLength(parts, sizeOf), 0)
      return whole + blockLength(lines, sizeOf, LEFT_OUT) > room
    }
    // Drops the newest first, and the start of a session only when nothing else is left.
    for (const from of [replies.slice(1 + starts.length), replies]) {
      while (isTooLong()) {
        const part = takeNewest(from)
        if (part === undefined) break
        lines.unshift(this.lineFor(part))
      }
      while (isTooLong() && lines.length > 0) lines.pop()
    }
    return { text: replies.map(renderParts).join('') + pointerBlock(lines, LEFT_OUT), given: replies.flat() }
  }

  /** The current form of a part; undefined if the agent still has it, or it is gone or no longer allowed. */
  private missing(
    part: DeliveredPart,
    claim: Claim,
    packTexts: ReadonlyMap<string, string>,
    named: Set<string>,
  ): GivenPart | undefined {
    // Places in files are shown again when a prompt needs them.
    if (part.form === 'file') return undefined
    if (part.form === 'pack') {
      const text = packTexts.get(part.sum)
      return text === undefined ? undefined : { part, text }
    }
    const name = part.form === 'index' ? 'the index' : part.id
    const now =
      part.form === 'text'
        ? this.now.text(part.id)
        : part.form === 'index'
          ? this.now.index(claim.parts)
          : this.now.pointer(part, named)
    if (now === undefined) this.log(`${name} is gone, or no longer open: it was not given again`)
    else if (now.part.sum !== part.sum) this.log(`${name} has changed since it was given`)
    return now === undefined || this.isHeld(now, part) ? undefined : now
  }

  private lineFor({ part, text }: GivenPart): string {
    if (part.form === 'pack') return `- what a knowledge pack said -> \`loadout replay ${part.audit ?? ''}\``
    const entry = part.form === 'text' ? this.now.entry(part.id) : undefined
    return entry === undefined ? text : this.now.entryLine(entry)
  }

  /** The lines of the agent's own list of skills, which it reads when a session begins with an empty context. */
  private ownList(): Partial<ListedEntries> {
    const { host, source = 'startup' } = this.call
    if (['compact', 'fork', 'resume'].includes(source)) return {}
    const { machine, scan } = this
    const { skills } = seeAgent(machine.quiet(), { agent: host.agent, project: machine.cwd }, scan)
    const listed: Record<string, number> = {}
    // Some agents list two skills of one name.
    for (const { name, tokens } of skills)
      if (tokens > 0) listed[`skill:${name}`] = (listed[`skill:${name}`] ?? 0) + tokens
    return { isStart: true, listed }
  }
}

/** Removes the last text or pointer that is not part of the index from its reply. */
function takeNewest(replies: GivenPart[][]): GivenPart | undefined {
  for (const parts of replies.toReversed()) {
    const at = parts.findLastIndex(({ part }) => part.form !== 'index')
    if (at >= 0) return parts.splice(at, 1)[0]
  }
  return undefined
}
