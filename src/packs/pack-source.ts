import { join } from 'node:path'
import type { Examples } from '../examples/examples.ts'
import { stampAt } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { type KeptStamp, openRanking, type Segment, type Source } from '../machine/ranking.ts'
import type { RankHit } from '../search/document.ts'
import type { Task } from '../search/task.ts'
import { quickDigest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { Packs, taughtPack } from './catalog.ts'
import { openPackText } from './read.ts'
import { type Admission, admit, type TrustedPack, type TrustState } from './rules/gates/trust.ts'
import { isKnownType, PACK_FILE, PACK_TYPES, type PackStatus, type Scope } from './rules/pack.ts'
import { LIKELY_PACK, type LikelyPack, likelyPacks } from './rules/resolve/choose.ts'
import type { SectionHit } from './rules/resolve/sections.ts'
import { isReadable, SectionIndexes } from './sections.ts'
import type { PackSections } from './stored-sections.ts'

export interface PackDetails {
  summary: string
  status: PackStatus | 'unknown'
  trust: TrustState
  /** Where it was found. */
  scope: Scope
  /** The decision of the gates when a user names it. */
  admission: Admission['verdict']
  /** The command to run next. */
  next: string
}

export interface PackSource extends Source<TrustedPack, PackDetails> {
  kind: 'pack'
  packs: Packs
}

/** The packs by name, from their metadata. Offers no denied, held back or archived pack. */
export function openPacks(machine: Machine, project: Project): PackSource {
  const packs = new Packs(machine, { project })
  const { all, examples, findings } = packs
  const offered = all.filter(isOffered)
  const find = (name: string) => all.find(({ manifest }) => manifest.name === name)
  return {
    kind: 'pack',
    packs,
    names: offered.map(({ manifest }) => manifest.name),
    segments: [cardSegments(all, examples).offered],
    describe: (name) => {
      const pack = find(name)
      if (pack === undefined) return undefined
      const { manifest, trust, scope } = pack
      const { verdict, next } = admit(pack, { isExplicit: true })
      const { description, status = 'unknown' } = manifest
      return { summary: description, status, trust: trust.state, scope, admission: verdict, next }
    },
    find,
    gate: (name) => {
      const pack = find(name)
      return pack && admit(pack, { isExplicit: true }).error?.()
    },
    read: (name, path) => openPackText(packs, find(name)!, path),
    // `packs list` reports the other findings. Unreadable approvals close packs, so they are reported here too.
    findings: findings.filter(({ code }) => code === 'BAD_APPROVALS'),
  }
}

function isOffered({ trust, manifest }: TrustedPack): boolean {
  return trust.state !== 'denied' && trust.state !== 'held' && manifest.status !== 'archived'
}

/** Stored with the document of a pack; the file is its KNOWLEDGE.md. */
export interface KeptPack extends Partial<KeptStamp> {
  kind: 'pack'
  name: string
  description: string
}

export function keptPack({ root, manifest: { name, description } }: Pick<TrustedPack, 'root' | 'manifest'>): KeptPack {
  const file = join(root, PACK_FILE)
  return { kind: 'pack', name, description, file, stamp: stampAt(file) }
}

/** Packs as their metadata describes them. */
export function cardSegments(packs: readonly TrustedPack[], examples: Examples): Record<'offered' | 'others', Segment> {
  const segmentOf = (some: readonly TrustedPack[]): Segment => {
    const files = some.map(({ root }) => join(root, PACK_FILE)).sort()
    return {
      kind: 'packs',
      isPrivate: examples.isPrivate,
      name: [quickDigest(JSON.stringify(files))],
      paths: [...files, ...examples.paths],
      readDocuments: () =>
        some.map((pack) => {
          const kept = keptPack(pack)
          return { ...taughtPack(examples, pack), id: entryId('pack', kept.name), kept }
        }),
    }
  }
  return { offered: segmentOf(packs.filter(isOffered)), others: segmentOf(packs.filter((pack) => !isOffered(pack))) }
}

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
export function findPacks({ machine, examples }: Packs, packs: readonly TrustedPack[], task: Task): FoundPacks {
  const known = packs.filter(({ manifest, scope }) => {
    // The built-in pack is about Loadout itself: only tasks that mention Loadout can choose it.
    return isKnownType(manifest.type, PACK_TYPES) && (scope !== 'built-in' || ABOUT_LOADOUT.test(task.text))
  })
  const cards = openRanking(machine, Object.values(cardSegments(packs, examples)))
  const described = new Map(cards.rank(task, { limit: packs.length }).map((hit) => [(hit.kept as KeptPack).name, hit]))
  const sections = new SectionIndexes(machine).open(known.filter(isReadable))
  const hits = sections.rank(task)
  const isClosed = (pack: TrustedPack) => admit(pack, { isConfirmed: true }).verdict !== 'admitted'
  const among = (areClosed: boolean, found: readonly SectionHit[]) => {
    const some = known.filter((pack) => isClosed(pack) === areClosed)
    return likelyPacks(some, task.words, found, described, sections.wordsOf)
  }
  const open = among(false, hits)
  // A closed pack is named if its description fits well, or better than what can be read.
  const least = Math.min(LIKELY_PACK, Math.max(LEAST, open[0]?.confidence ?? 0))
  return { sections, hits, described, open, closed: among(true, []).filter(({ confidence }) => confidence >= least) }
}

const ABOUT_LOADOUT = /\bloadout\b|\bKNOWLEDGE\.md\b|\bSKILL\.md\b|\bskill\.json\b|\bknowledge packs?\b/i

const LEAST = 0.1

/** How a pack matches a task among all packs of the catalog. */
export function explainChoice(
  packs: Packs,
  pack: TrustedPack,
  task: Task,
): Partial<LikelyPack<TrustedPack>> & { described: RankHit | undefined } {
  const others = packs.all.filter(({ manifest }) => manifest.name !== pack.manifest.name)
  const { open, closed, described, hits } = findPacks(packs, [...others, pack], task)
  const section = hits.find(({ root }) => root === pack.root)
  const chosen = [...open, ...closed].find((each) => each.pack === pack)
  return { ...chosen, section: section ?? chosen?.section, described: described.get(pack.manifest.name) }
}
