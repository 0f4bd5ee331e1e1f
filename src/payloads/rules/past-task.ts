import { STRATEGIES, type Strategy } from '../../search/strategy.ts'
import { isRecord } from '../../text/values.ts'
import { kindOf, stageOf, type UsageEvent } from '../../usage/rules/usage-event.ts'
import { PHASES, type Phase } from './loadout-index.ts'

/** The options of a plan: what is needed, besides the words of the task, to plan again. */
export interface PlanTerms {
  /** The folder whose project layer was used. */
  project?: string
  /** Default: by keywords. */
  strategy?: Strategy
  phase?: Phase
  budget?: number
  /** Maximum number of matched entries. */
  most?: number
  /** Without the entries that are always loaded: the conversation already has them. */
  withoutCore?: true
}

/** A task whose words are in a log, and the payloads of its plan at that time. */
export interface PastTask {
  timestamp: string
  words: string
  /** Undefined in a log without plan options. */
  asked: PlanTerms | undefined
  chosen: string[]
}

/** Assembles tasks from the events of a log, one at a time: events of one task follow each other. */
export class PastTaskReader {
  private readonly give: (task: PastTask) => void
  private hash = ''
  private task: PastTask | undefined
  private delivered: string[] = []
  private hasPlan = false

  constructor(give: (task: PastTask) => void) {
    this.give = give
  }

  add(event: UsageEvent): void {
    if (event.taskHash !== this.hash) this.end()
    this.hash = event.taskHash
    if (typeof event.task === 'string' && this.task === undefined) {
      const { timestamp, task: words } = event
      this.task = { timestamp, words, asked: readTerms(event.asked), chosen: [] }
    }
    if (this.task === undefined || kindOf(event) !== 'payload') return
    const stage = stageOf(event)
    if (stage === 'planned') this.hasPlan = true
    if (event.entryId === '' || stage === 'used') return
    const list = stage === 'planned' ? this.task.chosen : this.delivered
    list.push(event.entryId)
  }

  /**
   * Call it after the last event. Deliveries without a plan count as chosen; events that routed nothing do not form a
   * task.
   */
  end(): void {
    const { task, delivered, hasPlan } = this
    this.task = undefined
    this.delivered = []
    this.hasPlan = false
    if (task === undefined) return
    if (hasPlan) this.give(task)
    else if (delivered.length > 0) this.give({ ...task, chosen: delivered })
  }
}

/** From an untrusted file. */
function readTerms(json: unknown): PlanTerms | undefined {
  if (!isRecord(json)) return undefined
  const { project, budget, most, withoutCore } = json
  const strategy = STRATEGIES.find((known) => known === json.strategy)
  const phase = PHASES.find((known) => known === json.phase)
  return {
    project: typeof project === 'string' ? project : undefined,
    strategy,
    phase,
    budget: typeof budget === 'number' && budget >= 0 ? budget : undefined,
    most: typeof most === 'number' && most >= 0 ? most : undefined,
    withoutCore: withoutCore === true ? withoutCore : undefined,
  }
}
