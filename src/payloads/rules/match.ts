import { createTable, type DispatchTable, type MatchResult } from './dispatch-table.ts'
import { entriesOf, type LoadoutEntry, type LoadoutIndex } from './loadout-index.ts'

export type { MatchResult }

/** A domain entry below this score is left out. */
export const MIN_SCORE = 0.1
const compiled = new WeakMap<readonly LoadoutEntry[], DispatchTable>()

/**
 * The entries that a task needs, best first. An index that is used again is compiled and cached as long as it lives:
 * to change an entry, pass another list of entries.
 */
export function matchLoadout(task: string, index: LoadoutIndex): MatchResult[] {
  const entries = entriesOf(index)
  let table = compiled.get(entries)
  if (table === undefined || table.size !== entries.length) {
    table = createTable(entries)
    compiled.set(entries, table)
  }
  return matchTable(task, table)
}

export function lookupEntry(id: string, index: LoadoutIndex): LoadoutEntry | undefined {
  return entriesOf(index).find((entry) => entry?.id === id)
}

export function matchTable(task: string, table: DispatchTable): MatchResult[] {
  const hits = table.find(readWords(task))
  const coreCount = table.core.length
  const { positions, keywordsMet, patternsMet } = hits
  const scores = new Float64Array(positions.length).fill(1, 0, coreCount)
  for (let place = coreCount; place < positions.length; place++) {
    scores[place] = scoreOf(keywordsMet[place]!, table.keywordCount(positions[place]!), patternsMet[place]!)
  }
  const order = inOrder(scores, positions, table)
  const results: MatchResult[] = []
  for (let at = 0; at < order.length; at++) {
    const place = order[at]!
    const score = scores[place]!
    if (score < MIN_SCORE) break
    const entry = table.entryAt(positions[place]!)
    results.push(place < coreCount ? coreMatch(entry) : hits.resultAt(place, entry, score))
  }
  return results
}

/** The share of keywords that matched, and a bonus for a pattern. */
export function scoreOf(matchedKeywords: number, allKeywords: number, matchedPatterns: number): number {
  const overlap = allKeywords > 0 ? matchedKeywords / allKeywords : 0
  return Math.min(1, overlap + (matchedPatterns > 0 ? 0.2 : 0))
}

export function coreMatch(entry: LoadoutEntry): MatchResult {
  return { entry, score: 1, matchedKeywords: [], matchedPatterns: [], reason: 'core: always loaded', mode: 'eager' }
}

/** What made a strategy choose it, in a word. */
export function triggerOf({ entry, matchedKeywords, matchedPatterns }: MatchResult): string {
  return matchedKeywords[0] ?? matchedPatterns[0] ?? (entry.priority === 'core' ? 'core' : 'ranked')
}

/** The hits in the order of results: best score first, then the cheaper, then the one earlier in the index. */
function inOrder(scores: Float64Array, positions: readonly number[], table: DispatchTable): ArrayLike<number> {
  const count = positions.length
  const costs = new Uint32Array(count)
  for (let place = 0; place < count; place++) costs[place] = table.cost(positions[place]!)
  const places = positions.map((_, place) => place)
  // From 200 hits on, sorting by digits is quicker than comparing: 500 hits take 32 µs instead of 77, 100 the same (npm
  // run bench match).
  if (count < 200) {
    return places.sort((a, b) => scores[b]! - scores[a]! || costs[a]! - costs[b]! || positions[a]! - positions[b]!)
  }
  const byPosition = sortByKey(Uint32Array.from(places), Uint32Array.from(positions))
  return sortByKey(sortByKey(byPosition, costs), rankScores(scores))
}

/** For each score, how many different ones are better. There are few different scores, however many hits. */
function rankScores(scores: Float64Array): Uint32Array {
  const idOf = new Map<number, number>()
  const distinct: number[] = []
  const ids = new Uint32Array(scores.length)
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place]!
    // Up to 32 scores, searching a list is faster than hashing a fraction.
    let id = distinct.length <= 32 ? distinct.indexOf(score) : (idOf.get(score) ?? -1)
    if (id < 0) {
      id = distinct.push(score) - 1
      idOf.set(score, id)
    }
    ids[place] = id
  }
  const rankOf = new Uint32Array(distinct.length)
  const best = distinct.map((_, id) => id).sort((a, b) => distinct[b]! - distinct[a]!)
  best.forEach((id, rank) => {
    rankOf[id] = rank
  })
  return ids.map((id) => rankOf[id]!)
}

