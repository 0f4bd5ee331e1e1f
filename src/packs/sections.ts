import { recordApproval } from '../machine/approvals.ts'
import { type CacheKey, stampAt, untilSettled } from '../machine/cache.ts'
import { placeOf } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { openSegment, openStored, type Segment, segmentKey } from '../machine/ranking.ts'
import type { Approval } from '../machine/rules/approval.ts'
import { joinRankers, type Ranker, termHash } from '../search/ranker.ts'
import { shareOf, type Task, type TaskWords } from '../search/task.ts'
import { termsOf } from '../search/tokens.ts'
import { relatedTo } from '../search/word-lists.ts'
import type { Finding } from '../text/trouble.ts'
import { getOwn, lowerBound, quickDigest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { Packs, pinPack } from './catalog.ts'
import { keepApproved, openPack } from './disk/pack-folder.ts'
import type { KeptPack } from './pack-source.ts'
import { admit, type TrustedPack } from './rules/gates/trust.ts'
import { PACK_FILE, type PackWarning, shownText } from './rules/pack.ts'
import { LIKELY_PACK, likelyPacks, type PackWords } from './rules/resolve/choose.ts'
import {
  DIRECTORY_PAGE,
  type FileLabels,
  type KeptSection,
  labelsOf,
  mergeAlike,
  PACK_TUNING,
  type SectionHit,
  sectionDocuments,
  sectionFiles,
} from './rules/resolve/sections.ts'

/** Silence is for callers that interrupt: they compare the confidence. */
export const SECTION_RANKING = { silence: 0, tuning: PACK_TUNING }

/** The sections of packs, ranked together. */
export interface PackSections {
  /** Sections and records, best first. */
  rank(task: Task): SectionHit[]
  /** How rare a stem is: near 0 if every section contains it, 1 if none does. */
  rarity(term: string): number
  /** The words of one pack; undefined if it was not opened. */
  wordsOf(root: string): PackWords | undefined
  /** Problems with the files of a pack that were found when it was indexed. */
  warningsOf(root: string): readonly PackWarning[]
}

/** Whether the text of a pack may be searched. Never for personas; packs of an unknown type must be named. */
export function isReadable(pack: TrustedPack): boolean {
  return pack.manifest.mode !== 'persona' && admit(pack, { isConfirmed: true }).verdict === 'admitted'
}

/** A pack with more files than this is indexed in parts: after an edit only its part is built again. */
const FILES_OF_ONE = 1024

/** Each pack has an index of its own, whose parts are built again when one of their files or the approval changes. */
function segmentsOf(machine: Machine, pack: TrustedPack): Segment[] {
  const { files: approved, kept } = pack.trust
  const files = openPack(machine, pack, pack.trust)
  // Every part has words of these.
  const shared = [PACK_FILE, DIRECTORY_PAGE, ...files.list('indexes')]
  const records = ['runs', 'answers', 'ontology'].flatMap((folder) => files.list(folder))
  const content = sectionFiles(files)
  let count = 1
  while (content.length > count * FILES_OF_ONE) count *= 2
  const parts = Array.from({ length: count }, (): string[] => [])
  for (const path of content) parts[count === 1 ? 0 : termHash(path) % count]!.push(path)
  let said: FileLabels | undefined
  return parts.map((paths, at) => {
    const isFirst = at === 0
    const names = [...shared, ...(isFirst ? records : []), ...paths]
    return {
      kind: 'pack-sections',
      name: isFirst ? [pack.root] : [pack.root, String(at)],
      // What was approved does not change with its folder.
      paths: kept === undefined ? names.map((path) => files.fullPath(path)) : [],
      state: quickDigest(JSON.stringify([count, approved && names.map((name) => getOwn(approved, name))])),
      options: SECTION_RANKING,
      readDocuments: (findings: Finding[]) => {
        said ??= labelsOf(files)
        const { documents, warnings } = sectionDocuments(files, pack, { paths, isFirst, said })
        findings.push(...warnings)
        return documents
      },
    }
  })
}

export function openSections(machine: Machine, packs: readonly TrustedPack[]): PackSections {
  const rankers = new Map<string, Ranker>()
  const warnings = new Map<string, PackWarning[]>()
  for (const pack of packs) {
    const parts = segmentsOf(machine, pack).map((segment) => openSegment(machine, segment))
    rankers.set(pack.root, joinParts(parts.map(({ ranker }) => ranker)))
    // As `sectionDocuments` reported them.
    warnings.set(pack.root, mergeAlike(parts.flatMap(({ findings }) => findings as PackWarning[])))
  }
  return rankedTogether(rankers, warnings)
}

function joinParts(rankers: readonly Ranker[]): Ranker {
  return rankers.length === 1 ? rankers[0]! : joinRankers(rankers, SECTION_RANKING)
}

/** Ranks the sections of packs, by the folder of each pack. */
export function rankedTogether(
  byRoot: ReadonlyMap<string, Ranker>,
  warnings: ReadonlyMap<string, readonly PackWarning[]> = new Map(),
): PackSections {
  const rankers = [...byRoot.values()]
  const sections = joinRankers(rankers, SECTION_RANKING)
  const { size } = sections
  return {
    rarity: (term) => (size === 0 ? 1 : Math.log(1 + size / (1 + sections.holders(term))) / Math.log(1 + size)),
    wordsOf: (root) => byRoot.get(root),
    warningsOf: (root) => warnings.get(root) ?? [],
    rank: (task) =>
      sections.rank(task, { limit: 200 }).map(({ kept, score, confidence, why }) => {
        // As `sectionDocuments` stored it.
        return { ...(kept as KeptSection), score, confidence, terms: why.flatMap(({ term }) => termsOf(term)) }
      }),
  }
}

/** Indexing this much takes about half a second. Larger packs wait for their first question. */
const MOST_BYTES = 1024 * 1024

/** Where the sections of each pack are stored, as long as the pack does not change. May build small missing indexes. */
export function storedSections(machine: Machine, packs: readonly TrustedPack[], isBuilding: boolean): CacheKey[][] {
  let left = MOST_BYTES
  return packs.map((pack) =>
    segmentsOf(machine, pack).map((segment) => {
      const key = segmentKey(machine, segment)
      if (isBuilding && openStored(machine, key, { options: SECTION_RANKING }) === undefined) {
        const bytes = segment.paths.reduce((sum, path) => sum + (stampAt(path)?.[1] ?? 0), 0)
        if (bytes <= left) openSegment(machine, segment)
        left -= Math.min(left, bytes)
      }
      return key
    }),
  )
}

/** The stored index of a pack; undefined if a part of it is missing. */
function openStoredPack(machine: Machine, keys: readonly CacheKey[]): Ranker | undefined {
  const parts = keys.flatMap((key) => {
    return openStored(machine, key, { options: SECTION_RANKING, isAsStored: true })?.ranker ?? []
  })
  return parts.length === 0 || parts.length < keys.length ? undefined : joinParts(parts)
}

/** Builds the index of a readable pack in advance: hooks, which cannot wait, only read stored ones. */
async function indexSections(machine: Machine, pack: TrustedPack): Promise<void> {
  if (!isReadable(pack)) return
  const segments = segmentsOf(machine, pack)
  await untilSettled(
    machine,
    segments.flatMap(({ paths }) => paths),
  )
  for (const segment of segments) openSegment(machine, segment)
}

/** Records a person's yes to a pack: to its files as they are now, or also to later changes. Builds its index. */
export async function approvePack(
  machine: Machine,
  pack: TrustedPack,
  { project, follow = false }: { project?: string | Project; follow?: boolean },
): Promise<Approval> {
  const { root, manifest } = pack
  const about = { kind: 'pack', root, name: manifest.name, place: placeOf(root), decision: 'approved' } as const
  const pinned = follow ? { follow: true as const } : pinPack(pack)
  const approval = await recordApproval(machine, { ...about, ...pinned })
  keepApproved(machine, pack, approval.files)
  const { all } = new Packs(machine, { project, packs: [root] }).catalog
  for (const each of all) if (each.root === root) await indexSections(machine, each)
  return approval
}

/** Opens stored indexes only, for a caller that cannot wait. */
function openStoredSections(
  machine: Machine,
  places: readonly { root: string; sections: readonly CacheKey[] }[],
): PackSections {
  const opened = places.flatMap(({ root, sections }): [string, Ranker][] => {
    const ranker = openStoredPack(machine, sections)
    return ranker === undefined ? [] : [[root, ranker]]
  })
  return rankedTogether(new Map(opened))
}

/** What a caller that cannot wait knows of the packs that may be read. */
export interface StoredPacks {
  readable: readonly { kept: KeptPack; root: string; sections: readonly CacheKey[] }[]
  /** Their descriptions. */
  cards: CacheKey
  /** Which of them contain which terms. */
  terms: CacheKey
}

/** The packs whose stored sections are about a task, best first. */
export function likelyStored(machine: Machine, { readable, cards, terms }: StoredPacks, task: Task) {
  const holders = packsWith(machine, terms, task.words)
  const sections = openStoredSections(
    machine,
    readable.filter((_, at) => holders?.has(at) ?? true),
  )
  const described =
    openStored(machine, cards, { isAsStored: true })?.ranker.rank(task, { limit: readable.length }) ?? []
  const known = readable.map(({ kept, root }) => ({ kept, root, manifest: kept }))
  const byName = new Map(described.map((hit) => [(hit.kept as { name: string }).name, hit]))
  const all = likelyPacks(known, task.words, sections.rank(task), byName, sections.wordsOf)
  return all.filter(({ confidence }) => confidence >= LIKELY_PACK)
}

/**
 * Stores which packs contain which terms. Of 50 packs a prompt concerns one or none, and opening the index of each took
 * longer than everything else.
 */
export function storeTerms(machine: Machine, name: readonly string[], packs: readonly CacheKey[][]): CacheKey {
  const table: CacheKey = { kind: 'pack-terms', version: 2, name, state: quickDigest(JSON.stringify(packs)) }
  // A pack without an index may get one later.
  if ((machine.cache.read(table, readTable)?.[1] ?? 1) === 0) return table
  const holders = new Map<number, number[]>()
  const unknown: number[] = []
  packs.forEach((keys, pack) => {
    const hashes = openStoredPack(machine, keys)?.termHashes()
    if (hashes === undefined) unknown.push(pack)
    for (const hash of hashes ?? []) {
      const known = holders.get(hash)
      if (known === undefined) holders.set(hash, [pack])
      else known.push(pack)
    }
  })
  const hashes = Uint32Array.from(holders.keys()).sort()
  const held = Array.from(hashes, (hash) => holders.get(hash)!)
  let end = 0
  const ends = held.map(({ length }) => (end += length))
  const words = Uint32Array.from([hashes.length, unknown.length, ...unknown, ...hashes, ...ends, ...held.flat()])
  machine.cache.write(table, new Uint8Array(words.buffer))
  return table
}

/** The packs, by their number, that contain a main word of a task or a related one; undefined if that is not stored. */
function packsWith(machine: Machine, table: CacheKey, words: TaskWords): Set<number> | undefined {
  const numbers = machine.cache.read(table, readTable)
  if (numbers === undefined) return undefined
  const [count = 0, unknown = 0] = numbers
  const packs = new Set(numbers.subarray(2, 2 + unknown))
  const hashes = numbers.subarray(2 + unknown, 2 + unknown + count)
  const ends = numbers.subarray(2 + unknown + count, 2 + unknown + 2 * count)
  const held = numbers.subarray(2 + unknown + 2 * count)
  for (const [word, weight] of words) {
    if (weight < 1) continue
    for (const term of [word, ...relatedTo(word).map((related) => related.term)]) {
      const hash = termHash(term)
      const at = lowerBound(hashes, hash)
      if (hashes[at] === hash) for (const pack of held.subarray(ends[at - 1] ?? 0, ends[at])) packs.add(pack)
    }
  }
  return packs
}

function readTable(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

/** A section of a pack that may be read. */
export interface SectionFound {
  /** The id for `loadout lookup`, with lines. */
  id: string
  pack: string
  path: string
  from: number
  to: number
  /** The headings above it, or its path. */
  title: string
  /** 0 to 1: the share of the query's words that it contains. */
  confidence: number
}
/** A section with a smaller share of the query's words is about something else. */
const LEAST_SHARE = 0.6

/** Searches the sections of approved packs, best first. Skips the built-in pack about Loadout. */
export function searchSections(
  machine: Machine,
  packs: readonly TrustedPack[],
  task: Task,
  limit: number,
): SectionFound[] {
  const { words } = task
  if (words.size === 0) return []
  const readable = packs.filter((pack) => pack.scope !== 'built-in' && isReadable(pack))
  const names = new Map(readable.map(({ root, manifest }) => [root, manifest.name]))
  const hits = openSections(machine, readable).rank(task)
  const counts = new Map<string, number>()
  return hits
    .flatMap(({ root, path, from, to, terms, title }): SectionFound[] => {
      const confidence = shareOf(words, new Set(terms.filter((term) => words.has(term))))
      const count = counts.get(root) ?? 0
      if (from === 0 || confidence < LEAST_SHARE || count === 3) return []
      counts.set(root, count + 1)
      const pack = names.get(root) ?? ''
      const id = `${entryId('pack', pack, path)}#L${from}-L${to}`
      return [{ id, pack, path, from, to, title: shownText(title || path, 160), confidence }]
    })
    .slice(0, limit)
}
