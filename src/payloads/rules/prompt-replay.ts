import type { Strategy } from '../../search/strategy.ts'
import type { PastTask } from './past-task.ts'

/** The entries that a task newly chooses, and those that it no longer chooses. */
export interface RoutingChange {
  gained: string[]
  lost: string[]
  kept: string[]
}

/** Both in their order: the best first. */
export function compareChoices(before: readonly string[], now: readonly string[]): RoutingChange {
  const [had, has] = [new Set(before), new Set(now)]
  return {
    gained: now.filter((id) => !had.has(id)),
    lost: before.filter((id) => !has.has(id)),
    kept: now.filter((id) => had.has(id)),
  }
}

export interface ChangedTask extends RoutingChange {
  task: string
  timestamp: string
  strategy: Strategy
}

/** In how many tasks an entry is newly chosen, and in how many no longer. */
export interface ChangedEntry {
  id: string
  gained: number
  lost: number
}

/** Summarises tasks that were routed again. Keeps the newest of those that differ. */
export class ReplayTally {
  tasks = 0
  differing = 0
  private readonly limit: number
  private readonly newest: ChangedTask[] = []
  private readonly entries = new Map<string, ChangedEntry>()

  constructor(limit: number) {
    this.limit = limit
  }

  /** In the order of the log. */
  add({ words: task, timestamp, chosen }: PastTask, now: readonly string[], strategy: Strategy): void {
    this.tasks++
    const change = compareChoices(chosen, now)
    if (change.gained.length === 0 && change.lost.length === 0) return
    this.differing++
    for (const id of change.gained) this.entry(id).gained++
    for (const id of change.lost) this.entry(id).lost++
    this.newest.push({ task, timestamp, strategy, ...change })
    if (this.newest.length > this.limit) this.newest.shift()
  }

  changes(): ChangedTask[] {
    return [...this.newest].reverse()
  }

  /** The most changed first. */
  changedEntries(): ChangedEntry[] {
    const order = (a: ChangedEntry, b: ChangedEntry) =>
      b.gained + b.lost - (a.gained + a.lost) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
    return [...this.entries.values()].sort(order)
  }

  private entry(id: string): ChangedEntry {
    let entry = this.entries.get(id)
    if (entry === undefined) {
      entry = { id, gained: 0, lost: 0 }
      this.entries.set(id, entry)
    }
    return entry
  }
}
