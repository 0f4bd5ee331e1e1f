import type { LoadoutEntry, Priority } from './entry.ts'
import { entriesOf, type LoadoutIndex } from './loadout-index.ts'

/** The layer stack, in order: later wins. */
export const LAYER_NAMES = ['global', 'org', 'project', 'session'] as const

export type LayerName = (typeof LAYER_NAMES)[number]

/** A place where an index was looked for. */
export interface SearchedLayer {
  name: string
  path: string
  found: boolean
  /** Why a file that is there could not be used. */
  problem?: string
}

/** A layer that takes part. */
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
  /** The layer whose definition counts. */
  finalLayer: string
  definitions: EntryDefinition[]
  overrideChain: string[]
  isConflict: boolean
}

/** Where an entry is defined and which definition counts, or null if no layer has it. */
export function explainEntry(id: string, layers: readonly DiscoveredLayer[]): EntryExplanation | null {
  const definitions: EntryDefinition[] = []
  for (const { name, index } of layers) {
    const entry = entriesOf(index).findLast((candidate) => candidate?.id === id)
    if (entry !== undefined) definitions.push(define(entry, name))
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

function define(entry: LoadoutEntry, layer: string): EntryDefinition {
  const { summary, priority, tokens_est: tokens, keywords, path } = entry
  return { layer, summary, priority, tokens, keywords, path }
}
