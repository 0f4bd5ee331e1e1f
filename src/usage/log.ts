import { appendEvents, scanEvents } from './disk/usage-log.ts'
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

/** Visits the events of a log in order, without keeping them; or only those in its last bytes. Counts the other lines. */
export function visitUsage(
  filePath: string,
  visit: (event: UsageEvent) => void,
  newestBytes?: number,
): { junkLines: number } {
  return scanEvents(filePath, visit, newestBytes)
}
