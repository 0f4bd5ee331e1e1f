import type { UsageEvent } from './usage-event.ts'

/** A line of a log of another program: a delivery. */
export const event = (entryId: string, changes: Partial<UsageEvent> = {}): UsageEvent => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  taskHash: 't1',
  entryId,
  trigger: 'ci',
  mode: 'lazy',
  tokensEst: 100,
  ...changes,
})
