import { isDomain, isUsable, type LoadoutEntry } from './loadout-index.ts'
import { TermIndex } from './term-index.ts'
import { splitWords, type TermRule, termMatches, type Words } from './words.ts'

/** An index as the matcher asks it. */
export interface DispatchTable {
  size: number
  /** Positions of the core entries. */
  core: readonly number[]
  /** Known without visiting the entry, so that ranking thousands of hits stays cheap. */
  keywordCount(position: number): number
  cost(position: number): number
  entryAt(position: number): LoadoutEntry
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

/** A table whose words are indexed: finding an entry costs what is found, not what is there. */
export interface CompiledTable extends DispatchTable {
  keywords: TermIndex
  patterns: TermIndex
  keywordCounts: Uint32Array
  costs: Uint32Array
}

// Looking for every keyword inside a long text without blanks takes longer than compiling.
const LONGEST_SCANNED_RUNS = 2000

// Far beyond any payload, and small enough that score, cost and position fit one exact number.
const HIGHEST_COST = 2 ** 27

/**
 * A table for a process that may ask once or often: the first find looks at every entry, which is quicker than
 * compiling; the second compiles. Entries that cannot take part are passed over.
 */
export function createTable(entries: readonly LoadoutEntry[]): DispatchTable {
  let isFirst = true
  let compiled: CompiledTable | undefined
  let core: number[] | undefined
  return {
    size: entries.length,
    get core() {
      core ??= corePositions(entries)
      return core
    },
    keywordCount: (position) => compiled?.keywordCounts[position] ?? entries[position]!.keywords.length,
    cost: (position) => compiled?.costs[position] ?? costOf(entries[position]!),
    entryAt: (position) => entries[position]!,
    find(task) {
      if (isFirst && task.runs.reduce((sum, run) => sum + run.length, 0) < LONGEST_SCANNED_RUNS) {
        isFirst = false
        const scanned = scan(entries, task)
        core = scanned.core
        const list = new HitList(core, new Uint32Array(entries.length))
        for (const { position, keywords, patterns } of scanned.found) list.add(position, keywords, patterns)
        return list.hits
      }
      compiled ??= compileTable(entries)
      return compiled.find(task)
    },
  }
}

/** Every entry, in order. On a stored table this reads them all. */
export function allEntries(table: DispatchTable): LoadoutEntry[] {
  return Array.from({ length: table.size }, (_, position) => table.entryAt(position))
}

export function compileTable(entries: readonly LoadoutEntry[]): CompiledTable {
  const size = entries.length
  const keywordCounts = new Uint32Array(size)
  const costs = new Uint32Array(size)
  const keywords = new TermIndex('every', (position) => usable(entries[position])?.keywords ?? [])
  const patterns = new TermIndex('some', (position) => usable(entries[position])?.patterns ?? [])
  for (let position = 0; position < size; position++) {
    const entry = entries[position]
    costs[position] = costOf(entry)
    if (!mayBeDomain(entry)) continue
    keywordCounts[position] = addTexts(keywords, entry.keywords, position)
    addTexts(patterns, entry.patterns, position)
  }
  const entryAt = (position: number) => entries[position]!
  return assembleTable({ size, core: corePositions(entries), keywordCounts, costs, keywords, patterns, entryAt })
}

type Parts = Pick<CompiledTable, 'size' | 'core' | 'keywordCounts' | 'costs' | 'keywords' | 'patterns' | 'entryAt'>

export function assembleTable(parts: Parts): CompiledTable {
  const { keywordCounts, costs, keywords, patterns } = parts
  const placeOf = new Uint32Array(parts.size)
  return {
    ...parts,
    keywordCount: (position) => keywordCounts[position]!,
    cost: (position) => costs[position]!,
    find(task) {
      const found = new HitList(parts.core, placeOf)
      keywords.find(task, (text, position) => found.addKeyword(position, text))
      patterns.find(task, (text, position) => found.addPattern(position, text))
      return found.inOrder(parts.entryAt)
    },
  }
}

/** Every entry against the task, by the rule itself, in one pass. */
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
        found.push({ position, keywords: keywords ?? [], patterns: patterns ?? [] })
    }
  }
  return { core, found }
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

/** Gathers hits that come word by word, so that each entry is there once, with its texts in its own order. */
class HitList {
  readonly hits: Hits
  private readonly unordered = new Set<number>()

  constructor(core: readonly number[], placeOf: Uint32Array) {
    this.hits = { positions: [], keywords: [], patterns: [], placeOf }
    for (const position of core) this.add(position, [], [])
  }

  add(position: number, keywords: string[], patterns: string[]): void {
    this.hits.placeOf[position] = this.hits.positions.push(position) - 1
    this.hits.keywords.push(keywords)
    this.hits.patterns.push(patterns)
  }

  addKeyword(position: number, text: string): void {
    const place = this.hits.placeOf[position]!
    if (this.hits.positions[place] === position) this.extend(place, this.hits.keywords[place]!, text)
    else this.add(position, [text], [])
  }

  addPattern(position: number, text: string): void {
    const place = this.hits.placeOf[position]!
    if (this.hits.positions[place] === position) this.extend(place, this.hits.patterns[place]!, text)
    else this.add(position, [], [text])
  }

  inOrder(entryAt: (position: number) => LoadoutEntry): Hits {
    const { positions, keywords, patterns } = this.hits
    for (const place of this.unordered) {
      const entry = entryAt(positions[place]!)
      keywords[place] = entry.keywords.filter((text) => keywords[place]!.includes(text))
      patterns[place] = (entry.patterns ?? []).filter((text) => patterns[place]!.includes(text))
    }
    return this.hits
  }

  private extend(place: number, texts: string[], text: string): void {
    if (texts.push(text) > 1) this.unordered.add(place)
  }
}

function corePositions(entries: readonly LoadoutEntry[]): number[] {
  const core: number[] = []
  for (let position = 0; position < entries.length; position++) {
    const entry = entries[position]
    if (entry?.priority === 'core' && isUsable(entry)) core.push(position)
  }
  return core
}

/** Whether an entry is fit to match is asked when it is found: asking all of them would double the cost. */
function mayBeDomain(entry: LoadoutEntry | null | undefined): entry is LoadoutEntry {
  return entry !== null && entry !== undefined && isDomain(entry)
}

function usable(entry: LoadoutEntry | undefined): LoadoutEntry | undefined {
  return isUsable(entry) ? entry : undefined
}

function costOf(entry: LoadoutEntry | undefined): number {
  return Math.min(HIGHEST_COST, Math.max(0, Math.floor(entry?.tokens_est || 0)))
}

function addTexts(index: TermIndex, texts: unknown, position: number): number {
  if (!Array.isArray(texts)) return 0
  for (const text of texts) if (typeof text === 'string') index.add(text, position)
  return texts.length
}
