import type { LoadoutEntry } from './entry.ts'
import { type Budget, tokensOf } from './loadout-index.ts'

/** What a set of entries costs: always, at most, and on average per domain entry. */
export function budgetOf(entries: readonly LoadoutEntry[], observed: number | null = null): Budget {
  let always = 0
  let onDemand = 0
  let domainEntries = 0
  for (const entry of entries) {
    if (entry.priority === 'core') always += tokensOf(entry)
    else onDemand += tokensOf(entry)
    if (entry.priority === 'domain') domainEntries++
  }
  return {
    always_loaded_est: always,
    on_demand_total_est: onDemand,
    avg_task_load_est: domainEntries > 0 ? Math.round(onDemand / domainEntries) : 0,
    avg_task_load_observed: observed,
  }
}
