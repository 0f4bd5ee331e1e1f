import type { LoadoutEntry } from './entry.ts'
import { isUsable } from './loadout-index.ts'
import { TermIndex } from './term-index.ts'
import type { Words } from './words.ts'

/** An index made ready for matching: finding an entry costs what is found, not what is there. */
export interface DispatchTable {
  size: number
  /** Positions of the core entries. */
  core: readonly number[]
  /** Per position: how many keywords, how many tokens. Kept apart so that ranking need not visit the entries. */
  keywordCounts: Uint32Array
  costs: Uint32Array
  entryAt(position: number): LoadoutEntry
  keywords: TermIndex
  patterns: TermIndex
  /** The core entries, then the domain entries with a keyword or pattern in the task, each once. */
  find(task: Words): Hits
}

/** What a task touches, side by side: the n-th position, keywords and patterns belong together. */
export interface Hits {
  positions: number[]
  keywords: string[][]
  patterns: string[][]
  /** Position → n. Scratch space of the table: true for the positions above, until its next find. */
  placeOf: Uint32Array
}

// Far beyond any payload, and small enough that score, cost and position fit one exact number.
const HIGHEST_COST = 2 ** 27

/** Compiles entries for matching. Entries that cannot take part are passed over. */
export function compileTable(entries: readonly LoadoutEntry[]): DispatchTable {
  const size = entries.length
  const core: number[] = []
  const keywordCounts = new Uint32Array(size)
  const costs = new Uint32Array(size)
  const keywords = new TermIndex('every', (position) => routable(entries[position])?.keywords ?? [])
  const patterns = new TermIndex('some', (position) => routable(entries[position])?.patterns ?? [])
  for (let position = 0; position < size; position++) {
    const entry = entries[position]
    costs[position] = Math.min(HIGHEST_COST, Math.max(0, entry?.tokens_est || 0))
    if (entry?.priority === 'core') {
      if (isUsable(entry)) core.push(position)
    } else {
      keywordCounts[position] = addTexts(keywords, entry?.keywords, position)
      addTexts(patterns, entry?.patterns, position)
    }
  }
  const entryAt = (position: number) => entries[position]!
  return assembleTable({ size, core, keywordCounts, costs, keywords, patterns, entryAt })
}

export function assembleTable(parts: Omit<DispatchTable, 'find'>): DispatchTable {
  return { ...parts, find: hitFinder(parts) }
}

/** Whether an entry is fit to match is asked when it is found: asking all of them would double the cost of compiling. */
function routable(entry: LoadoutEntry | undefined): LoadoutEntry | undefined {
  return isUsable(entry) && entry.priority !== 'manual' ? entry : undefined
}

function addTexts(index: TermIndex, texts: unknown, position: number): number {
  if (!Array.isArray(texts)) return 0
  for (const text of texts) if (typeof text === 'string') index.add(text, position)
  return texts.length
}

function hitFinder({ core, entryAt, keywords, patterns, size }: Omit<DispatchTable, 'find'>): (task: Words) => Hits {
  const placeOf = new Uint32Array(size)

  return (task) => {
    const hits: Hits = { positions: [], keywords: [], patterns: [], placeOf }
    const add = (position: number, hitKeywords: string[], hitPatterns: string[]) => {
      placeOf[position] = hits.positions.push(position) - 1
      hits.keywords.push(hitKeywords)
      hits.patterns.push(hitPatterns)
    }
    const unordered = new Set<number>()
    const extend = (place: number, texts: string[], text: string) => {
      if (texts.push(text) > 1) unordered.add(place)
    }
    for (const position of core) add(position, [], [])
    keywords.find(task, (text, position) => {
      const place = placeOf[position]!
      if (hits.positions[place] === position) extend(place, hits.keywords[place]!, text)
      else add(position, [text], [])
    })
    patterns.find(task, (text, position) => {
      const place = placeOf[position]!
      if (hits.positions[place] === position) extend(place, hits.patterns[place]!, text)
      else add(position, [], [text])
    })
    for (const place of unordered) {
      const entry = entryAt(hits.positions[place]!)
      hits.keywords[place] = inOrder(entry.keywords, hits.keywords[place])
      hits.patterns[place] = inOrder(entry.patterns, hits.patterns[place])
    }
    return hits
  }
}

function inOrder(all: readonly string[] = [], some: readonly string[] = []): string[] {
  return all.filter((text) => some.includes(text))
}
