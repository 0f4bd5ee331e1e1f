import { type CacheKey, readCached, signatureOf, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { layerPlaces } from '../../payloads/layers.ts'
import type { RankDocument } from '../../search/document.ts'
import { createRanker, loadRanker, type Ranker } from '../../search/ranker.ts'
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

/** What the prompts of a session are compared with. */
export interface HookCatalog {
  ranker: Ranker
  /** The entry behind a hit of the ranker; asked for only when there is one. */
  itemOf(id: string): CatalogItem | undefined
}

/** The ranker's id of an item. */
export function catalogId({ kind, id }: Pick<CatalogItem, 'kind' | 'id'>): string {
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
  documents: readonly RankDocument[],
  items: readonly CatalogItem[],
): HookCatalog {
  const ranker = createRanker(documents)
  const text = Buffer.from(JSON.stringify(items))
  const room = Buffer.alloc(4 * Math.ceil(text.length / 4), ' ')
  text.copy(room)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(room.length)
  writeCached(machine, keyOf(machine, project, agent), Buffer.concat([length, room, ranker.save()]))
  return { ranker, itemOf: finder(() => items) }
}

/** Undefined where no session has started yet, or an index has changed since. */
export function readCatalog(machine: Machine, project: Project, agent: string): HookCatalog | undefined {
  return readCached(machine, keyOf(machine, project, agent), (bytes) => {
    const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const ranker = loadRanker(bytes.subarray(end))
    if (ranker === null) return undefined
    // Our own file, written above; the cache has checked its key, version and sum.
    const readItems = () => JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as CatalogItem[]
    return { ranker, itemOf: finder(readItems) }
  })
}

function finder(readItems: () => readonly CatalogItem[]): HookCatalog['itemOf'] {
  let byId: Map<string, CatalogItem> | undefined
  return (id) => {
    byId ??= new Map(readItems().map((item) => [catalogId(item), item]))
    return byId.get(id)
  }
}

function keyOf(machine: Machine, project: Project, agent: string): CacheKey {
  const indexes = layerPlaces(machine, { projectRoot: project }).map(({ path }) => path)
  const { state, isSettled } = signatureOf(indexes, machine.now())
  return { kind: 'hook-catalogs', version: 4, name: [agent, project.root], state, isSettled }
}
