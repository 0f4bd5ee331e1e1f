import type { Machine } from '../machine/machine.ts'
import { failWith } from '../text/trouble.ts'
import { scanEvents } from './disk/usage-log.ts'
import { type Conversation, ConversationTally, type ConversationView, viewConversation } from './rules/conversation.ts'
import { CostMeter, type EntryCost } from './rules/cost.ts'
import { EntryTally, type EntryUsage } from './rules/entry-usage.ts'
import { parseSince } from './rules/summary.ts'
import { isAbout, STEPS, type Timeline, TimelineTally, type TimeStep } from './rules/timeline.ts'
import { ENTRY_KINDS, type UsageEvent } from './rules/usage-event.ts'
import { junkFinding, openLog, readPrices } from './usage.ts'

export interface LookBackRequest {
  log?: string
  /** `30d`, `12h`, `2w` or a date; default: 30 days. */
  since?: string
  until?: string
  step?: string
  agent?: string
  kind?: string
  entry?: string
}

export interface UsageOverTime extends Timeline {
  entries: EntryUsage[]
}

/** What was planned, delivered and used over time, by agent and by entry. */
export function usageOverTime(machine: Machine, request: LookBackRequest): UsageOverTime {
  const from = parseSince(request.since ?? '30d', machine.now())
  const to = request.until === undefined ? machine.now().toISOString() : parseSince(request.until, machine.now())
  const step = oneOf(request.step, STEPS, 'step') ?? stepFor(from, to)
  const kind = oneOf(request.kind, ENTRY_KINDS, 'kind')
  const { agent, entry } = request
  if (from >= to) throw failWith('USAGE/range')
  const about = { from, to, step, agent, kind, entry }
  const tally = new TimelineTally(about)
  const entries = new EntryTally()
  const meter = new CostMeter(readPrices(machine))
  const findings = visit(machine, request, (event) => {
    const costs = meter.read(event)
    if (event.timestamp < from || event.timestamp > to) return
    const wanted = costs.filter(({ kind, id }) => isAbout(about, { via: event.via, kind, entryId: id }))
    tally.add(event, wanted)
    entries.charge(wanted)
    if (isAbout(about, event)) entries.add(event)
  })
  machine.report(...findings)
  return { ...tally.timeline(), entries: entries.entries() }
}

/** A step that gives a chart some dozens of points. */
function stepFor(from: string, to: string): TimeStep {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
  return days <= 3 ? 'hour' : days <= 120 ? 'day' : 'week'
}

function oneOf<T extends string>(text: string | undefined, known: readonly T[], name: string): T | undefined {
  if (text === undefined || text === '') return undefined
  const found = known.find((each) => each === text)
  if (found !== undefined) return found
  throw failWith('USAGE/choice', { name, text: text.slice(0, 40), known: known.join(', ') })
}

export interface Conversations {
  conversations: Conversation[]
  /** How many there are in all. */
  total: number
}

/** The conversations in the log, the newest first. */
export function listConversations(
  machine: Machine,
  request: Pick<LookBackRequest, 'log' | 'since' | 'agent'>,
): Conversations {
  const since = request.since === undefined ? '' : parseSince(request.since, machine.now())
  const tally = new ConversationTally()
  const findings = visit(machine, request, (event) => {
    if (event.timestamp >= since && isAbout({ agent: request.agent }, event)) tally.add(event)
  })
  const all = tally.conversations()
  machine.report(...findings)
  return { conversations: all.slice(0, 500), total: all.length }
}

/** What one conversation received, when and why, what a plan named without delivering it, and its subagents. */
export function showConversation(
  machine: Machine,
  request: { log?: string; via: string; session: string },
): ConversationView {
  const { via, session } = request
  const tally = new ConversationTally()
  const branches = new ConversationTally()
  const events: { event: UsageEvent; costs: EntryCost[] }[] = []
  const meter = new CostMeter(readPrices(machine))
  const findings = visit(machine, request, (event) => {
    const costs = meter.read(event)
    if (!isAbout({ agent: via }, event)) return
    if (event.parent === session) branches.add(event)
    if (event.session !== session) return
    tally.add(event)
    events.push({ event, costs })
  })
  const [found] = tally.conversations()
  if (found === undefined) {
    throw failWith('ENTRY_NOT_FOUND/conversation')
  }
  machine.report(...findings)
  return { ...found, ...viewConversation(events, 500), branches: branches.conversations().reverse() }
}

function visit(machine: Machine, { log }: { log?: string }, add: (event: UsageEvent) => void) {
  const path = openLog(machine, log)
  const { junkLines } = scanEvents(path, add)
  return junkLines > 0 ? [junkFinding(junkLines, path)] : []
}
