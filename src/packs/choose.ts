import type { Machine } from '../machine/machine.ts'
import type { Why } from '../search/document.ts'
import { readTaskWords } from '../search/task-words.ts'
import { type OpenedCatalog, taughtPack } from './catalog.ts'
import { type SectionsOf, sectionsOnce } from './disk/section-cache.ts'
import { admit } from './rules/gates/admission.ts'
import { createSelector } from './rules/gates/catalog.ts'
import { opensTier, type TrustedPack } from './rules/gates/trust.ts'
import { isKnownType, PACK_TYPES } from './rules/pack.ts'
import { likelyPacks, matchSections, type SectionMatch } from './rules/resolve/section-match.ts'

interface ChosenPack {
  pack: TrustedPack
  /** 0 to 1. */
  confidence: number
}

export interface PackChooser {
  /** The packs that a task is about, best first. */
  choose(task: string): ChosenPack[]
  explain(task: string, pack: TrustedPack): PackReason
}

interface PackReason {
  isChosen: boolean
  confidence: number
  /** Matching words of its description. */
  why: readonly Why[]
  /** The section about the task, if the pack may be read. */
  section?: SectionMatch['section']
}

/** Chooses packs by descriptions and examples, and by the text of sections where a pack may be read. */
export function createChooser(
  packs: readonly TrustedPack[],
  examples: OpenedCatalog['examples'],
  sectionsOf: SectionsOf,
): PackChooser {
  const byName = new Map(packs.map((pack) => [pack.manifest.name, pack]))
  const others = packs.filter(({ scope }) => scope !== 'built-in')
  const open = (those: readonly TrustedPack[]) => {
    return { those, selector: once(() => createSelector(those, (pack) => taughtPack(examples, pack))) }
  }
  const [withoutOwn, all] = [once(() => open(others)), once(() => open(packs))]
  // The built-in pack is about Loadout itself: only tasks that mention Loadout can choose it.
  const openFor = (task: string) => (ABOUT_LOADOUT.test(task) ? all() : withoutOwn())
  const matchOf = (task: string) => {
    const words = readTaskWords(task)
    return (pack: TrustedPack): SectionMatch | undefined => {
      if (!isReadable(pack)) return undefined
      const { name, description } = pack.manifest
      return matchSections(sectionsOf(pack), task, words, `${name} ${description}`)
    }
  }
  const choose = (task: string): ChosenPack[] => {
    const { those, selector } = openFor(task)
    if (those.length === 0) return []
    const described = new Map(
      selector()
        .select(task)
        .map(({ id, confidence }) => [byName.get(id), confidence]),
    )
    const match = matchOf(task)
    const judged = those.map((pack) => ({ pack, described: described.get(pack) ?? 0, match: match(pack) }))
    return likelyPacks(judged)
  }
  return {
    choose,
    explain: (task, pack) => {
      const { confidence, why } = openFor(task).selector().explain(task, pack.manifest.name)
      const found = choose(task).find((each) => each.pack === pack)
      const match = matchOf(task)(pack)
      const section = match?.isAbout ? match.section : undefined
      return {
        isChosen: found !== undefined,
        confidence: found?.confidence ?? confidence,
        why,
        ...(section && { section }),
      }
    },
  }
}

/** Whether the text of a pack may be searched. Never for personas; packs of an unknown type must be named. */
export function isReadable(pack: TrustedPack): boolean {
  const { mode, type } = pack.manifest
  if (mode === 'persona' || !isKnownType(type, PACK_TYPES) || !opensTier(pack.trust, 'context')) return false
  return admit(pack, { isExplicit: false, isConfirmed: true }).verdict === 'admitted'
}

const ABOUT_LOADOUT = /\bloadout\b|\bKNOWLEDGE\.md\b|\bSKILL\.md\b|\bskill\.json\b|\bknowledge packs?\b/i

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Chooses among the packs of the catalog. */
export function catalogChooser(machine: Machine, { catalog, examples }: OpenedCatalog): PackChooser {
  return createChooser(
    catalog.entries.map(({ pack }) => pack),
    examples,
    sectionsOnce(machine),
  )
}
