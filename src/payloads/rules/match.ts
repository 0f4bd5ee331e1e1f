import type { LoadMode } from '../../usage/rules/usage-event.ts'
import {
  distinctKeywords,
  entriesOf,
  isDomain,
  isUsable,
  type LoadoutEntry,
  type LoadoutIndex,
} from './loadout-index.ts'

export interface MatchResult {
  entry: LoadoutEntry
  /** 0 to 1. */
  score: number
  matchedKeywords: string[]
  matchedPatterns: string[]
  reason: string
  mode: LoadMode
}

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
    table = new DispatchTable(entries)
    compiled.set(entries, table)
  }
  return table.match(task)
}

export function lookupEntry(id: string, index: LoadoutIndex): LoadoutEntry | undefined {
  return entriesOf(index).find((entry) => entry?.id === id)
}

/** What a task found in an entry, in the order of the entry. */
interface Found {
  position: number
  keywords: string[]
  patterns: string[]
}

/** A keyword or a pattern as written. A keyword needs all of its parts in the task, a pattern only one. */
interface Term {
  text: string
  rule: 'every' | 'some'
  parts: readonly string[]
  /** The positions of the entries that have it. */
  owners: number[]
}

/**
 * An index for one question or many: the first question reads every entry, which is faster than compiling; the second
 * compiles it into word → entries. Skips entries that cannot take part.
 */
export class DispatchTable {
  readonly size: number
  private readonly entries: readonly LoadoutEntry[]
  private isFirst = true
  private core: number[] | undefined
  /** Of compiled entries: their keywords, each once. */
  private readonly distinct: (readonly string[])[] = []
  /** Part → the terms that are looked for under it. */
  private byPart: Map<string, Term[]> | undefined
  private longestRun = 0

  constructor(entries: readonly LoadoutEntry[]) {
    this.entries = entries
    this.size = entries.length
  }

  match(task: string): MatchResult[] {
    const words = readWords(task)
    // Searching every keyword inside a long text without blanks takes longer than compiling.
    const isScan = this.isFirst && words.runs.reduce((sum, run) => sum + run.length, 0) < 2000
    this.isFirst = false
    const found = isScan ? this.scan(words) : this.find(words)
    this.core ??= this.entries.flatMap((entry, position) =>
      entry?.priority === 'core' && isUsable(entry) ? position : [],
    )
    const ranked = this.core.map((position) => ({ position, match: coreMatch(this.entries[position]!) }))
    for (const each of found) {
      const { position } = each
      const match = domainMatch(this.entries[position]!, each, this.distinct[position])
      if (match.score >= MIN_SCORE) ranked.push({ position, match })
    }
    // Best score first, then the cheaper, then the one earlier in the index.
    const costOf = ({ entry }: MatchResult) => Math.max(0, Math.floor(entry.tokens_est || 0))
    return ranked
      .sort((a, b) => b.match.score - a.match.score || costOf(a.match) - costOf(b.match) || a.position - b.position)
      .map(({ match }) => match)
  }

  /** Compares every entry with the task, in one pass. */
  private scan(task: Words): Found[] {
    const found: Found[] = []
    this.entries.forEach((entry, position) => {
      if (!entry || !isDomain(entry)) return
      const { keywords, patterns } = hitsIn(entry, task)
      if (keywords.length + patterns.length > 0 && isUsable(entry)) found.push({ position, keywords, patterns })
    })
    return found
  }

  /** Looks only at the entries that have a word of the task. */
  private find(task: Words): Found[] {
    this.byPart ??= this.compile()
    const found = new Map<number, Found>()
    const met = new Set<Term>()
    const meet = (part: string) => {
      for (const term of this.byPart?.get(part) ?? []) {
        if (met.has(term)) continue
        met.add(term)
        if (!termMatches(term.parts, term.rule, task)) continue
        for (const position of term.owners) {
          const each = found.get(position) ?? { position, keywords: [], patterns: [] }
          found.set(position, each)
          ;(term.rule === 'every' ? each.keywords : each.patterns).push(term.text)
        }
      }
    }
    task.words.forEach(meet)
    for (const run of task.runs) {
      for (let from = 0; from < run.length; from++) {
        for (let to = from + 1; to <= Math.min(run.length, from + this.longestRun); to++) meet(run.slice(from, to))
      }
    }
    const inOrder = (own: readonly string[], hits: string[]) =>
      hits.length < 2 ? hits : own.filter((text) => hits.includes(text))
    return Array.from(found.values(), ({ position, keywords, patterns }) => ({
      position,
      keywords: inOrder(this.distinct[position]!, keywords),
      patterns: inOrder(this.entries[position]!.patterns, patterns),
    }))
  }

