import { DEFAULT_TRIGGERS, type LoadoutEntry, type LoadoutIndex } from './loadout-index.ts'

/** A well-formed entry for tests, with what a test cares about replaced. */
export function entryOf(changes: Partial<LoadoutEntry> = {}): LoadoutEntry {
  return {
    id: 'entry',
    path: 'entry.md',
    keywords: ['keyword'],
    patterns: [],
    priority: 'domain',
    summary: 'An entry.',
    triggers: { ...DEFAULT_TRIGGERS },
    tokens_est: 10,
    lines: 3,
    ...changes,
  }
}

/** An index of anything, as a file could hold it. */
export function indexOf(entries: unknown[], changes: Partial<LoadoutIndex> = {}): LoadoutIndex {
  return {
    version: '1.0.0',
    generated: '2026-01-01T00:00:00.000Z',
    entries: entries as LoadoutEntry[],
    budget: { always_loaded_est: 0, on_demand_total_est: 0, avg_task_load_est: 0, avg_task_load_observed: null },
    ...changes,
  }
}
