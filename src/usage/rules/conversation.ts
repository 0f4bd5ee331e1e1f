import { compareText } from '../../text/values.ts'
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
}

export interface ConversationView extends Conversation {
  steps: ConversationStep[]
  /** The number of events that are not listed. */
  more: number
  /** Entries that a plan named and the conversation never received. */
  leftOut: { kind: EntryKind; entry: string; times: number }[]
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

/** What happened in one conversation, in the order of the log. */
export function viewConversation(
  events: readonly UsageEvent[],
  mostSteps: number,
): Omit<ConversationView, keyof Conversation> {
  const about = events.filter(({ entryId }) => entryId !== '')
  const given = new Set(about.filter((event) => stageOf(event) !== 'planned').map(keyOf))
  const leftOut = new Map<string, ConversationView['leftOut'][number]>()
  for (const event of about) {
    if (given.has(keyOf(event))) continue
    const known = leftOut.get(keyOf(event)) ?? { kind: kindOf(event), entry: event.entryId, times: 0 }
    leftOut.set(keyOf(event), { ...known, times: known.times + 1 })
  }
  const steps = about.slice(0, mostSteps).map((event): ConversationStep => {
    const { timestamp: at, entryId: entry, trigger, mode, tokensEst: tokens } = event
    return { at, stage: stageOf(event), kind: kindOf(event), entry, trigger, mode, tokens }
  })
  return { steps, more: about.length - steps.length, leftOut: [...leftOut.values()] }
}

function keyOf(event: UsageEvent): string {
  return `${kindOf(event)} ${event.entryId}`
}
