import type { Priority } from '../../domain/routing/entry.ts'
import type { MergeConflict, SearchedLayer } from '../../domain/routing/layers.ts'
import type { Budget } from '../../domain/routing/loadout-index.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { getOwn } from '../../domain/shared/record.ts'
import type { Layers } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { resolveLayers } from './knowledge.ts'

export interface Resolution {
  layers: SearchedLayer[]
  entries: { id: string; priority: Priority; tokens: number; source: string }[]
  conflicts: MergeConflict[]
  budget: Budget
}

/** Which layers were found and what they come to together. */
export function resolveAll(machine: Machine, layers: Layers): Report<Resolution> {
  const { merged, searched, findings } = resolveLayers(machine, layers)
  const entries = merged.entries.map(({ id, priority, tokens_est: tokens }) => ({
    id,
    priority,
    tokens,
    source: getOwn(merged.provenance, id) ?? '',
  }))
  return { value: { layers: searched, entries, conflicts: merged.conflicts, budget: merged.budget }, findings }
}
