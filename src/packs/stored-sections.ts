import type { CacheKey } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { openStored } from '../machine/ranking.ts'
import { joinRankers, type Ranker, termHash } from '../search/ranker.ts'
import { DamagedForm } from '../search/saved-library.ts'
import type { Task, TaskWords } from '../search/task.ts'
import { termsOf } from '../search/tokens.ts'
import { relatedTo } from '../search/word-lists.ts'
import { lowerBound, quickDigest } from '../text/values.ts'
import type { KeptPack } from './pack-source.ts'
import type { PackWarning } from './rules/pack.ts'
import { LIKELY_PACK, likelyPacks, PACK_TUNING, type PackWords } from './rules/resolve/choose.ts'
import type { KeptSection, SectionHit } from './rules/resolve/sections.ts'

// A file of its own: a hook loads it at a prompt, and nothing else of packs.

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

export function joinParts(rankers: readonly Ranker[]): Ranker {
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

/** The stored index of a pack; undefined if a part of it is missing. */
function openStoredPack(machine: Machine, keys: readonly CacheKey[]): Ranker | undefined {
  const parts = keys.flatMap((key) => {
    return openStored(machine, key, { options: SECTION_RANKING, isAsStored: true })?.ranker ?? []
  })
  return parts.length === 0 || parts.length < keys.length ? undefined : joinParts(parts)
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
  const holders = packsWith(machine, terms, task.words, readable.length)
  let opened = readable.flatMap(({ root, sections }, at) => {
    const ranker = (holders?.has(at) ?? true) ? openStoredPack(machine, sections) : undefined
    return ranker === undefined ? [] : [{ root, ranker, sections }]
  })
  const described =
    openStored(machine, cards, { isAsStored: true })?.ranker.rank(task, { limit: readable.length }) ?? []
  const known = readable.map(({ kept, root }) => ({ kept, root, manifest: kept }))
  const byName = new Map(described.map((hit) => [(hit.kept as { name: string }).name, hit]))
  const choose = () => {
    const { rank, wordsOf } = rankedTogether(new Map(opened.map(({ root, ranker }) => [root, ranker])))
    return likelyPacks(known, task.words, rank(task), byName, wordsOf)
  }
  let all = unlessDamaged(choose)
  if (all === undefined) {
    // The next session builds them again.
    opened = opened.filter(({ ranker, sections }) => {
      const isIntact = unlessDamaged(() => ranker.termHashes() && ranker.rank(task)) !== undefined
      if (!isIntact) for (const key of sections) machine.cache.write(key, new Uint8Array(0))
      return isIntact
    })
    all = choose()
  }
  return all.filter(({ confidence }) => confidence >= LIKELY_PACK)
}

/** Undefined if stored bytes are not those that were written. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamagedForm) return undefined
    throw error
  }
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
    const hashes = unlessDamaged(() => openStoredPack(machine, keys)?.termHashes())
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

/** Opening and asking one takes about 1 ms, and a prompt concerns one or two. */
const MOST_OPENED = 8

/**
 * Of `all` packs, the numbers of those that contain the most of the main words of a task, the rarest counting most;
 * undefined if that is not stored.
 */
function packsWith(machine: Machine, table: CacheKey, words: TaskWords, all: number): Set<number> | undefined {
  const numbers = machine.cache.read(table, readTable)
  if (numbers === undefined) return undefined
  const [count = 0, unknown = 0] = numbers
  const hashes = numbers.subarray(2 + unknown, 2 + unknown + count)
  const ends = numbers.subarray(2 + unknown + count, 2 + unknown + 2 * count)
  const held = numbers.subarray(2 + unknown + 2 * count)
  const shares = new Map<number, number>()
  for (const [word, weight] of words) {
    if (weight < 1) continue
    const holders = new Set<number>()
    for (const term of [word, ...relatedTo(word).map((related) => related.term)]) {
      const hash = termHash(term)
      const at = lowerBound(hashes, hash)
      if (hashes[at] === hash) for (const pack of held.subarray(ends[at - 1] ?? 0, ends[at])) holders.add(pack)
    }
    const share = Math.log(1 + all / Math.max(1, holders.size))
    for (const pack of holders) shares.set(pack, (shares.get(pack) ?? 0) + share)
  }
  const best = [...shares].sort(([a, one], [b, other]) => other - one || a - b).slice(0, MOST_OPENED)
  return new Set([...numbers.subarray(2, 2 + unknown), ...best.map(([pack]) => pack)])
}

function readTable(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}
