import { Conversations, nameOf } from './conversations.ts'
import type { UsageSummary } from './summary.ts'
import { type EntryKind, isEvent, kindOf, type Stage, stageOf, type UsageEvent } from './usage-event.ts'

/** How far one entry came, how often, and what follows from it. The fields of a summary count what was loaded. */
export interface EntryUsage extends UsageSummary {
  kind: EntryKind
  planned: number
  delivered: number
  used: number
  /** Of anything at all. */
  lastSeen: string
  /**
   * Conversations that only named it: no text of it was given there, so an agent that wanted it had to ask. Counted
   * where asking can be seen: the same way out has reported a use of something at least once.
   */
  offered: number
  /** Offered often, and never asked for. A text that was given needs no asking, so it says nothing here. */
  isNeverUsed: boolean
  /** Conversations that asked for it although none of their plans before had named it. */
  usedUnplanned: number
}

/** Fewer say nothing: an agent that knew enough does not ask. */
export const LEAST_OFFERS = 5

/** Per entry, the most loaded first, then the most planned. */
export function summarizeEntries(events: readonly UsageEvent[]): EntryUsage[] {
  const tally = new EntryTally()
  for (const event of events) if (isEvent(event)) tally.add(event)
  return tally.entries()
}

interface Row extends Omit<EntryUsage, 'triggers' | 'offered' | 'isNeverUsed' | 'usedUnplanned'> {
  triggers: Set<string>
}

/** Sums up a log event by event, so that its size does not matter. */
export class EntryTally {
  private readonly rows = new Map<string, Row>()
  private readonly conversations = new Conversations()
  private readonly waysWithUse = new Set<string>()

  add(event: UsageEvent): void {
    this.conversations.add(event)
    if (event.entryId === '') return
    const stage = stageOf(event)
    const name = nameOf(event)
    let row = this.rows.get(name)
    if (row === undefined) {
      row = emptyRow(event)
      this.rows.set(name, row)
    }
    count(row, event, stage)
    if (stage === 'used') this.waysWithUse.add(String(event.via))
  }

  entries(): EntryUsage[] {
    const entries = [...this.rows].map(([name, { triggers, ...row }]): EntryUsage => {
      const { offers, usedUnplanned } = this.conversations.about(name)
      const offered = [...offers].reduce((sum, [via, times]) => sum + (this.waysWithUse.has(via) ? times : 0), 0)
      const isNeverUsed = row.used === 0 && offered >= LEAST_OFFERS
      return { ...row, triggers: [...triggers], offered, isNeverUsed, usedUnplanned }
    })
    return entries.sort((a, b) => b.loadCount - a.loadCount || b.planned - a.planned)
  }
}

function emptyRow(event: UsageEvent): Row {
  return {
    entryId: event.entryId,
    kind: kindOf(event),
    loadCount: 0,
    totalTokens: 0,
    lastLoaded: '',
    triggers: new Set(),
    modes: new Set(),
    planned: 0,
    delivered: 0,
    used: 0,
    lastSeen: event.timestamp,
  }
}

function count(row: Row, event: UsageEvent, stage: Stage): void {
  row[stage]++
  if (event.timestamp > row.lastSeen) row.lastSeen = event.timestamp
  if (stage === 'planned') return
  row.loadCount++
  row.totalTokens += event.tokensEst
  if (event.timestamp > row.lastLoaded) row.lastLoaded = event.timestamp
  row.triggers.add(event.trigger)
  row.modes.add(event.mode)
}
