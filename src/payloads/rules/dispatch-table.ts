import { CountedHits, type Hits, ListedHits } from './hits.ts'
import { distinctKeywords, isDomain, isUsable, type LoadoutEntry } from './loadout-index.ts'
import { TermTable } from './term-table.ts'
import { splitWords, type TermRule, termMatches, type Words } from './words.ts'

/** An index in the form that the matcher queries. */
export interface DispatchTable {
  size: number
  /** Positions of the core entries. */
  core: readonly number[]
  /** Known without reading the entry, so that ranking thousands of hits stays cheap. */
  keywordCount(position: number): number
  cost(position: number): number
  entryAt(position: number): LoadoutEntry
  /** The core entries, then the domain entries with a keyword or pattern in the task, each once. */
  find(task: Words): Hits
}

// Searching every keyword inside a long text without blanks takes longer than compiling.
const LONGEST_SCANNED_RUNS = 2000

// Far beyond any payload, and small enough that score, cost and position fit one exact number.
const HIGHEST_COST = 2 ** 27

/**
 * A table for a process with one question or many: the first search reads every entry, which is faster than compiling;
 * the second compiles. Skips entries that cannot take part.
 */
export function createTable(entries: readonly LoadoutEntry[]): DispatchTable {
  let isFirst = true
  let compiled: DispatchTable | undefined
  let core: number[] | undefined
  return {
    size: entries.length,
    get core() {
      core ??= corePositions(entries)
      return core
    },
    keywordCount: (position) =>
      compiled?.keywordCount(position) ?? distinctKeywords(entries[position]!.keywords).length,
    cost: (position) => compiled?.cost(position) ?? costOf(entries[position]!),
    entryAt: (position) => entries[position]!,
    find(task) {
      if (isFirst && task.runs.reduce((sum, run) => sum + run.length, 0) < LONGEST_SCANNED_RUNS) {
        isFirst = false
        const scanned = scan(entries, task)
        core = scanned.core
        const hits = new ListedHits(core)
        for (const { position, keywords, patterns } of scanned.found) hits.add(position, keywords, patterns)
        return hits
      }
      compiled ??= fileEntries(entries)
      return compiled.find(task)
    },
  }
}

/** Every entry, in order. */
export function allEntries(table: DispatchTable): LoadoutEntry[] {
  return Array.from({ length: table.size }, (_, position) => table.entryAt(position))
}

/** A table in memory, for a process that asks often. */
function fileEntries(entries: readonly LoadoutEntry[]): DispatchTable {
  const size = entries.length
  const keywordCounts = new Uint32Array(size)
  const costs = new Uint32Array(size)
  const keywords = new TermTable('every')
  const patterns = new TermTable('some')
  for (let position = 0; position < size; position++) {
    const entry = entries[position]
    costs[position] = costOf(entry)
    if (!mayBeDomain(entry) || !isUsable(entry)) continue
    keywordCounts[position] = keywords.add(entry.keywords, position)
    patterns.add(entry.patterns, position)
  }
  keywords.seal()
  patterns.seal()
  const core = corePositions(entries)
  const placeOf = new Uint32Array(size)
  return {
    size,
    core,
    keywordCount: (position) => keywordCounts[position]!,
    cost: (position) => costs[position]!,
    entryAt: (position) => entries[position]!,
    find: (task) => new CountedHits(core, task, placeOf, keywords, patterns),
  }
}

/** Matches every entry against the task, by the rule itself, in one pass. */
function scan(entries: readonly LoadoutEntry[], task: Words): { core: number[]; found: FoundEntry[] } {
  const core: number[] = []
  const found: FoundEntry[] = []
  for (let position = 0; position < entries.length; position++) {
    const entry = entries[position]
    if (entry?.priority === 'core') {
      if (isUsable(entry)) core.push(position)
    } else if (mayBeDomain(entry)) {
      const keywords = hitTexts(entry.keywords, 'every', task)
      const patterns = hitTexts(entry.patterns, 'some', task)
      if ((keywords || patterns) && isUsable(entry))
        found.push({ position, keywords: once(keywords ?? []), patterns: patterns ?? [] })
    }
  }
  return { core, found }
}

function once(keywords: string[]): string[] {
  return keywords.length < 2 ? keywords : [...distinctKeywords(keywords)]
}

interface FoundEntry {
  position: number
  keywords: string[]
  patterns: string[]
}

/** The texts that match, or undefined: nearly every entry has none. */
function hitTexts(texts: unknown, rule: TermRule, task: Words): string[] | undefined {
  if (!Array.isArray(texts)) return undefined
  let hits: string[] | undefined
  for (let at = 0; at < texts.length; at++) {
    const text: unknown = texts[at]
    if (typeof text !== 'string' || !isHit(text, rule, task)) continue
    if (hits === undefined) hits = [text]
    else hits.push(text)
  }
  return hits
}

/** The rule of a term, with short cuts for the common cases: a plain word, and a phrase whose first word is missing. */
function isHit(text: string, rule: TermRule, task: Words): boolean {
  const end = text.search(/[^a-z0-9]/)
  if (end < 0) return text.length > 1 && task.words.has(text)
  const isPhrase = rule === 'every' && end > 0 && (text[end] === ' ' || text[end] === '-')
  if (isPhrase && !task.words.has(text.slice(0, end))) return false
  return termMatches(splitWords(text), rule, task)
}

function corePositions(entries: readonly LoadoutEntry[]): number[] {
  const core: number[] = []
  for (let position = 0; position < entries.length; position++) {
    const entry = entries[position]
    if (entry?.priority === 'core' && isUsable(entry)) core.push(position)
  }
  return core
}

/** Whether an entry can match is checked when it is found: checking all of them would double the cost. */
function mayBeDomain(entry: LoadoutEntry | null | undefined): entry is LoadoutEntry {
  return entry !== null && entry !== undefined && isDomain(entry)
}

function costOf(entry: LoadoutEntry | undefined): number {
  return Math.min(HIGHEST_COST, Math.max(0, Math.floor(entry?.tokens_est || 0)))
}
