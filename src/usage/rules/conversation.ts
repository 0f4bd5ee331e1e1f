import { addCost, type Cost, noCost } from '../../text/cost.ts'
import { compareText, isRecord } from '../../text/values.ts'
import type { EntryCost } from './cost.ts'
import { viaOf } from './timeline.ts'
import { type EntryKind, kindOf, type LoadMode, type Stage, stageOf, type UsageEvent } from './usage-event.ts'

/** A conversation of an agent, as recorded in the log. */
export interface Conversation {
  via: string
  session: string
  /** The words of its first task, if they are kept. */
  title?: string
  /** The folder of its project, if a kept task names it. */
  project?: string
  /** Of a subagent: the conversation that started it. */
  parent?: string
  model?: string
  first: string
  last: string
  planned: number
  delivered: number
  used: number
  /** Tokens that were delivered and used. */
  tokens: number
}

interface ConversationStep {
  at: string
  stage: Stage
  kind: EntryKind
  entry: string
  trigger: string
  mode: LoadMode
  tokens: number
  /** The layer of a rule. */
  layer?: string
}

/** What happened at one moment: the start of a session, a prompt, the use of a skill. */
export interface ConversationTurn {
  at: string
  /** The words of its task, if they are kept. */
  task?: string
  /** What was delivered and used, then what a plan only named, each once. */
  steps: ConversationStep[]
  /** How many entries lists named to the model. */
  listed: number
  cost: Cost
}

export interface ConversationView extends Conversation {
  turns: ConversationTurn[]
  /** The number of turns that are not shown. */
  more: number
  /** Entries that a plan named and the conversation never received. */
  leftOut: { kind: EntryKind; entry: string; times: number }[]
  cost: Cost
  /** The conversations that it started: its subagents. */
  branches: Conversation[]
}

const LONGEST_TITLE = 200

/** The newest first. */
export class ConversationTally {
  private readonly rows = new Map<string, Conversation>()

  add(event: UsageEvent): void {
    const { session } = event
    if (session === undefined || session === '') return
    // A list was read, and nothing else happened.
    if (event.entryId === '' && event.task === undefined) return
    const via = viaOf(event)
    const key = JSON.stringify([via, session])
    const { timestamp } = event
    const row = this.rows.get(key) ?? {
      via,
      session,
      first: timestamp,
      last: timestamp,
      planned: 0,
      delivered: 0,
      used: 0,
      tokens: 0,
    }
    this.rows.set(key, row)
    if (row.title === undefined && typeof event.task === 'string') row.title = event.task.slice(0, LONGEST_TITLE)
    const { project } = (event.asked ?? {}) as { project?: unknown }
    if (typeof project === 'string') row.project ??= project
    if (typeof event.parent === 'string') row.parent ??= event.parent
    if (typeof event.model === 'string') row.model = event.model
    if (timestamp < row.first) row.first = timestamp
    if (timestamp > row.last) row.last = timestamp
    if (event.entryId === '') return
    const stage = stageOf(event)
    row[stage]++
    if (stage !== 'planned') row.tokens += event.tokensEst
  }

  conversations(): Conversation[] {
    return [...this.rows.values()].sort(
      (a, b) => compareText(b.last, a.last) || compareText(a.via, b.via) || compareText(a.session, b.session),
    )
  }
}

/** What happened in one conversation, in the order of the log: events of one task are one turn. */
export function viewConversation(
  events: readonly { event: UsageEvent; costs: readonly EntryCost[] }[],
  mostTurns: number,
): Pick<ConversationView, 'turns' | 'more' | 'leftOut' | 'cost'> {
  const turns = new Map<string, ConversationTurn>()
  const given = new Set<string>()
  const cost = noCost()
  for (const { event, costs } of events) {
    const { timestamp: at, taskHash, task, entryId: entry, trigger, mode, tokensEst: tokens, sourceLayer } = event
    const turn = turns.get(taskHash) ?? { at, steps: [], listed: 0, cost: noCost() }
    turns.set(taskHash, turn)
    if (typeof task === 'string') turn.task ??= task
    turn.listed += isRecord(event.listed) ? Object.keys(event.listed).length : 0
    for (const each of costs) {
      addCost(turn.cost, each.cost)
      addCost(cost, each.cost)
    }
    if (entry === '') continue
    const stage = stageOf(event)
    if (stage !== 'planned') given.add(keyOf(event))
    turn.steps.push({ at, stage, kind: kindOf(event), entry, trigger, mode, tokens, layer: sourceLayer })
  }
  for (const turn of turns.values()) turn.steps = furthest(turn.steps)
  const leftOut = new Map<string, ConversationView['leftOut'][number]>()
  for (const { event } of events) {
    if (event.entryId === '' || given.has(keyOf(event))) continue
    const known = leftOut.get(keyOf(event)) ?? { kind: kindOf(event), entry: event.entryId, times: 0 }
    leftOut.set(keyOf(event), { ...known, times: known.times + 1 })
  }
  const all = [...turns.values()]
  const shown = all.slice(-mostTurns)
  return { turns: shown, more: all.length - shown.length, leftOut: [...leftOut.values()], cost }
}

/** Each entry once, with the last stage that it reached. */
function furthest(steps: readonly ConversationStep[]): ConversationStep[] {
  const isPlanned = ({ stage }: ConversationStep) => stage === 'planned'
  const reached = new Set(steps.filter((step) => !isPlanned(step)).map(({ kind, entry }) => `${kind} ${entry}`))
  const only = steps.filter((step) => isPlanned(step) && !reached.has(`${step.kind} ${step.entry}`))
  return [...steps.filter((step) => !isPlanned(step)), ...only]
}

function keyOf(event: UsageEvent): string {
  return `${kindOf(event)} ${event.entryId}`
}
