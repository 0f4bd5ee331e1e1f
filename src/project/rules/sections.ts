import { visitTerms } from '../../search/tokens.ts'
import { cut } from '../../text/cut.ts'
import type { Definition } from '../../text/definitions.ts'
import { splitLines } from './file-document.ts'
import type { WeighedTerm } from './signals.ts'

/** Lines of a file that belong together, and their weight for a task. */
export interface FileSection {
  /** The first and the last line, from 1. */
  start: number
  end: number
  text: string
  /** 0 to 1 within one answer. */
  score: number
  /** Its definition that the task mentions, or else the first; or its heading. */
  symbol: string | undefined
  /** Words of the task in it. */
  words: readonly string[]
  /** The place of the section with the signature, if it is a later part of a long definition. */
  head?: number | undefined
}

const LONGEST = 20
const SHORTEST = 6
const LONGEST_SIGNATURE = 5
const FEWEST_CHARS = 60

/**
 * The sections of a file in sizes that are worth showing: long ones are split, short ones joined. The signature of a long
 * definition is a section of its own, which its other parts name.
 */
export function sizeSections(path: string, text: string): SizedSection[] {
  const lines = splitLines(text)
  const sections = cut(path, text)
  const bounds = sections.flatMap(({ from, to, symbols }) => {
    const [name] = symbols
    if (to - from < LONGEST || name === undefined) return splitLong(lines, from - 1, to)
    const start = name.line - 1
    const end = Math.min(to, endOfSignature(lines, start))
    return [
      ...splitLong(lines, from - 1, start),
      { from: start, to: end, signature: start },
      ...splitLong(lines, end, to).map((each) => ({ ...each, signature: start })),
    ]
  })
  const names = sections.flatMap(({ level, title, from, symbols }) =>
    level > 0 ? [{ name: title, line: from }] : symbols,
  )
  let [named, before] = [0, undefined as Definition | undefined]
  const sized = joinShort(keepKeysWhole(bounds, lines), lines)
  const heads = new Map(sized.flatMap(({ from, signature }, at) => (from === signature ? [[from, at] as const] : [])))
  return sized.map(({ from, to, signature }) => {
    const own: string[] = []
    const outer = before?.name
    for (; named < names.length && names[named]!.line <= to; named++) {
      before = names[named]!
      own.push(before.name)
    }
    return {
      start: from + 1,
      end: to,
      text: `${lines.slice(from, to).join('\n')}\n`,
      symbols: own.length > 0 || outer === undefined ? own : [outer],
      head: signature === undefined || signature === from ? undefined : heads.get(signature),
    }
  })
}

