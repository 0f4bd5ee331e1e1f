import { setOwn } from '../../text/values.ts'
import {
  budgetOf,
  entriesOf,
  INDEX_VERSION,
  isUsable,
  type LoadoutEntry,
  type LoadoutIndex,
  type Priority,
} from './loadout-index.ts'

/** The layer stack, in order: later wins. */
const LAYER_NAMES = ['global', 'org', 'project', 'session'] as const

export type LayerName = (typeof LAYER_NAMES)[number]

/** A place where an index was looked for. */
export interface SearchedLayer {
  name: string
  path: string
  found: boolean
  /** Why an existing file could not be used. */
  problem?: string
}

/** A layer that is in use. */
export interface DiscoveredLayer {
  name: string
  path: string
  index: LoadoutIndex
}

/** One layer's version of an entry. */
export interface EntryDefinition {
  layer: string
  summary: string
  priority: Priority
  tokens: number
  keywords: string[]
  path: string
}

export interface EntryExplanation {
  id: string
  /** The layer whose definition is in effect. */
  finalLayer: string
  definitions: EntryDefinition[]
  overrideChain: string[]
  isConflict: boolean
}

/** Where an entry is defined and which definition is in effect, or null if no layer has it. */
export function explainEntry(id: string, layers: readonly DiscoveredLayer[]): EntryExplanation | null {
  const definitions: EntryDefinition[] = []
  for (const { name, index } of layers) {
    const entry = entriesOf(index).findLast((candidate) => candidate?.id === id)
    if (entry === undefined) continue
    const { summary, priority, tokens_est: tokens, keywords, path } = entry
    definitions.push({ layer: name, summary, priority, tokens, keywords, path })
  }
  const winner = definitions.at(-1)
  if (winner === undefined) return null
  return {
    id,
    finalLayer: winner.layer,
    definitions,
    overrideChain: definitions.map(({ layer }) => layer),
    isConflict: definitions.length > 1,
  }
}

export interface LayeredIndex {
  name: string
  index: LoadoutIndex
}

export interface MergeConflict {
  entryId: string
  /** Every layer that defines the entry, in order; the last one is in effect. */
  layers: string[]
  resolution: 'override' | 'error'
}

export interface MergedIndex extends LoadoutIndex {
  /** Entry id → the layer whose definition is in effect. */
  provenance: Record<string, string>
  conflicts: MergeConflict[]
}

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
  // When any layer last changed: the same layers give the same bytes at any time.
  let generated = '1970-01-01T00:00:00.000Z'
  for (const { index } of layers) if (index?.generated > generated) generated = index.generated
  const merged: MergedIndex = {
    version: INDEX_VERSION,
    generated,
    entries: list,
    budget: budgetOf(list),
    provenance,
    conflicts,
  }
  const lazyLoad = layers.findLast(({ index }) => index?.lazyLoad !== undefined)?.index.lazyLoad
  if (lazyLoad !== undefined) merged.lazyLoad = lazyLoad
  return merged
}
