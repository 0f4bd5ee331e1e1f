import { approvalsPath } from '../../machine/approvals.ts'
import { type CacheKey, jsonCodec, openCached, readCached, signatureOf, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { layerPlaces } from '../../payloads/layers.ts'
import type { RankDocument } from '../../search/document.ts'
import { createRanker, openSavedRanker, type Ranker } from '../../search/ranker.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'

/** An entry that a prompt may be about. */
export interface CatalogItem {
  kind: EntryKind
  id: string
  /** Its family of entries; empty without one. */
  family: string
  /** For a pack or skill: the whole line for an agent. */
  line?: string
  /** For a payload: its position in the table of its index. */
  position?: number
}

/** The prompts of a session are compared with it. Each document stores its item. */
export type HookCatalog = Ranker

/** The item stored in a document. */
export function keptItem(kept: unknown): CatalogItem {
  return kept as CatalogItem
}

/** A pack that may be read, so that prompts are compared with its sections too. */
export interface ReadablePack {
  name: string
  description: string
  /** Where its sections are cached after they were ranked. */
  sections: CacheKey
}

/** The ranker's id of an item. */
function catalogId({ kind, id }: Pick<CatalogItem, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}

/**
 * Stores the catalog that later prompts are compared with. It is valid while the indexes and the approvals are
 * unchanged; other changes count from the next start of a session.
 */
export function storeCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  entries: readonly { item: CatalogItem; document: RankDocument }[],
  packs: readonly ReadablePack[],
): HookCatalog {
  const key = keyOf(machine, project, agent)
  const catalog = createRanker(entries.map(({ item, document }) => ({ ...document, id: catalogId(item), kept: item })))
  writeCached(machine, key, catalog.save())
  writeCached(machine, packsKey(key), PACKS.encode([...packs]) ?? new Uint8Array())
  return catalog
}

/**
 * Undefined before the first session, or after a change of an index. A prompt reads only what it needs; damage found
 * then is a DamagedForm.
 */
export function readCatalog(machine: Machine, project: Project, agent: string): HookCatalog | undefined {
  const opened = openCached(machine, keyOf(machine, project, agent))
  return (opened && openSavedRanker(opened.read, opened.size)) ?? undefined
}

/** The packs whose sections a prompt may be about. */
export function readReadablePacks(machine: Machine, project: Project, agent: string): ReadablePack[] {
  return readCached(machine, packsKey(keyOf(machine, project, agent)), PACKS.decode) ?? []
}

function packsKey(key: CacheKey): CacheKey {
  return { ...key, kind: 'hook-packs', version: 1 }
}

const PACKS = jsonCodec((json): json is ReadablePack[] => Array.isArray(json))

function keyOf(machine: Machine, project: Project, agent: string): CacheKey {
  const indexes = layerPlaces(machine, { projectRoot: project }).map(({ path }) => path)
  const { state, isSettled } = signatureOf([...indexes, approvalsPath(machine)], machine.now())
  return { kind: 'hook-catalogs', version: 6, name: [agent, project.root], state, isSettled }
}
