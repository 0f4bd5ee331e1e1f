import type { LoadMode } from '../../usage/rules/usage-event.ts'
import { createTable, type DispatchTable, type Hits } from './dispatch-table.ts'
import { entriesOf, type LoadoutEntry, type LoadoutIndex } from './loadout-index.ts'
import { readWords } from './words.ts'

export interface MatchResult {
  entry: LoadoutEntry
  /** 0 to 1. */
  score: number
  matchedKeywords: string[]
  matchedPatterns: string[]
  reason: string
  mode: LoadMode
}

/** A domain entry below this score stays out. */
export const MIN_SCORE = 0.1
const PATTERN_BONUS = 0.2

const compiled = new WeakMap<readonly LoadoutEntry[], DispatchTable>()

/**
 * The entries a task needs, best first. An index that is asked again is compiled and remembered as long as it lives:
 * to change an entry, pass another list of entries.
 */
export function matchLoadout(task: string, index: LoadoutIndex): MatchResult[] {
  return matchTable(task, tableOf(entriesOf(index)))
}

export function lookupEntry(id: string, index: LoadoutIndex): LoadoutEntry | undefined {
  return entriesOf(index).find((entry) => entry?.id === id)
}

export function matchTable(task: string, table: DispatchTable): MatchResult[] {
  const hits = table.find(readWords(task))
  const { core } = table
  const scores = hits.positions.map((position, place) =>
    place < core.length
      ? 1
      : scoreOf(hits.keywords[place]!.length, table.keywordCount(position), hits.patterns[place]!.length),
  )
  const results: MatchResult[] = []
  for (const key of rankKeys(scores, hits, table)) {
    const position = key % table.size
    const place = hits.placeOf[position]!
    const entry = table.entryAt(position)
    results.push(
      place < core.length
        ? coreMatch(entry)
        : domainMatch(entry, scores[place]!, hits.keywords[place]!, hits.patterns[place]!),
    )
  }
  return results
}

/** The share of keywords that matched, and a bonus for a pattern. */
export function scoreOf(matchedKeywords: number, allKeywords: number, matchedPatterns: number): number {
  const overlap = allKeywords > 0 ? matchedKeywords / allKeywords : 0
  return Math.min(1, overlap + (matchedPatterns > 0 ? PATTERN_BONUS : 0))
}

export function coreMatch(entry: LoadoutEntry): MatchResult {
  return { entry, score: 1, matchedKeywords: [], matchedPatterns: [], reason: 'core: always loaded', mode: 'eager' }
}

function domainMatch(
  entry: LoadoutEntry,
  score: number,
  matchedKeywords: string[],
  matchedPatterns: string[],
): MatchResult {
  return {
    entry,
    score,
    matchedKeywords,
    matchedPatterns,
    reason: reasonOf(matchedKeywords, matchedPatterns),
    mode: 'lazy',
  }
}

/** What made a strategy choose it, in a word. */
export function triggerOf({ entry, matchedKeywords, matchedPatterns }: MatchResult): string {
  return matchedKeywords[0] ?? matchedPatterns[0] ?? (entry.priority === 'core' ? 'core' : 'ranked')
}

export function reasonOf(keywords: readonly string[], patterns: readonly string[]): string {
  const byKeyword = keywords.length > 0 ? `keywords [${keywords.join(', ')}]` : ''
  const byPattern = patterns.length > 0 ? `patterns [${patterns.join(', ')}]` : ''
  return byKeyword && byPattern ? `${byKeyword} + ${byPattern}` : byKeyword || byPattern
}

/**
 * One number for each hit that passes: best score first, then the cheaper, then the one earlier in the index.
 * Numbers sort without a comparator, and a task may hit thousands; `key % size` is the position again.
 */
function rankKeys(scores: readonly number[], { positions }: Hits, table: DispatchTable): Float64Array {
  const distinct = [...new Set(scores)].filter((score) => score >= MIN_SCORE).sort((a, b) => b - a)
  const rankOf = new Map(distinct.map((score, rank) => [score, rank]))
  let ceiling = 1
  for (const position of positions) ceiling = Math.max(ceiling, table.cost(position) + 1)
  const keys = new Float64Array(positions.length)
  let count = 0
  for (let place = 0; place < positions.length; place++) {
    const rank = rankOf.get(scores[place]!)
    const position = positions[place]!
    if (rank !== undefined) keys[count++] = (rank * ceiling + table.cost(position)) * table.size + position
  }
  return keys.subarray(0, count).sort()
}

function tableOf(entries: readonly LoadoutEntry[]): DispatchTable {
  let table = compiled.get(entries)
  if (table === undefined || table.size !== entries.length) {
    table = createTable(entries)
    compiled.set(entries, table)
  }
  return table
}
