import { type CacheKey, openCached, signatureOf, writeCached } from '../../machine/cache.ts'
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
  /** Entries that belong together; empty when it belongs to none. */
  family: string
  /** Of a pack or skill: the whole line that an agent reads. */
  line?: string
  /** Of a payload: its place in the table of its index. */
  position?: number
}

/** What the prompts of a session are compared with: its documents keep the item they stand for. */
export type HookCatalog = Ranker

/** The item that a document kept. */
export function keptItem(kept: unknown): CatalogItem {
  return kept as CatalogItem
}

/** The ranker's id of an item. */
function catalogId({ kind, id }: Pick<CatalogItem, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}

/**
 * Leaves behind what the prompts to come are compared with, so that none of them has to look for it. It holds while the
 * indexes stay as they are; other changes count from the next start of a session.
 */
export function storeCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  entries: readonly { item: CatalogItem; document: RankDocument }[],
): HookCatalog {
  const catalog = createRanker(entries.map(({ item, document }) => ({ ...document, id: catalogId(item), kept: item })))
  writeCached(machine, keyOf(machine, project, agent), catalog.save())
  return catalog
}

/**
 * Undefined where no session has started yet, or an index has changed since. A prompt reads what it needs; what is found
 * damaged then is a DamagedForm.
 */
export function readCatalog(machine: Machine, project: Project, agent: string): HookCatalog | undefined {
  const opened = openCached(machine, keyOf(machine, project, agent))
  return (opened && openSavedRanker(opened.read, opened.size)) ?? undefined
}

function keyOf(machine: Machine, project: Project, agent: string): CacheKey {
  const indexes = layerPlaces(machine, { projectRoot: project }).map(({ path }) => path)
  const { state, isSettled } = signatureOf(indexes, machine.now())
  return { kind: 'hook-catalogs', version: 5, name: [agent, project.root], state, isSettled }
}