/** The first line after a signature: behind the line that opens the body, or a few lines after the name. */
function endOfSignature(lines: readonly string[], start: number): number {
  for (let at = start; at < Math.min(lines.length, start + LONGEST_SIGNATURE); at++) {
    if (/[{:=]\s*$|=>\s*[({]?\s*$/.test(lines[at]!)) return at + 1
  }
  return start + 1
}

interface SizedSection extends Pick<FileSection, 'start' | 'end' | 'text' | 'head'> {
  /** Its definitions or headings, or else the one that it is a part of. */
  symbols: readonly string[]
}

interface Bounds {
  from: number
  to: number
  /** The line of the definition that it is a part of, if that is long. */
  signature?: number
}

const KEY_START = /-----BEGIN [A-Z ]*PRIVATE KEY/
const KEY_END = /-----END [A-Z ]*PRIVATE KEY/

/** A long definition is split at a blank line, or else anywhere. */
function splitLong(lines: readonly string[], from: number, to: number): Bounds[] {
  const bounds: Bounds[] = []
  let start = from
  while (to - start > LONGEST) {
    let cut = start + LONGEST / 2
    for (let at = start + LONGEST / 2; at < start + LONGEST; at++) if (lines[at]!.trim() === '') cut = at + 1
    bounds.push({ from: start, to: cut })
    start = cut
  }
  if (start < to) bounds.push({ from: start, to })
  return bounds
}

/** A key that is split in two would not be recognised. */
function keepKeysWhole(bounds: readonly Bounds[], lines: readonly string[]): Bounds[] {
  const kept: Bounds[] = []
  let isOpen = false
  for (const each of bounds) {
    const last = kept.at(-1)
    if (isOpen && last !== undefined) last.to = each.to
    else kept.push({ ...each })
    for (let at = each.from; at < each.to; at++) {
      if (KEY_START.test(lines[at]!)) isOpen = true
      if (KEY_END.test(lines[at]!)) isOpen = false
    }
  }
  return kept
}

function joinShort(bounds: readonly Bounds[], lines: readonly string[]): Bounds[] {
  const joined: Bounds[] = []
  for (const each of bounds) {
    const last = joined.at(-1)
    const isSame = last?.signature === each.signature && last?.signature !== last?.from
    if (last !== undefined && isSame && isShort(last, lines) && each.to - last.from <= LONGEST) last.to = each.to
    else joined.push({ ...each })
  }
  const tail = joined.at(-1)
  const before = joined.at(-2)
  if (tail !== undefined && before !== undefined && tail.from !== tail.signature && isShort(tail, lines)) {
    before.to = tail.to
    joined.pop()
  }
  return joined
}

function isShort({ from, to }: Bounds, lines: readonly string[]): boolean {
  if (to - from < SHORTEST) return true
  let chars = 0
  for (let at = from; at < to; at++) chars += lines[at]!.length
  return chars < FEWEST_CHARS
}

const NEIGHBOUR = 0.5
const FLOOR = 0.3

/** All words of a section, in the order of the text, and how often each occurs. */
interface SectionTerms {
  terms: readonly string[]
  counts: readonly number[]
}

/** For a file that many tasks use. */
export function countSections(sections: readonly SizedSection[]): SectionTerms[] {
  return sections.map(({ text }) => {
    const counts = new Map<string, number>()
    visitTerms(text, (term) => counts.set(term, (counts.get(term) ?? 0) + 1))
    return { terms: [...counts.keys()], counts: [...counts.values()] }
  })
}

function pickCounts({ terms, counts }: SectionTerms, byTerm: ReadonlyMap<string, WeighedTerm>) {
  const picked = new Map<WeighedTerm, number>()
  for (let at = 0; at < terms.length; at++) {
    const known = byTerm.get(terms[at]!)
    if (known !== undefined) picked.set(known, counts[at]!)
  }
  return picked
}

/**
 * The weight of each section of a file for a task: its words by rarity, and half of the better neighbour's. `counted`
 * saves searching for the words.
 */
export function weighSections(
  sections: readonly SizedSection[],
  terms: readonly WeighedTerm[],
  counted?: readonly SectionTerms[],
): FileSection[] {
  const { byTerm, hint } = wantedOf(terms)
  const found = sections.map((section, at) =>
    counted === undefined ? countTerms(section.text, byTerm, hint) : pickCounts(counted[at]!, byTerm),
  )
  const own = found.map((counts) => {
    let sum = 0
    for (const [{ weight }, count] of counts) sum += (weight * count) / (count + 1)
    return sum
  })
  return sections.map(({ symbols, ...section }, at) => ({
    ...section,
    symbol: found[at]!.size === 0 ? symbols[0] : symbolFor(symbols, byTerm),
    score: own[at]! + NEIGHBOUR * Math.max(own[at - 1] ?? 0, own[at + 1] ?? 0) + FLOOR,
    words: [...found[at]!.keys()].map(({ word }) => word),
  }))
}

interface Wanted {
  byTerm: ReadonlyMap<string, WeighedTerm>
  hint: RegExp
}

// The files of one answer are searched for the same words.
const wanted = new WeakMap<readonly WeighedTerm[], Wanted>()

function wantedOf(terms: readonly WeighedTerm[]): Wanted {
  const known = wanted.get(terms)
  if (known !== undefined) return known
  const made = { byTerm: new Map(terms.map((term) => [term.term, term])), hint: hintOf(terms) }
  wanted.set(terms, made)
  return made
}

/** The one that the task mentions most; of equals the first. */
function symbolFor(symbols: readonly string[], byTerm: ReadonlyMap<string, WeighedTerm>): string | undefined {
  let [best, most] = [symbols[0], 0]
  for (const symbol of symbols) {
    let sum = 0
    visitTerms(symbol, (term) => {
      sum += byTerm.get(term)?.weight ?? 0
    })
    if (sum > most) [best, most] = [symbol, sum]
  }
  return best
}

/** Matches texts that may contain a word of the task: most need not be read word by word. */
function hintOf(terms: readonly WeighedTerm[]): RegExp {
  const starts = new Set(terms.map(({ term }) => (/^[a-z0-9]+$/.test(term) ? startOf(term) : '.')))
  // Letters with accents are folded to others.
  return new RegExp([...starts, '[^\\x00-\\x7f]'].join('|'), 'g')
}

const SHORT = 3

/**
 * A stem differs from its words at the end. It occurs at the start of a word, or of a hump of one; joined words are
 * read as one word too.
 */
function startOf(term: string): string {
  const [first = '', ...rest] = term.length <= SHORT ? term : term.slice(0, -1)
  const any = (letter: string) => (letter < 'a' ? letter : `[${letter}${letter.toUpperCase()}]`)
  const others = rest.map((letter) => `[-_./]?${any(letter)}`).join('')
  return `(?:^|[^A-Za-z])${any(first)}${others}|${first.toUpperCase()}${others}`
}

function countTerms(text: string, byTerm: ReadonlyMap<string, WeighedTerm>, hint: RegExp): Map<WeighedTerm, number> {
  const counts = new Map<WeighedTerm, number>()
  const likely = likelyWords(text, hint)
  if (likely === '') return counts
  visitTerms(likely, (term) => {
    const known = byTerm.get(term)
    if (known !== undefined) counts.set(known, (counts.get(known) ?? 0) + 1)
  })
  return counts
}

/**
 * Possible words of the task, each with everything between the blanks around it: no word contains a blank.
 */
function likelyWords(text: string, hint: RegExp): string {
  let words = ''
  hint.lastIndex = 0
  for (let found = hint.exec(text); found !== null; found = hint.exec(text)) {
    // The match may start with the blank before its word, or be a blank.
    let start = hint.lastIndex - 1
    if (isBlank(text.charCodeAt(start))) continue
    while (start > 0 && !isBlank(text.charCodeAt(start - 1))) start--
    let end = hint.lastIndex
    while (end < text.length && !isBlank(text.charCodeAt(end))) end++
    words += `${text.slice(start, end)} `
    hint.lastIndex = end
  }
  return words
}

/** Like `\s` in ASCII. Other blanks count as letters: they only make a word longer. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}
