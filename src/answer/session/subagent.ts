import type { HookCall } from '../../agents/rules/hook-call.ts'
import type { Machine } from '../../machine/machine.ts'
import { claimant } from '../../machine/sessions.ts'
import { readKnowledge } from '../../payloads/knowledge.ts'
import { renderParts } from '../rules/session-text.ts'
import { Conversation } from './conversation.ts'
import { answerPrompt, DEFAULT_TOKENS } from './prompt.ts'
import { coreParts } from './start-parts.ts'

const FORKED = 'forked'

/** A subagent is about to start: what its own task needs, or a note where only the start may be answered. */
export async function answerSubagentTask(machine: Machine, call: HookCall, budget?: number): Promise<string> {
  const { host, subagent, session, parent = session } = call
  if (subagent === undefined) return ''
  const { isForked, task } = subagent
  if (host.subagents?.by === 'start') {
    machine.sessions.noteTask(host.agent, parent, `${isForked ? FORKED : 'fresh'}\n${task}`)
    return ''
  }
  const start = new SubagentStart(machine, call)
  if (isForked) start.inherit()
  // Where no other event comes, the core goes with the task.
  const isWhole = !isForked && host.events.SubagentStart === undefined
  return isWhole ? start.giveWithCore(budget) : answerPrompt(machine, call, budget)
}

/** A subagent starts with an empty context: the core, and what a noted task needs. */
export async function answerSubagentStart(machine: Machine, call: HookCall, budget?: number): Promise<string> {
  const { host, session, parent = session } = call
  const note = host.subagents?.by === 'start' ? machine.sessions.takeTask(host.agent, parent) : undefined
  const [form, ...lines] = note?.split('\n') ?? []
  const about = { ...call, prompt: lines.join('\n') }
  const start = new SubagentStart(machine, about)
  if (form !== FORKED) return start.giveWithCore(budget)
  start.inherit()
  return answerPrompt(machine, about, budget)
}

class SubagentStart extends Conversation {
  /** A fork has received everything that its parent received. */
  inherit(): void {
    const { claims } = this.read(this.call.parent ?? this.call.session)
    if (claims.length > 0) this.write(...claims.map(({ parts }) => ({ by: claimant(), parts })))
  }

  /** The core takes up to two thirds, as at the start of a session; what the task needs comes behind it. */
  async giveWithCore(budget = DEFAULT_TOKENS): Promise<string> {
    const { machine, call, room, sizeOf } = this
    const knowledge = readKnowledge(machine, { projectRoot: this.project }, true)
    const core = coreParts(machine, knowledge, Math.floor((room * 2) / 3), sizeOf)
    core.problems.forEach(this.log)
    const given = (core.parts.length > 0 && this.win(core.parts)) || []
    this.recordTexts('subagent', given, {})
    const text = renderParts(given)
    return text + (await answerPrompt(machine, call, Math.min(budget, Math.floor((room - sizeOf(text)) / 4))))
  }
}
