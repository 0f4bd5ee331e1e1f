import { formatInstant, parseInstant } from '../../text/instant.ts'
import { failWith } from '../../text/trouble.ts'
import { hashText } from '../../text/values.ts'
import { isEvent, isLoad, type UsageEvent } from './usage-event.ts'

export interface UsageSummary {
  entryId: string
  loadCount: number
  totalTokens: number
  lastLoaded: string
  triggers: string[]
  modes: Set<string>
}

/** Per entry, the most loaded first. A plan alone does not count as a load. */
export function summarizeUsage(events: readonly UsageEvent[]): UsageSummary[] {
  const tally = new UsageTally()
  for (const event of events) if (isEvent(event)) tally.add(event)
  return tally.summaries()
}

/** Summarises the loads of a log event by event, so that its size does not matter. */
export class UsageTally {
  private tokens = 0
  private readonly tasks = new DistinctCounter()
  private readonly entries = new Map<string, Omit<UsageSummary, 'triggers'> & { triggers: Set<string> }>()

  add(event: UsageEvent): void {
    if (!isLoad(event)) return
    // A manual request by name shows nothing about what tasks need.
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

const OTHER_SEED = 0x01234567
/**
 * Counts distinct texts in bounded memory: a log may have more tasks than fit into memory. Exact up to a million.
 * Beyond, keeps only every second, fourth, eighth … fingerprint and scales the count, which is accurate to a fraction
 * of a per cent and independent of the order.
 */
export class DistinctCounter {
  private kept = 0
  private slots = new Uint32Array(2 * 1024)
  private readonly mostKept: number
  /** A fingerprint is kept if these bits of it are zero. */
  private skipMask = 0

  constructor(mostKept = 2 ** 20) {
    this.mostKept = mostKept
  }

  get count(): number {
    return this.kept * (this.skipMask + 1)
  }

  add(text: string): void {
    this.insert(hashText(text), hashText(text, OTHER_SEED))
    if (this.kept > this.mostKept) {
      this.skipMask = this.skipMask * 2 + 1
      this.rebuild(this.slots.length)
    } else if (this.kept * 5 > this.slots.length * 2) this.rebuild(this.slots.length * 2)
  }

  private insert(a: number, b: number): void {
    if ((a & this.skipMask) !== 0) return
    const mask = this.slots.length / 2 - 1
    // Zero marks a free slot, so a fingerprint of zero is stored as one.
    const stored = b === 0 ? 1 : b
    for (let slot = (a ^ b) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * 2
      if (this.slots[at + 1] === 0) {
        this.slots[at] = a
        this.slots[at + 1] = stored
        this.kept++
        return
      }
      if (this.slots[at] === a && this.slots[at + 1] === stored) return
    }
  }

  private rebuild(length: number): void {
    const before = this.slots
    this.slots = new Uint32Array(length)
    this.kept = 0
    for (let at = 0; at < before.length; at += 2) if (before[at + 1] !== 0) this.insert(before[at]!, before[at + 1]!)
  }
}

const HOUR = 3_600_000
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR }

/** The start time for `30d`, `12h`, `2w` or a date, in the format of the log. */
export function parseSince(text: string, now: Date): string {
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const instant = count === undefined ? parseInstant(text) : now.getTime() - Number(count) * UNITS[unit]!
  if (instant !== undefined) return formatInstant(instant)
  throw failWith('USAGE/since', { text })
}
