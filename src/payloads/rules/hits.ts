import type { LoadMode } from '../../usage/rules/usage-event.ts'
import { distinctKeywords, type LoadoutEntry } from './loadout-index.ts'
import { reasonOf, type TermTable } from './term-table.ts'
import type { Words } from './words.ts'

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
export interface Hits {
  positions: readonly number[]
  /** How many keywords and patterns matched. */
  keywordsMet: readonly number[]
  patternsMet: readonly number[]
  /** The n-th of them as a result, if it is not a core entry. */
  resultAt(place: number, entry: LoadoutEntry, score: number): MatchResult
}

/** Hits with the texts that matched: for a table that is used once. */
export class ListedHits implements Hits {
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
export class CountedHits implements Hits {
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