/**
 * Sorts items by their numbers, smallest first; equal ones keep their order. A radix sort: a task may hit thousands of
 * entries, and for 5,000 of them this takes 0.24 ms where comparing takes 0.98 ms (npm run bench match).
 */
export function sortByKey(items: Uint32Array<ArrayBuffer>, keys: Uint32Array): Uint32Array<ArrayBuffer> {
  let most = 0
  for (let at = 0; at < keys.length; at++) if (keys[at]! > most) most = keys[at]!
  const bits = items.length < 1000 ? 8 : 11
  const digits = 1 << bits
  let from = items
  let to = new Uint32Array(items.length)
  for (let shift = 0; shift < 32 && most >>> shift > 0; shift += bits) {
    const starts = new Uint32Array(digits + 1)
    for (let at = 0; at < from.length; at++) starts[((keys[from[at]!]! >>> shift) & (digits - 1)) + 1]!++
    for (let digit = 0; digit < digits; digit++) starts[digit + 1]! += starts[digit]!
    for (let at = 0; at < from.length; at++) {
      const item = from[at]!
      to[starts[(keys[item]! >>> shift) & (digits - 1)]!++] = item
    }
    const sorted = to
    to = from === items ? new Uint32Array(items.length) : from
    from = sorted
  }
  return from
}

/**
 * What the matcher compares: words, and runs of scripts that are written without blanks. Tasks, keywords and patterns
 * all pass through here, so texts that look the same match.
 */
export interface Words {
  words: Set<string>
  /** Runs of Chinese, Japanese, Korean, Thai …: a keyword may occur anywhere inside one. */
  runs: string[]
}

// A function, not a constant: building the Unicode classes takes milliseconds that most tasks never need.
const unspaced = () =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\u3005]+/gu

export function readWords(text: string): Words {
  const words = new Set<string>()
  const runs: string[] = []
  for (const part of splitWords(text)) {
    if (isRun(part)) runs.push(part)
    else if (part.length > 1) words.add(part)
  }
  return { words, runs }
}

/** The normalised parts of a text, in order. Keeps one-character words: a keyword that has one cannot match. */
export function splitWords(text: string): string[] {
  if (/^[\x20-\x7e\s]*$/.test(text)) {
    const ascii = text.toLowerCase().split(/[^a-z0-9]+/)
    if (ascii.at(-1) === '') ascii.pop()
    if (ascii[0] === '') ascii.shift()
    return ascii
  }
  const parts: string[] = []
  for (const part of text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)) {
    let from = 0
    for (const run of part.matchAll(unspaced())) {
      if (run.index > from) parts.push(part.slice(from, run.index))
      parts.push(run[0])
      from = run.index + run[0].length
    }
    if (from < part.length) parts.push(part.slice(from))
  }
  return parts
}

/** The form of a keyword that the matcher compares, to recognise equal spellings. */
export function normalKeyword(keyword: string): string {
  return splitWords(keyword).join(' ') || keyword
}

export function isRun(part: string): boolean {
  return part.charCodeAt(0) > 0x7f && part.search(unspaced()) === 0
}

/** Whether a part of a keyword occurs in a task. */
function hasPart(task: Words, part: string): boolean {
  return isRun(part) ? task.runs.some((run) => run.includes(part)) : task.words.has(part)
}

/** A keyword needs all of its parts in the task, a pattern only one. */
export type TermRule = 'every' | 'some'

export function termMatches(parts: readonly string[], rule: TermRule, task: Words): boolean {
  return parts.length > 0 && parts[rule]((part) => hasPart(task, part))
}

/** Every slice of a run up to a length: where a keyword of that length could be. */
export function forEachSlice(run: string, longest: number, visit: (slice: string) => void): void {
  for (let from = 0; from < run.length; from++) {
    for (let to = from + 1; to <= Math.min(run.length, from + longest); to++) visit(run.slice(from, to))
  }
}
