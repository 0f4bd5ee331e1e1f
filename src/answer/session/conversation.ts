import type { HookCall } from '../../agents/rules/hook-call.ts'
import { logLine } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { claimant } from '../../machine/sessions.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { type ListedEntries, type RecordedEntry, recordTask } from '../../usage/record.ts'
import {
  type Claim,
  formatClaim,
  keysOf,
  readState,
  type SessionState,
  wonBy,
} from '../../usage/rules/session-state.ts'
import { type GivenPart, type Measure, measureIn } from '../rules/session-text.ts'

/** A conversation of an agent: what it received, and what a process may still give it. */
export class Conversation {
  protected readonly machine: Machine
  protected readonly call: HookCall
  protected readonly project: Project
  /** The largest reply that the agent reads whole, in its own unit. */
  protected readonly room: number
  protected readonly sizeOf: Measure

  constructor(machine: Machine, call: HookCall) {
    const { characters, tokens, counts } = call.host.replyLimit
    this.machine = machine
    this.call = call
    this.project = machine.openProject()
    this.room = Math.min(characters, tokens * 4)
    this.sizeOf = measureIn(counts)
  }

  protected readonly log = (message: string): void =>
    logLine(this.machine, `${this.call.host.agent} ${this.call.event}`, message)

  /** The state of this conversation, or of the one that it continues. */
  protected read(session = this.call.session): SessionState {
    return readState(this.machine.sessions.read(this.call.host.agent, session))
  }

  /** Adds lines to the file of the conversation. */
  protected write(...claims: Claim[]): SessionState {
    const { host, session, cwd, transcript } = this.call
    const place = { at: this.machine.now().toISOString(), cwd, transcript }
    const lines = claims.map((claim) => formatClaim({ ...claim, ...place }))
    return readState(this.machine.sessions.claimLine(host.agent, session, lines.join('')))
  }

  /**
   * Those parts that this process gives: of two at once, the first line in the file wins a part. Undefined when another
   * process started the session first.
   */
  protected win(given: readonly GivenPart[], claim: Omit<Claim, 'by' | 'parts'> = {}): GivenPart[] | undefined {
    const by = claimant()
    const won = wonBy(this.write({ by, parts: given.map(({ part }) => part), ...claim }), by)
    const keys = new Set(won?.flatMap(keysOf))
    return won && given.filter(({ part }) => keysOf(part).every((key) => keys.has(key)))
  }

  /** Records the texts that were given without a prompt. */
  protected recordTexts(
    trigger: string,
    given: readonly GivenPart[],
    {
      task = trigger,
      named,
      layerOf,
    }: { task?: string; named?: ListedEntries; layerOf?(id: string): string | undefined },
  ): void {
    const entries = given.flatMap(({ part, text }): RecordedEntry[] => {
      if (part.form !== 'text') return []
      const { id, sum: version } = part
      return [
        { id, kind: 'payload', trigger, mode: 'eager', tokens: estimateTokens(text), layer: layerOf?.(id), version },
      ]
    })
    const steps = (['planned', 'delivered'] as const).map((stage) => ({ stage, entries }))
    recordTask(this.machine, { task, project: this.project, steps, named })
  }
}
