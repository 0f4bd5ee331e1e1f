import { setOwn } from '../shared/record.ts'
import { budgetOf } from './budget.ts'
import type { LoadoutEntry } from './entry.ts'
import { entriesOf, INDEX_VERSION, isUsable, type LoadoutIndex } from './loadout-index.ts'

export interface LayeredIndex {
  name: string
  index: LoadoutIndex
}

export interface MergeConflict {
  entryId: string
  /** Every layer that defines the entry, in order; the last one counts. */
  layers: string[]
  resolution: 'override' | 'error'
}

export interface MergedIndex extends LoadoutIndex {
  /** Entry id → the layer whose definition counts. */
  provenance: Record<string, string>
  conflicts: MergeConflict[]
}

const NEVER = '1970-01-01T00:00:00.000Z'

/** Later layers win. A replaced entry keeps the place of its first definition. */
export function mergeIndexes(layers: readonly LayeredIndex[]): MergedIndex {
  const entries = new Map<string, LoadoutEntry>()
  const definedIn = new Map<string, string[]>()
  for (const { name, index } of layers) {
    for (const entry of entriesOf(index).filter(isUsable)) {
      entries.set(entry.id, entry)
      const names = definedIn.get(entry.id)
      if (names === undefined) definedIn.set(entry.id, [name])
      else names.push(name)
    }
  }
  const provenance: Record<string, string> = {}
  const conflicts: MergeConflict[] = []
  for (const [entryId, names] of definedIn) {
    setOwn(provenance, entryId, names.at(-1) ?? '')
    if (names.length > 1) conflicts.push({ entryId, layers: names, resolution: 'override' })
  }
  const list = [...entries.values()]
  const merged: MergedIndex = {
    version: INDEX_VERSION,
    generated: latest(layers),
    entries: list,
    budget: budgetOf(list),
    provenance,
    conflicts,
  }
  const lazyLoad = layers.findLast(({ index }) => index?.lazyLoad !== undefined)?.index.lazyLoad
  if (lazyLoad !== undefined) merged.lazyLoad = lazyLoad
  return merged
}

/** When any layer last changed: the same layers give the same bytes, whenever they are merged. */
function latest(layers: readonly LayeredIndex[]): string {
  return layers.reduce((last, { index }) => (index?.generated > last ? index.generated : last), NEVER)
}
