import { DistinctCounter } from './distinct-counter.ts'
import { isEvent, isLoad, type UsageEvent } from './usage-event.ts'

export interface UsageSummary {
  entryId: string
  loadCount: number
  totalTokens: number
  lastLoaded: string
  triggers: string[]
  modes: Set<string>
}

/** Per entry, the most loaded first. What was only planned is no load. */
export function summarizeUsage(events: readonly UsageEvent[]): UsageSummary[] {
  const tally = new UsageTally()
  for (const event of events) if (isEvent(event)) tally.add(event)
  return tally.summaries()
}

/** Sums up the loads of a log event by event, so that its size does not matter. */
export class UsageTally {
  private tokens = 0
  private readonly tasks = new DistinctCounter()
  private readonly entries = new Map<string, Omit<UsageSummary, 'triggers'> & { triggers: Set<string> }>()

  add(event: UsageEvent): void {
    if (!isLoad(event)) return
    // What somebody asked for by name says nothing about what tasks need.
    if (event.mode !== 'manual') {
      this.tokens += event.tokensEst
      this.tasks.add(event.taskHash)
    }
    let entry = this.entries.get(event.entryId)
    if (entry === undefined) {
      const { entryId, timestamp } = event
      entry = { entryId, loadCount: 0, totalTokens: 0, lastLoaded: timestamp, triggers: new Set(), modes: new Set() }
      this.entries.set(entryId, entry)
    }
    entry.loadCount++
    entry.totalTokens += event.tokensEst
    if (event.timestamp > entry.lastLoaded) entry.lastLoaded = event.timestamp
    entry.triggers.add(event.trigger)
    entry.modes.add(event.mode)
  }

  summaries(): UsageSummary[] {
    const summaries = [...this.entries.values()].map((entry) => ({ ...entry, triggers: [...entry.triggers] }))
    return summaries.sort((a, b) => b.loadCount - a.loadCount)
  }

  taskCount(): number {
    return this.tasks.count
  }

  /** Tokens per task: comparable with the estimate of an index. Null when nothing was measured. */
  averagePerTask(): number | null {
    return this.tasks.count > 0 ? Math.round(this.tokens / this.tasks.count) : null
  }
}
