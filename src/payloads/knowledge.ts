import { signatureOf } from '../machine/cache.ts'
import { Kept } from '../machine/kept.ts'
import type { Machine } from '../machine/machine.ts'
import { type Finding, failWith } from '../text/trouble.ts'
import { getOwn } from '../text/values.ts'
import { type Discovery, type LayerPlace, type Layers, layerPlaces, readLayers } from './layers.ts'
import { createTable, type DispatchTable } from './rules/dispatch-table.ts'
import { type MergeConflict, type MergedIndex, mergeIndexes } from './rules/layers.ts'
import type { Budget, LoadoutEntry } from './rules/loadout-index.ts'

/** All entries of the layers, ready for queries. */
export interface Knowledge {
  table: DispatchTable
  places: LayerPlace[]
  /** The layer that supplies an entry. */
  layerOf(entry: LoadoutEntry): string
  /** The folder its payload's path starts from. */
  rootOf(entry: LoadoutEntry): string
  /** Entry id → layer, for all entries. */
  provenance: Record<string, string>
  layerNames: string[]
  budget: Budget
  conflicts: MergeConflict[]
  findings: Finding[]
  lazyLoad: boolean
  manualCount: number
}

export interface Resolved extends Discovery {
  merged: MergedIndex
  places: LayerPlace[]
}

/** Reads and merges the layers. */
export function resolveLayers(machine: Machine, options: Layers | undefined, largest?: number): Resolved {
  return mergePlaces(layerPlaces(machine, options), largest)
}

function mergePlaces(places: LayerPlace[], largest?: number): Resolved {
  const discovery = readLayers(places, largest)
  return { ...discovery, merged: mergeIndexes(discovery.layers), places }
}

const kept = new Kept<Knowledge>(8)

/** The entries of the layers; a process reads unchanged files once. */
export function openKnowledge(machine: Machine, options: Layers | undefined): Knowledge {
  const places = layerPlaces(machine, options)
  const signature = signatureOf(
    places.map(({ path }) => path),
    machine.now(),
  )
  const key = JSON.stringify([signature.name, signature.state])
  const known = kept.get(key)
  if (known !== undefined) return known
  const knowledge = readPlaces(places)
  if (signature.isSettled) kept.set(key, knowledge)
  return knowledge
}

/**
 * The largest index that a hook reads: 20,000 entries, or half a second of processor time. The user waits for a hook at
 * every prompt, and the index may come from a stranger's project.
 */
export const LARGEST_IN_A_HOOK = 8 * 1024 * 1024

export function readKnowledge(machine: Machine, options: Layers | undefined, isHook = false): Knowledge {
  return knowledgeOf(resolveLayers(machine, options, isHook ? LARGEST_IN_A_HOOK : undefined))
}

/** Layers that exist but could not be used. */
export function brokenLayers({ findings }: Pick<Knowledge, 'findings'>): Finding[] {
  return findings.filter(({ code }) => code === 'LAYER_MALFORMED' || code === 'LAYER_UNREADABLE')
}

/** The knowledge of layers in other places. */
export function readPlaces(places: LayerPlace[]): Knowledge {
  return knowledgeOf(mergePlaces(places))
}

export function knowledgeOf({ merged, layers, findings, places }: Resolved): Knowledge {
  const { entries, budget, conflicts, provenance } = merged
  const layerOf = (entry: LoadoutEntry) => getOwn(provenance, entry.id) ?? ''
  return {
    table: createTable(entries),
    places,
    layerNames: layers.map(({ name }) => name),
    budget,
    conflicts,
    findings,
    lazyLoad: merged.lazyLoad ?? false,
    manualCount: entries.filter(({ priority }) => priority === 'manual').length,
    layerOf,
    rootOf: (entry) => {
      const place = places.find(({ name }) => name === layerOf(entry))
      if (place === undefined) throw failWith('ENTRY_NOT_FOUND/layers', { id: entry.id })
      return place.root
    },
    provenance,
  }
}
