import type { CallableSkill } from '../../agents/disk/sight/found-skills.ts'
import { type CacheKey, readCached, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { openCatalog } from '../../packs/catalog.ts'
import { admit } from '../../packs/rules/gates/admission.ts'
import { isKnownType } from '../../packs/rules/pack.ts'
import { PACK_TYPES } from '../../packs/rules/vocabulary.ts'
import { EVERYDAY_WORDS } from '../../search/everyday-words.ts'
import { STOP_WORDS } from '../../search/stop-words.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'
import { type IndexItem, indexLine, packItem } from '../rules/index-line.ts'
import { type CatalogIndex, compileCatalog, findInCatalog } from '../rules/session/catalog-match.ts'
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

/** A pack that a session may hear of. */
export interface OfferedPack {
  name: string
  description: string
  /** Whether it may be used; else a person has to approve it first. */
  isOpen: boolean
}

/** Packs of this machine but for our own, which is about Loadout and not about anybody's work. */
export function offeredPacks(machine: Machine, project: Project): OfferedPack[] {
  const { catalog } = openCatalog(machine, { project })
  return catalog.entries.flatMap(({ pack }) => {
    const { verdict } = admit(pack, { isExplicit: false, isConfirmed: false })
    const { name, description, type } = pack.manifest
    const isOffered = verdict === 'admitted' || verdict === 'approval-needed'
    if (!isOffered || pack.scope === 'built-in' || !isKnownType(type, PACK_TYPES)) return []
    return [{ name, description, isOpen: verdict === 'admitted' }]
  })
}

export function packPointer(pack: OfferedPack): CatalogItem {
  const item = packItem(pack)
  const shown: IndexItem = pack.isOpen
    ? item
    : { ...item, when: ['a person has to approve it first'], where: `loadout packs show ${pack.name}` }
  return { kind: 'pack', id: pack.name, line: indexLine({ ...shown, id: `pack ${pack.name}` }) }
}

export function skillPointer({ name, description, file }: CallableSkill): CatalogItem {
  const item: IndexItem = {
    id: `skill ${name}`,
    kind: 'skill',
    summary: description,
    when: [],
    where: file,
    rank: 0,
    reach: 0,
  }
  return { kind: 'skill', id: name, line: indexLine(item) }
}

/** Words that are in any prompt. */
const DULL = [...STOP_WORDS, ...EVERYDAY_WORDS]

export function writeCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  packs: readonly OfferedPack[],
  skills: readonly CallableSkill[],
): void {
  const items = [...packs.map(packPointer), ...skills.map(skillPointer)]
  storeCatalog(machine, project, agent, compileCatalog([...packs, ...skills], DULL), items)
}
