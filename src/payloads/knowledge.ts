import { openCached, type Signature, signatureOf, writeCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { getOwn, setOwn } from '../text/values.ts'
import { type Discovery, type LayerPlace, type Layers, layerPlaces, readLayers } from './layers.ts'
import {
  allEntries,
  type CompiledTable,
  compileTable,
  createTable,
  type DispatchTable,
} from './rules/dispatch-table.ts'
import { type MergeConflict, type MergedIndex, mergeIndexes } from './rules/layers.ts'
import type { Budget, LoadoutEntry } from './rules/loadout-index.ts'
import { openTable, readHead, saveTable } from './rules/saved-table.ts'

/** All entries of the layers, ready for queries. */
export interface Knowledge extends KnowledgeFacts {
  table: DispatchTable
  places: LayerPlace[]
  /** The layer that supplies an entry. */
  layerOf(entry: LoadoutEntry): string
  /** The folder its payload's path starts from. */
  rootOf(entry: LoadoutEntry): string
  /** Entry id → layer, for all entries. */
  provenance(): Record<string, string>
}

/** Facts about the layers as a whole, small enough to store beside a compiled table. */
interface KnowledgeFacts {
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

const remembered = new Map<string, Knowledge>()
const MOST_REMEMBERED = 8

/** The entries of the layers; a process reads unchanged files once. */
export function openKnowledge(machine: Machine, options: Layers | undefined): Knowledge {
  const places = layerPlaces(machine, options)
  const signature = signatureOf(pathsOf(places), machine.now())
  const known = remembered.get(memoryKey(signature))
  if (known !== undefined) return known
  const knowledge = readKnowledge(machine, options)
  if (signature.isSettled) {
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    remembered.set(memoryKey(signature), knowledge)
  }
  return knowledge
}

function memoryKey({ name, state }: Signature): string {
  return JSON.stringify([name, state])
}

// Below this, reading the indexes is as fast as reading a stored table. With it, a prompt's hook over 10,000 entries
// takes 1.34 times as long as bare Node (npm run bench hook, Node 20).
const WORTH_STORING = 128 * 1024

/**
 * The largest index that a hook reads: 20,000 entries, or half a second of processor time. The user waits for a hook at
 * every prompt, and the index may come from a stranger's project.
 */
export const LARGEST_IN_A_HOOK = 8 * 1024 * 1024

/**
 * The knowledge of the layers for a process with one question: it compiles a large index, and the next process only
 * opens the result. A hook runs at every prompt, so it compiles any index, unless that is too large to read.
 */
export function openStoredKnowledge(machine: Machine, options: Layers | undefined, isHook = false): Knowledge {
  const places = layerPlaces(machine, options)
  const signature = storedSignature(machine, places, isHook)
  if (signature.bytes < (isHook ? 1 : WORTH_STORING)) return readKnowledge(machine, options, isHook)
  let renewed: Knowledge | undefined
  const renew = () => (renewed ??= storeKnowledge(machine, signature, readKnowledge(machine, options, isHook)))
  return loadKnowledge(machine, signature, places, renew) ?? renew()
}

/** A hook that skips a layer has its own table. */
function storedSignature(machine: Machine, places: readonly LayerPlace[], isHook: boolean): Signature {
  const signature = signatureOf(pathsOf(places), machine.now())
  if (!isHook || signature.bytes <= LARGEST_IN_A_HOOK) return signature
  return { ...signature, name: [...signature.name, 'hook'] }
}

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
  return {
    table: createTable(entries),
    places,
    layerNames: layers.map(({ name }) => name),
    budget,
    conflicts,
    findings,
    lazyLoad: merged.lazyLoad ?? false,
    manualCount: entries.filter(({ priority }) => priority === 'manual').length,
    ...locationsIn(places, (entry) => getOwn(provenance, entry.id) ?? ''),
    provenance: () => provenance,
  }
}

/** The note stored beside a table. */
interface Note {
  facts: KnowledgeFacts
  /** For each position, the index of its layer in `layerNames`; empty when there is only one. */
  layerAt: number[]
}

function storeKnowledge(machine: Machine, signature: Signature, knowledge: Knowledge): Knowledge {
  const { table, layerNames, budget, conflicts, findings, lazyLoad, manualCount } = knowledge
  const facts: KnowledgeFacts = { layerNames, budget, conflicts, findings, lazyLoad, manualCount }
  const entries = allEntries(table)
  const layerAt = layerNames.length > 1 ? entries.map((entry) => layerNames.indexOf(knowledge.layerOf(entry))) : []
  const saved = saveTable(compileTable(entries), { facts, layerAt } satisfies Note)
  writeCached(machine, tableKey(signature), Buffer.concat(saved))
  return knowledge
}

function tableKey(signature: Signature) {
  return { ...signature, kind: 'tables', version: 2 }
}

function loadKnowledge(
  machine: Machine,
  signature: Signature,
  places: LayerPlace[],
  renew: () => Knowledge,
): Knowledge | undefined {
  // A damaged entry is found when a task matches it: the layers themselves have it at the same position.
  const stored = loadTable(machine, signature, (position) => renew().table.entryAt(position))
  if (stored === undefined) return undefined
  // Loadout wrote this file for exactly these layers, and the key was verified.
  const { facts, layerAt } = stored.note as Note
  const layers = new Map<string, string>()
  const entryAt = (position: number) => {
    const entry = stored.table.entryAt(position)
    layers.set(entry.id, facts.layerNames[layerAt[position] ?? 0] ?? '')
    return entry
  }
  return {
    ...facts,
    table: { ...stored.table, entryAt },
    places,
    ...locationsIn(places, (entry) => layers.get(entry.id) ?? ''),
    provenance: () => {
      const provenance: Record<string, string> = {}
      for (let position = 0; position < stored.table.size; position++) {
        const entry = entryAt(position)
        setOwn(provenance, entry.id, layers.get(entry.id) ?? '')
      }
      return provenance
    },
  }
}

/** The file stays open: entries are read from it while the process lives. */
function loadTable(
  machine: Machine,
  signature: Signature,
  repair: (position: number) => LoadoutEntry,
): { table: CompiledTable; note: unknown } | undefined {
  const opened = openCached(machine, tableKey(signature))
  if (opened === undefined) return undefined
  try {
    const head = readHead(opened.read)
    if (head !== undefined) return { table: openTable(head, opened.read, repair), note: head.meta }
  } catch {}
  opened.close()
  return undefined
}

function locationsIn(
  places: readonly LayerPlace[],
  layerOf: Knowledge['layerOf'],
): Pick<Knowledge, 'layerOf' | 'rootOf'> {
  const rootOf = (entry: LoadoutEntry) => {
    const place = places.find(({ name }) => name === layerOf(entry))
    if (place === undefined) throw new LoadoutError('ENTRY_NOT_FOUND', `no layer holds the entry ${entry.id}`)
    return place.root
  }
  return { layerOf, rootOf }
}

function pathsOf(places: readonly LayerPlace[]): string[] {
  return places.map(({ path }) => path)
}
