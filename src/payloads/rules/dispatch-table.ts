import { enlarge } from '../../search/tokens.ts'
import type { LoadMode } from '../../usage/rules/usage-event.ts'
import { distinctKeywords, isDomain, isUsable, type LoadoutEntry } from './loadout-index.ts'
import { forEachSlice, isRun, splitWords, type TermRule, termMatches, type Words } from './match.ts'

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
      // Searching every keyword inside a long text without blanks takes longer than compiling.
      if (isFirst && task.runs.reduce((sum, run) => sum + run.length, 0) < 2000) {
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
  // Far beyond any payload, and small enough that score, cost and position fit one exact number.
  return Math.min(2 ** 27, Math.max(0, Math.floor(entry?.tokens_est || 0)))
}

export interface MatchResult {
  entry: LoadoutEntry
  /** 0 to 1. */
  score: number
  matchedKeywords: string[]
  matchedPatterns: string[]
  reason: string
  mode: LoadMode
}

/** The hits of a task: the core entries, then domain entries, each once. The lists are parallel. */
interface Hits {
  positions: readonly number[]
  /** How many keywords and patterns matched. */
  keywordsMet: readonly number[]
  patternsMet: readonly number[]
  /** The n-th of them as a result, if it is not a core entry. */
  resultAt(place: number, entry: LoadoutEntry, score: number): MatchResult
}

/** Hits with the texts that matched: for a table that is used once. */
class ListedHits implements Hits {
  readonly positions: number[] = []
  readonly keywordsMet: number[] = []
  readonly patternsMet: number[] = []
  private readonly keywords: string[][] = []
  private readonly patterns: string[][] = []

  constructor(core: readonly number[]) {
    for (const position of core) this.add(position, [], [])
  }

  add(position: number, keywords: string[], patterns: string[]): void {
    this.positions.push(position)
    this.keywords.push(keywords)
    this.patterns.push(patterns)
    this.keywordsMet.push(keywords.length)
    this.patternsMet.push(patterns.length)
  }

  resultAt(place: number, entry: LoadoutEntry, score: number): MatchResult {
    const matchedKeywords = this.keywords[place]!
    const matchedPatterns = this.patterns[place]!
    const reason = reasonOf(matchedKeywords, matchedPatterns)
    return { entry, score, matchedKeywords, matchedPatterns, reason, mode: 'lazy' }
  }
}

/** Collects the hits of a table in memory as numbers. Creates texts only for results. */
class CountedHits implements Hits {
  readonly positions: number[] = []
  readonly keywordsMet: number[] = []
  readonly patternsMet: number[] = []
  /** For each, the first matching term. */
  private readonly firstKeyword: number[] = []
  private readonly firstPattern: number[] = []
  private readonly keywords: TermTable
  private readonly patterns: TermTable
  private readonly metKeywords = new Set<string>()
  private readonly metPatterns = new Set<string>()

  /** `placeOf` is scratch space of the table, a number for each entry. */
  constructor(core: readonly number[], task: Words, placeOf: Uint32Array, keywords: TermTable, patterns: TermTable) {
    this.keywords = keywords
    this.patterns = patterns
    const { positions, keywordsMet, patternsMet, firstKeyword, firstPattern } = this
    for (const position of core) this.add(position, placeOf)
    keywords.find(task, (id, owners, from, to) => {
      this.metKeywords.add(keywords.textOf(id))
      for (let at = from; at < to; at++) {
        const position = owners[at]!
        const known = placeOf[position]!
        const place = positions[known] === position ? known : this.add(position, placeOf)
        if (keywordsMet[place]!++ === 0) firstKeyword[place] = id
      }
    })
    patterns.find(task, (id, owners, from, to) => {
      this.metPatterns.add(patterns.textOf(id))
      for (let at = from; at < to; at++) {
        const position = owners[at]!
        const known = placeOf[position]!
        const place = positions[known] === position ? known : this.add(position, placeOf)
        if (patternsMet[place]!++ === 0) firstPattern[place] = id
      }
    })
  }

  resultAt(place: number, entry: LoadoutEntry, score: number): MatchResult {
    const keywords = this.keywordsMet[place]!
    const patterns = this.patternsMet[place]!
    const matchedKeywords =
      keywords > 1
        ? distinctKeywords(entry.keywords).filter((text) => this.metKeywords.has(text))
        : keywords === 1
          ? [this.keywords.textOf(this.firstKeyword[place]!)]
          : []
    const matchedPatterns =
      patterns > 1
        ? entry.patterns.filter((text) => this.metPatterns.has(text))
        : patterns === 1
          ? [this.patterns.textOf(this.firstPattern[place]!)]
          : []
    const reason =
      keywords === 1 && patterns === 0
        ? this.keywords.reasonOf(this.firstKeyword[place]!)
        : reasonOf(matchedKeywords, matchedPatterns)
    return { entry, score, matchedKeywords, matchedPatterns, reason, mode: 'lazy' }
  }

  private add(position: number, placeOf: Uint32Array): number {
    const place = this.positions.push(position) - 1
    placeOf[position] = place
    this.keywordsMet.push(0)
    this.patternsMet.push(0)
    this.firstKeyword.push(0)
    this.firstPattern.push(0)
    return place
  }
}

/**
 * The keywords or patterns of many entries as numbers: which entry has which text. Every word is indexed when the
 * table is made, so a task with new words costs as little as any other.
 */
