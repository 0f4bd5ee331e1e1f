import type { EntryKind } from '../../domain/usage/usage-event.ts'
import { readCached, writeCached } from '../../infra/byte-cache.ts'
import { findProjectFolder } from '../../infra/context/project-folder.ts'
import type { Machine } from '../../infra/machine.ts'

/** A pack or a skill that a prompt may be pointed to. */
export interface CatalogItem {
  kind: EntryKind
  id: string
  /** The whole line that an agent reads. */
  line: string
}

/** What the start of a session found, so that no prompt has to look for it: the items, and a ranker over them. */
export interface HookCatalog {
  items: CatalogItem[]
  ranker: Uint8Array
}

const FORMAT = 1

/** Undefined when no session has started here yet, or nothing was found. */
export function readCatalog(machine: Machine, agent: string): HookCatalog | undefined {
  const bytes = readCached(machine, 'hook-catalogs', keyOf(machine, agent))
  if (bytes === undefined || bytes.length < 4) return undefined
  const length = new DataView(bytes.buffer).getUint32(0, true)
  // Our own file, written below and checked by its key; the ranker checks itself.
  const items = JSON.parse(new TextDecoder().decode(bytes.subarray(4 + length))) as CatalogItem[]
  return items.length === 0 ? undefined : { items, ranker: bytes.subarray(4, 4 + length) }
}

export function storeCatalog(machine: Machine, agent: string, { items, ranker }: HookCatalog): void {
  const json = new TextEncoder().encode(JSON.stringify(items))
  const bytes = new Uint8Array(4 + ranker.length + json.length)
  new DataView(bytes.buffer).setUint32(0, ranker.length, true)
  bytes.set(ranker, 4)
  bytes.set(json, 4 + ranker.length)
  writeCached(machine, 'hook-catalogs', keyOf(machine, agent), bytes)
}

function keyOf(machine: Machine, agent: string) {
  const paths = [agent, findProjectFolder(machine, undefined)]
  return { paths, key: JSON.stringify([FORMAT, ...paths]), bytes: 0, isSettled: true }
}
