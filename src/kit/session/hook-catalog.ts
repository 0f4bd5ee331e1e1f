import { type CacheKey, readCached, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'
import { type CatalogIndex, findInCatalog } from '../rules/session/catalog-match.ts'
import { digestOf, type GivenPart } from '../rules/session/session-text.ts'

/** A pack or a skill that a prompt may be pointed to. */
export interface CatalogItem {
  kind: EntryKind
  id: string
  /** The whole line that an agent reads. */
  line: string
}

/** Leaves behind what the prompts to come are compared with, so that none of them has to look for it. */
export function storeCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  index: CatalogIndex,
  items: readonly CatalogItem[],
): void {
  const text = `${JSON.stringify(index)}\n${JSON.stringify(items)}`
  writeCached(machine, keyOf(project, agent), new TextEncoder().encode(text))
}

/** Packs and skills that a prompt is about; none where no session has started yet. */
export function pointersFor(machine: Machine, project: Project, agent: string, prompt: string): GivenPart[] {
  const stored = readCached(machine, keyOf(project, agent), (bytes) => new TextDecoder().decode(bytes))
  if (stored === undefined) return []
  // Our own file, written above; the cache has checked its key, version and sum.
  const [index = '', items = ''] = stored.split('\n')
  const places = findInCatalog(JSON.parse(index) as CatalogIndex, prompt)
  if (places.length === 0) return []
  const known = JSON.parse(items) as CatalogItem[]
  return places.flatMap((place) => {
    const { kind, id, line } = known[place]!
    return { part: { form: 'pointer', kind, id, sum: digestOf(line) }, text: line }
  })
}

function keyOf({ root }: Project, agent: string): CacheKey {
  return { kind: 'hook-catalogs', version: 3, name: [agent, root] }
}