class TermTable {
  private readonly rule: TermRule
  /** A keyword that an entry lists twice counts once; a pattern only has to occur. */
  private readonly isOnce: boolean
  // A term is a keyword or pattern as written. The facts about the n-th one, side by side:
  private readonly texts: string[] = []
  /** Its parts; none for a single word, which matches when it is found. Split on first use. */
  private readonly parts: (string[] | undefined)[] = []
  private readonly reasons: (string | undefined)[] = []
  /** The first term that differs from it only in case and outer blanks. */
  private readonly folds: number[] = []
  private readonly idOf = new Map<string, number>()
  /** For terms that are not in lower case: their lower-case form → the first such term. */
  private readonly foldOf = new Map<string, number>()
  /** Part → the terms that are looked for under it. */
  private readonly termsOf = new Map<string, number[]>()
  private longestRun = 0
  /** For each fold, the last entry with it, counted from 1, to ignore a repeated keyword. */
  private readonly lastOwner: number[] = []
  private filed = 0
  private filedTerms = new Uint32Array(1024)
  private filedOwners = new Uint32Array(1024)
  private starts = new Uint32Array(1)
  private positions = new Uint32Array(0)

  constructor(rule: TermRule) {
    this.rule = rule
    this.isOnce = rule === 'every'
  }

  /** Adds the texts of an entry and returns how many count. Entries come in order. */
  add(texts: unknown, position: number): number {
    if (!Array.isArray(texts)) return 0
    let count = 0
    for (let at = 0; at < texts.length; at++) {
      const text: unknown = texts[at]
      if (typeof text !== 'string') continue
      const id = this.idOf.get(text) ?? this.addTerm(text)
      const fold = this.folds[id]!
      if (this.isOnce && this.lastOwner[fold] === position + 1) continue
      this.lastOwner[fold] = position + 1
      count++
      this.file(id, position)
    }
    return count
  }

  /** Call it after the last entry: sorts the texts by term. */
  seal(): void {
    const { filed, filedTerms, filedOwners } = this
    this.starts = new Uint32Array(this.texts.length + 1)
    this.positions = new Uint32Array(filed)
    const { starts, positions } = this
    for (let i = 0; i < filed; i++) starts[filedTerms[i]! + 1]!++
    for (let id = 0; id < this.texts.length; id++) starts[id + 1]! += starts[id]!
    const free = starts.slice()
    for (let i = 0; i < filed; i++) positions[free[filedTerms[i]!]!++] = filedOwners[i]!
    this.filedTerms = this.filedOwners = new Uint32Array(0)
  }

  /** Calls `meet` once for every term that the task hits. */
  find(task: Words, meet: (id: number, positions: Uint32Array, from: number, to: number) => void): void {
    const met = new Set<number>()
    const visit = (part: string) => {
      const ids = this.termsOf.get(part)
      if (ids === undefined) return
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at]!
        if (met.has(id) || !this.isHit(id, part, task)) continue
        met.add(id)
        meet(id, this.positions, this.starts[id]!, this.starts[id + 1]!)
      }
    }
    for (const word of task.words) visit(word)
    for (const run of task.runs) forEachSlice(run, this.longestRun, visit)
  }

  textOf(id: number): string {
    return this.texts[id]!
  }

  /** The reason of a result that matched only by this keyword. */
  reasonOf(id: number): string {
    const known = this.reasons[id]
    if (known !== undefined) return known
    const reason = reasonOf([this.texts[id]!], [])
    this.reasons[id] = reason
    return reason
  }

  /** Whether the task hits a term, given that it contains a part of it. */
  private isHit(id: number, part: string, task: Words): boolean {
    if (this.texts[id] === part) return true
    const parts = this.parts[id] ?? splitWords(this.texts[id]!)
    this.parts[id] = parts
    return termMatches(parts, this.rule, task)
  }

  private addTerm(text: string): number {
    const id = this.texts.push(text) - 1
    this.idOf.set(text, id)
    this.reasons.push(undefined)
    this.parts.push(undefined)
    const end = text.search(/[^a-z0-9]/)
    this.folds.push(end < 0 && this.foldOf.size === 0 ? id : this.foldTerm(text, id))
    if (end < 0) this.fileUnder(text, id)
    else if (this.rule === 'every' && end > 0 && text.charCodeAt(end) < 0x41) this.fileUnder(text.slice(0, end), id)
    else {
      const parts = splitWords(text)
      for (const part of this.rule === 'every' ? parts.slice(0, 1) : parts) this.fileUnder(part, id)
    }
    return id
  }

  private foldTerm(text: string, id: number): number {
    const folded = text.trim().toLowerCase()
    const known = folded === text ? undefined : this.idOf.get(folded)
    const fold = known ?? this.foldOf.get(folded)
    if (fold !== undefined) return fold
    if (folded !== text) this.foldOf.set(folded, id)
    return id
  }

  private fileUnder(part: string, id: number): void {
    if (part.charCodeAt(0) > 0x7f && isRun(part)) this.longestRun = Math.max(this.longestRun, part.length)
    // A task has no words of one letter.
    else if (part.length < 2) return
    const ids = this.termsOf.get(part)
    if (ids === undefined) this.termsOf.set(part, [id])
    else if (ids.at(-1) !== id) ids.push(id)
  }

  private file(id: number, position: number): void {
    if (this.filed === this.filedTerms.length) {
      this.filedTerms = enlarge(this.filedTerms)
      this.filedOwners = enlarge(this.filedOwners)
    }
    this.filedTerms[this.filed] = id
    this.filedOwners[this.filed++] = position
  }
}

/** The reason of a result, from the keywords and patterns that matched. */
export function reasonOf(keywords: readonly string[], patterns: readonly string[]): string {
  const byKeyword = keywords.length > 0 ? `keywords [${keywords.join(', ')}]` : ''
  const byPattern = patterns.length > 0 ? `patterns [${patterns.join(', ')}]` : ''
  return byKeyword && byPattern ? `${byKeyword} + ${byPattern}` : byKeyword || byPattern
}
