import { appendEvents, logSize, markBefore, scanEvents, scanFrom } from './disk/usage-log.ts'
import type { UsageEvent } from './rules/usage-event.ts'

/** Appends an event to a log, creating its folder. */
export function recordUsage(event: UsageEvent, filePath: string): void {
  appendEvents([event], filePath)
}

/** The events of a log. Lines that are not events are skipped. */
export function readUsage(filePath: string): UsageEvent[] {
  const events: UsageEvent[] = []
  scanEvents(filePath, (event) => events.push(event))
  return events
}

/**
 * Visits the events of a log in order, without storing them; or only those in its last bytes. Counts the other lines.
 */
export function visitUsage(
  filePath: string,
  visit: (event: UsageEvent) => void,
  newestBytes?: number,
): { junkLines: number } {
  return scanEvents(filePath, visit, newestBytes)
}

/** Visits the events after a byte offset, each with the offset of its end, until the visitor returns false. */
export function visitFrom(filePath: string, offset: number, visit: (event: UsageEvent, end: number) => boolean): void {
  scanFrom(filePath, offset, visit)
}

/** Identifies a log up to an offset, to detect that it was replaced. */
export function markAt(filePath: string, offset: number): string {
  return markBefore(filePath, offset)
}

/** Where the log ends now. */
export function endOfLog(filePath: string): number {
  return logSize(filePath) ?? 0
}
