import { addCost, type Cost, noCost, tokensOfCost } from '../../text/cost.ts'
import { CostMeter, type EntryCost } from './cost.ts'
import type { UsageSummary } from './summary.ts'
import { type EntryKind, isEvent, kindOf, type Stage, stageOf, type UsageEvent } from './usage-event.ts'

/** How often one entry reached each stage, and what follows from it. The fields of a summary count loads. */
export interface EntryUsage extends UsageSummary {
  kind: EntryKind
  planned: number
  delivered: number
  used: number
  /** What it cost agents. `totalTokens` has only what was opened and delivered. */
  cost: Cost
  /** The last event of any kind; empty if lists only named it. */
  lastSeen: string
  /**
   * Conversations in which only its name was offered, so that an agent had to ask for the text. Counted only for
   * channels that have reported a use of anything at least once.
   */
  offered: number
  /** Offered often, and never requested. A delivered text need not be requested, so it does not count here. */
  isNeverUsed: boolean
  /** Conversations that requested it although none of their earlier plans named it. */
  usedUnplanned: number
}

/** Fewer prove nothing: an agent may already know enough. */
export const LEAST_OFFERS = 5

/** Per entry, the most loaded first, then the most planned, then the most expensive. */
export function summarizeEntries(events: readonly UsageEvent[]): EntryUsage[] {
  const tally = new EntryTally()
  const meter = new CostMeter(undefined)
  for (const event of events.filter(isEvent)) {
    tally.charge(meter.read(event))
    tally.add(event)
  }
  return tally.entries()
}

interface UsageSum extends Omit<EntryUsage, 'triggers' | 'offered' | 'isNeverUsed' | 'usedUnplanned'> {
  triggers: Set<string>
}

/** Summarises a log event by event, so that its size does not matter. */
export class EntryTally {
  private readonly rows = new Map<string, UsageSum>()
  private readonly conversations = new Conversations()
  private readonly waysWithUse = new Set<string>()

  add(event: UsageEvent): void {
    this.conversations.add(event)
    if (event.entryId === '') return
    const stage = stageOf(event)
    count(this.rowOf(kindOf(event), event.entryId), event, stage)
    if (stage === 'used') this.waysWithUse.add(String(event.via))
  }

  /** Adds what an event cost. */
  charge(costs: readonly EntryCost[]): void {
    for (const { kind, id, cost } of costs) addCost(this.rowOf(kind, id).cost, cost)
  }

  private rowOf(kind: EntryKind, entryId: string): UsageSum {
    const name = usageKey({ kind, entryId })
    const row = this.rows.get(name) ?? emptyRow(kind, entryId)
    this.rows.set(name, row)
    return row
  }

  entries(): EntryUsage[] {
    const entries = [...this.rows].map(([name, { triggers, ...row }]): EntryUsage => {
      const { offers, usedUnplanned } = this.conversations.about(name)
      const offered = [...offers].reduce((sum, [via, times]) => sum + (this.waysWithUse.has(via) ? times : 0), 0)
      const isNeverUsed = row.used === 0 && offered >= LEAST_OFFERS
      return { ...row, triggers: [...triggers], offered, isNeverUsed, usedUnplanned }
    })
    const tokens = ({ cost }: EntryUsage) => tokensOfCost(cost)
    return entries.sort((a, b) => b.loadCount - a.loadCount || b.planned - a.planned || tokens(b) - tokens(a))
  }
}

function emptyRow(kind: EntryKind, entryId: string): UsageSum {
  return {
    entryId,
    kind,
    loadCount: 0,
    totalTokens: 0,
    lastLoaded: '',
    triggers: new Set(),
    modes: new Set(),
    planned: 0,
    delivered: 0,
    used: 0,
    cost: noCost(),
    lastSeen: '',
  }
}

function count(row: UsageSum, event: UsageEvent, stage: Stage): void {
  row[stage]++
  if (event.timestamp > row.lastSeen) row.lastSeen = event.timestamp
  if (stage === 'planned') return
  row.loadCount++
  row.totalTokens += event.tokensEst
  if (event.timestamp > row.lastLoaded) row.lastLoaded = event.timestamp
  row.triggers.add(event.trigger)
  row.modes.add(event.mode)
}

/** A payload, a pack and a skill may have the same id. */
function usageKey(event: Pick<UsageEvent, 'entryId' | 'kind'>): string {
  return `${kindOf(event)} ${event.entryId}`
}

/** What conversations show about one entry. */
export interface EntryTrace {
  /** By channel, the conversations that named it but delivered no text. */
  offers: Map<string, number>
  usedUnplanned: number
}

/** By entry: the channel that named it, or true once its text was delivered. */
type Conversation = Map<string, string | true>

/** Follows conversations in the order of a log, in bounded memory. Ignores events without a conversation. */
export class Conversations {
  private readonly open = new Map<string, Conversation>()
  private readonly traces = new Map<string, EntryTrace>()
  private readonly mostKept: number

  constructor(mostKept = 4096) {
    this.mostKept = mostKept
  }

  about(name: string): EntryTrace {
    return this.traces.get(name) ?? { offers: new Map(), usedUnplanned: 0 }
  }

  add(event: UsageEvent): void {
    if (typeof event.session !== 'string') return
    const conversation = this.continue(event.session)
    const name = usageKey(event)
    const known = conversation.get(name)
    const stage = stageOf(event)
    if (stage === 'planned') {
      if (known === undefined) {
        conversation.set(name, String(event.via))
        this.countOffer(name, String(event.via), 1)
      }
    } else {
      if (stage === 'used' && known === undefined) this.traceOf(name).usedUnplanned++
      if (stage === 'delivered' && typeof known === 'string') this.countOffer(name, known, -1)
      conversation.set(name, true)
    }
  }

  private continue(session: string): Conversation {
    const conversation = this.open.get(session) ?? new Map()
    this.open.delete(session)
    this.open.set(session, conversation)
    if (this.open.size > this.mostKept) {
      for (const oldest of this.open.keys()) {
        this.open.delete(oldest)
        break
      }
    }
    return conversation
  }

  private countOffer(name: string, via: string, by: number): void {
    const { offers } = this.traceOf(name)
    offers.set(via, (offers.get(via) ?? 0) + by)
  }

  private traceOf(name: string): EntryTrace {
    let trace = this.traces.get(name)
    if (trace === undefined) {
      trace = { offers: new Map(), usedUnplanned: 0 }
      this.traces.set(name, trace)
    }
    return trace
  }
}
