import type { Machine } from '../machine/machine.ts'
import { openRanking } from '../machine/ranking.ts'
import type { RankHit } from '../search/document.ts'
import type { Task } from '../search/task.ts'
import type { OpenedCatalog } from './catalog.ts'
import { cardSegments, type KeptPack } from './pack-source.ts'
import { admit } from './rules/gates/admission.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import { isKnownType, PACK_TYPES } from './rules/pack.ts'
import { LIKELY_PACK, type LikelyPack, likelyPacks } from './rules/resolve/choose-packs.ts'
import type { SectionHit } from './rules/resolve/section-documents.ts'
import { isReadable, openSections, type PackSections } from './sections.ts'

/** What a task finds in the packs of a machine. */
export interface FoundPacks {
  sections: PackSections
  hits: SectionHit[]
  /** How well the descriptions match, by the name of the pack. */
  described: Map<string, RankHit>
  /** Best first. */
  open: LikelyPack<TrustedPack>[]
  /** Packs that cannot be used, by their description. They replace no other pack. */
  closed: LikelyPack<TrustedPack>[]
}

/** Ranks the sections and descriptions of these packs together. */
export function findPacks(
  machine: Machine,
  packs: readonly TrustedPack[],
  examples: OpenedCatalog['examples'],
  task: Task,
): FoundPacks {
  const known = packs.filter(({ manifest, scope }) => {
    // The built-in pack is about Loadout itself: only tasks that mention Loadout can choose it.
    return isKnownType(manifest.type, PACK_TYPES) && (scope !== 'built-in' || ABOUT_LOADOUT.test(task.text))
  })
  const cards = openRanking(machine, Object.values(cardSegments(packs, examples)))
  const described = new Map(cards.rank(task, { limit: packs.length }).map((hit) => [(hit.kept as KeptPack).name, hit]))
  const sections = openSections(machine, known.filter(isReadable))
  const hits = sections.rank(task)
  const among = (some: readonly TrustedPack[], found: readonly SectionHit[]) =>
    likelyPacks(some, task.words, found, described, sections.wordsOf)
  const open = among(
    known.filter((pack) => !isClosed(pack)),
    hits,
  )
  const closed = among(known.filter(isClosed), [])
  return { sections, hits, described, open, closed: closed.filter((each) => isWorthNaming(each, open[0])) }
}

const ABOUT_LOADOUT = /\bloadout\b|\bKNOWLEDGE\.md\b|\bSKILL\.md\b|\bskill\.json\b|\bknowledge packs?\b/i

/** Whether a task cannot use the pack, even with the user's confirmation. */
function isClosed(pack: TrustedPack): boolean {
  return admit(pack, { isExplicit: false, isConfirmed: true }).verdict !== 'admitted'
}

const LEAST = 0.1

/** A closed pack is named if its description fits well, or better than what can be read. */
function isWorthNaming({ confidence }: LikelyPack<TrustedPack>, best: LikelyPack<TrustedPack> | undefined): boolean {
  return confidence >= LIKELY_PACK || (confidence >= LEAST && confidence >= (best?.confidence ?? 0))
}

/** How a pack matches a task among all packs of the catalog. */
export function explainChoice(
  machine: Machine,
  { catalog, examples }: OpenedCatalog,
  pack: TrustedPack,
  task: Task,
): Partial<LikelyPack<TrustedPack>> & { described: RankHit | undefined } {
  const others = catalog.entries.map((each) => each.pack).filter(({ manifest }) => manifest.name !== pack.manifest.name)
  const { open, closed, described, hits } = findPacks(machine, [...others, pack], examples, task)
  const section = hits.find(({ root }) => root === pack.root)
  const chosen = [...open, ...closed].find((each) => each.pack === pack)
  return { ...chosen, ...(section && { section }), described: described.get(pack.manifest.name) }
}
