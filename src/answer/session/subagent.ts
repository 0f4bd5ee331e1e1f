import type { HookCall } from '../../agents/rules/hook-call.ts'
import { logLine } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject } from '../../machine/open-project.ts'
import { claimant, claimLine, noteTask, readSession, takeTask } from '../../machine/sessions.ts'
import { readKnowledge } from '../../payloads/knowledge.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { recordTask } from '../../usage/record.ts'
import { formatClaim, readState, wonBy } from '../../usage/rules/session-state.ts'
import { measureIn, renderParts } from '../rules/session-text.ts'
import { answerPrompt, DEFAULT_TOKENS } from './prompt.ts'

const FORKED = 'forked'
const FRESH = 'fresh'

/** A subagent is about to start: what its own task needs, or a note where only the start may be answered. */
export async function answerSubagentTask(machine: Machine, call: HookCall, budget?: number): Promise<string> {
  const { host, subagent, session, parent = session } = call
  if (subagent === undefined) return ''
  const { isForked, task } = subagent
  if (host.subagents?.by === 'start') {
    noteTask(machine, host.agent, parent, `${isForked ? FORKED : FRESH}\n${task}`)
    return ''
  }
  if (isForked) inherit(machine, call)
  // Where no other event comes, the core goes with the task.
  const isWhole = !isForked && host.events.SubagentStart === undefined
  return isWhole ? answerWithCore(machine, call, budget) : answerPrompt(machine, call, budget)
}

/** A subagent starts with an empty context: the core, and what a noted task needs. */
export async function answerSubagentStart(machine: Machine, call: HookCall, budget?: number): Promise<string> {
  const { host, session, parent = session } = call
  const note = host.subagents?.by === 'start' ? takeTask(machine, host.agent, parent) : undefined
  const [form, ...lines] = note?.split('\n') ?? []
  const about = { ...call, prompt: lines.join('\n') }
  if (form !== FORKED) return answerWithCore(machine, about, budget)
  inherit(machine, call)
  return answerPrompt(machine, about, budget)
}

/** A fork has received everything that its parent received. */
function inherit(machine: Machine, { host, session, parent = session }: HookCall): void {
  const { claims } = readState(readSession(machine, host.agent, parent))
  const lines = claims.map(({ parts }) => formatClaim({ by: claimant(), parts })).join('')
  if (lines !== '') claimLine(machine, host.agent, session, lines)
}

/** The core takes up to two thirds, as at the start of a session; what the task needs comes behind it. */
async function answerWithCore(machine: Machine, call: HookCall, budget = DEFAULT_TOKENS): Promise<string> {
  const { host, session } = call
  const { coreParts } = await import('./start-parts.ts')
  const project = openProject(machine)
  const knowledge = readKnowledge(machine, { projectRoot: project }, true)
  const sizeOf = measureIn(host.replyLimit.counts)
  const room = Math.min(host.replyLimit.characters, host.replyLimit.tokens * 4)
  const core = coreParts(machine, knowledge, Math.floor((room * 2) / 3), sizeOf)
  for (const problem of core.problems) logLine(machine, `${host.agent} ${call.event}`, problem)
  const by = claimant()
  const parts = core.parts.map(({ part }) => part)
  const line = formatClaim({ by, parts })
  const won = parts.length === 0 ? [] : wonBy(readState(claimLine(machine, host.agent, session, line)), by)
  const given = core.parts.filter(({ part }) => won?.some(({ sum }) => sum === part.sum))
  const entries = given.flatMap(({ part, text }) => {
    if (part.form !== 'text') return []
    const what = { id: part.id, kind: 'payload' as const, trigger: 'subagent', mode: 'eager' as const }
    return [{ ...what, tokens: estimateTokens(text), version: part.sum }]
  })
  const steps = (['planned', 'delivered'] as const).map((stage) => ({ stage, entries }))
  if (entries.length > 0) recordTask(machine, { task: 'subagent', project, steps })
  const text = renderParts(given)
  return text + (await answerPrompt(machine, call, Math.min(budget, Math.floor((room - sizeOf(text)) / 4))))
}