  private compile(): Map<string, Term[]> {
    const byPart = new Map<string, Term[]>()
    const terms = { every: new Map<string, Term>(), some: new Map<string, Term>() }
    const add = (text: string, rule: Term['rule'], position: number) => {
      const known = terms[rule].get(text)
      if (known !== undefined) {
        known.owners.push(position)
        return
      }
      const term: Term = { text, rule, parts: splitWords(text), owners: [position] }
      terms[rule].set(text, term)
      for (const part of rule === 'every' ? term.parts.slice(0, 1) : new Set(term.parts)) {
        if (isRun(part)) this.longestRun = Math.max(this.longestRun, part.length)
        const under = byPart.get(part)
        if (under === undefined) byPart.set(part, [term])
        else under.push(term)
      }
    }
    this.entries.forEach((entry, position) => {
      if (!entry || !isDomain(entry) || !isUsable(entry)) return
      const keywords = distinctKeywords(entry.keywords)
      this.distinct[position] = keywords
      for (const keyword of keywords) add(keyword, 'every', position)
      for (const pattern of entry.patterns ?? []) add(pattern, 'some', position)
    })
    return byPart
  }
}

/** The keywords and patterns of an entry that match. They may be malformed. */
function hitsIn({ keywords, patterns }: LoadoutEntry, task: Words): Omit<Found, 'position'> {
  const hits = (texts: unknown, rule: Term['rule']): string[] =>
    Array.isArray(texts) ? texts.filter((text) => typeof text === 'string' && isHit(text, rule, task)) : []
  const met = hits(keywords, 'every')
  return { keywords: met.length < 2 ? met : [...distinctKeywords(met)], patterns: hits(patterns, 'some') }
}

/** The rule of a term, with short cuts for the common cases: a plain word, and a phrase whose first word is missing. */
function isHit(text: string, rule: Term['rule'], task: Words): boolean {
  const end = text.search(/[^a-z0-9]/)
  if (end < 0) return text.length > 1 && task.words.has(text)
  const isPhrase = rule === 'every' && end > 0 && (text[end] === ' ' || text[end] === '-')
  if (isPhrase && !task.words.has(text.slice(0, end))) return false
  return termMatches(splitWords(text), rule, task)
}

/** A domain entry as a result. The score: the share of keywords that matched, and a bonus for a pattern. */
function domainMatch(
  entry: LoadoutEntry,
  { keywords, patterns }: Omit<Found, 'position'>,
  { length: all } = distinctKeywords(entry.keywords),
): MatchResult {
  const score = Math.min(1, (all > 0 ? keywords.length / all : 0) + (patterns.length > 0 ? 0.2 : 0))
  const reasons = [
    keywords.length > 0 ? `keywords [${keywords.join(', ')}]` : [],
    patterns.length > 0 ? `patterns [${patterns.join(', ')}]` : [],
  ]
  const reason = reasons.flat().join(' + ')
  return { entry, score, matchedKeywords: keywords, matchedPatterns: patterns, reason, mode: 'lazy' }
}

/** A domain entry as a result, even if its score is too low for a task. */
export function matchEntry(entry: LoadoutEntry, task: string): MatchResult {
  return domainMatch(entry, hitsIn(entry, readWords(task)))
}

export function coreMatch(entry: LoadoutEntry): MatchResult {
  return { entry, score: 1, matchedKeywords: [], matchedPatterns: [], reason: 'core: always loaded', mode: 'eager' }
}

/** What made a strategy choose it, in a word. */
export function triggerOf({ entry, matchedKeywords, matchedPatterns }: MatchResult): string {
  return matchedKeywords[0] ?? matchedPatterns[0] ?? (entry.priority === 'core' ? 'core' : 'ranked')
}

/**
 * What the matcher compares: words, and runs of scripts that are written without blanks. Tasks, keywords and patterns
 * all pass through here, so texts that look the same match.
 */
interface Words {
  words: Set<string>
  /** Runs of Chinese, Japanese, Korean, Thai …: a keyword may occur anywhere inside one. */
  runs: string[]
}

// A function, not a constant: building the Unicode classes takes milliseconds that most tasks never need.
const unspaced = () =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\u3005]+/gu

function readWords(text: string): Words {
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

function termMatches(parts: readonly string[], rule: Term['rule'], { words, runs }: Words): boolean {
  const isMet = (part: string) => (isRun(part) ? runs.some((run) => run.includes(part)) : words.has(part))
  return parts.length > 0 && parts[rule](isMet)
}
