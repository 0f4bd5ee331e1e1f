import { visitTerms } from '../../search/tokens.ts'
import { cut } from '../../text/cut.ts'
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

/** In lines: what is longer is split, what is shorter is joined to its neighbour. */
const LONGEST = 20
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

/**
 * The sections of a file in sizes that are worth showing: long ones are split, short ones joined. The signature of a long
 * definition is a section of its own, which its other parts name.
 */
export function sizeSections(path: string, text: string): SizedSection[] {
  // Where each line starts, and the last one ends: a file of a megabyte has 30,000 lines, and few of them are looked at.
  const starts: number[] = []
  for (let at = 0; at < text.length; at = text.indexOf('\n', at) + 1 || text.length) starts.push(at)
  const count = starts.length
  starts.push(text.length + (text.endsWith('\n') ? 0 : 1))
  const lineAt = (at: number) => text.slice(starts[at]!, starts[at + 1]! - 1)
  const isShort = ({ from, to }: Bounds) => to - from < 6 || starts[to]! - starts[from]! - (to - from) < 60

  const bounds: Bounds[] = []
  // A long definition is split at a blank line, or else anywhere.
  const add = (from: number, to: number, signature?: number) => {
    let start = from
    while (to - start > LONGEST) {
      let middle = start + LONGEST / 2
      for (let at = middle; at < start + LONGEST; at++) if (lineAt(at).trim() === '') middle = at + 1
      bounds.push({ from: start, to: middle, signature })
      start = middle
    }
    if (start < to) bounds.push({ from: start, to, signature })
  }
  const names: { name: string; line: number }[] = []
  for (const { from, to, level, title, symbols } of cut(path, text)) {
    if (level > 0) names.push({ name: title, line: from })
    else names.push(...symbols)
    const [first] = symbols
    if (to - from < LONGEST || first === undefined) {
      add(from - 1, to)
      continue
    }
    // A signature ends at the line that opens the body, or with the name.
    const start = first.line - 1
    let end = start + 1
    for (let at = start; at < Math.min(count, start + 5); at++) {
      if (!/[{:=]\s*$|=>\s*[({]?\s*$/.test(lineAt(at))) continue
      end = at + 1
      break
    }
    end = Math.min(to, end)
    add(from - 1, start)
    bounds.push({ from: start, to: end, signature: start })
    add(end, to, start)
  }

  const whole = /-----BEGIN [A-Z ]*PRIVATE KEY/.test(text) ? keepKeysWhole(bounds, lineAt) : bounds
  const sized: Bounds[] = []
  for (const each of whole) {
    const last = sized.at(-1)
    const isSame = last?.signature === each.signature && last?.signature !== last?.from
    if (last !== undefined && isSame && isShort(last) && each.to - last.from <= LONGEST) last.to = each.to
    else sized.push(each)
  }
  const [before, tail] = sized.slice(-2)
  if (before !== undefined && tail !== undefined && tail.from !== tail.signature && isShort(tail)) {
    before.to = tail.to
    sized.pop()
  }

  const heads = new Map(sized.flatMap(({ from, signature }, at) => (from === signature ? [[from, at] as const] : [])))
  let [named, outer] = [0, undefined as string | undefined]
  return sized.map(({ from, to, signature }) => {
    const own: string[] = []
    const around = outer
    for (; named < names.length && names[named]!.line <= to; named++) {
      outer = names[named]!.name
      own.push(outer)
    }
    const end = starts[to]!
    return {
      start: from + 1,
      end: to,
      text: end > text.length ? `${text.slice(starts[from])}\n` : text.slice(starts[from], end),
      symbols: own.length > 0 || around === undefined ? own : [around],
      head: signature === undefined || signature === from ? undefined : heads.get(signature),
    }
  })
}

/** A key that is split in two would not be recognised. */
function keepKeysWhole(bounds: readonly Bounds[], lineAt: (at: number) => string): Bounds[] {
  const kept: Bounds[] = []
  let isOpen = false
  for (const each of bounds) {
    const last = kept.at(-1)
    if (isOpen && last !== undefined) last.to = each.to
    else kept.push(each)
    for (let at = each.from; at < each.to; at++) {
      if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(lineAt(at))) isOpen = true
      if (/-----END [A-Z ]*PRIVATE KEY/.test(lineAt(at))) isOpen = false
    }
  }
  return kept
}

/**
 * Every word of a file, with the sections that have it, how often each, and where first among its words: for a file that
 * many tasks use.
 */
export type CountedWords = ReadonlyMap<string, readonly number[]>

export function countSections(sections: readonly SizedSection[]): CountedWords {
  const counted = new Map<string, number[]>()
  sections.forEach(({ text }, at) => {
    let first = 0
    visitTerms(text, (term) => {
      const known = counted.get(term)
      first++
      if (known === undefined) counted.set(term, [at, 1, first])
      else if (known[known.length - 3] === at) known[known.length - 2]!++
      else known.push(at, 1, first)
    })
  })
  return counted
}

/** The words of one answer, in the form in which its files are searched for them. */
export class WantedWords {
  private readonly byTerm: ReadonlyMap<string, WeighedTerm>
  /** Matches texts that may contain a word of the task: most need not be read word by word. */
  private readonly hint: RegExp

  constructor(terms: readonly WeighedTerm[]) {
    this.byTerm = new Map(terms.map((term) => [term.term, term]))
    const starts = new Set(terms.map(({ term }) => (/^[a-z0-9]+$/.test(term) ? startOf(term) : '.')))
    // Letters with accents are folded to others.
    this.hint = new RegExp([...starts, '[^\\x00-\\x7f]'].join('|'), 'g')
  }

  /**
   * The weight of each section of a file: its words by rarity, and half of the better neighbour's. `counted` saves
   * searching for the words.
   */
  weigh(sections: readonly SizedSection[], counted?: CountedWords): FileSection[] {
    const { byTerm } = this
    const found = counted === undefined ? this.search(sections) : this.lookUp(sections.length, counted)
    const own = found.map((words) =>
      words.reduce((sum, [{ weight }, count]) => sum + (weight * count) / (count + 1), 0),
    )
    return sections.map(({ start, end, text, symbols, head }, at) => {
      let [symbol, most] = [symbols[0], 0]
      // The one that the task mentions most; of equals the first.
      if (found[at]!.length > 0 && symbols.length > 1) {
        for (const each of symbols) {
          let sum = 0
          visitTerms(each, (term) => {
            sum += byTerm.get(term)?.weight ?? 0
          })
          if (sum > most) [symbol, most] = [each, sum]
        }
      }
      // Half of the better neighbour's weight, and a little for any section.
      const score = own[at]! + 0.5 * Math.max(own[at - 1] ?? 0, own[at + 1] ?? 0) + 0.3
      return { start, end, text, score, symbol, words: found[at]!.map(([{ word }]) => word), head }
    })
  }

  /** The words of the task in each section, in the order of the text, and how often each occurs. */
  private search(sections: readonly SizedSection[]): [WeighedTerm, number][][] {
    return sections.map(({ text }) => {
      const counts = new Map<WeighedTerm, number>()
      const likely = this.likelyWords(text)
      if (likely === '') return []
      visitTerms(likely, (term) => {
        const known = this.byTerm.get(term)
        if (known !== undefined) counts.set(known, (counts.get(known) ?? 0) + 1)
      })
      return [...counts]
    })
  }

  /** What `search` returns. */
  private lookUp(count: number, counted: CountedWords): [WeighedTerm, number][][] {
    const found = Array.from({ length: count }, (): [WeighedTerm, number, number][] => [])
    for (const [term, known] of this.byTerm) {
      const places = counted.get(term) ?? []
      for (let i = 0; i < places.length; i += 3) found[places[i]!]!.push([known, places[i + 1]!, places[i + 2]!])
    }
    return found.map((words) => words.sort((a, b) => a[2] - b[2]).map(([known, times]) => [known, times]))
  }

  /** Possible words of the task, each with everything between the blanks around it: no word contains a blank. */
  private likelyWords(text: string): string {
    const { hint } = this
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
}

/**
 * A stem differs from its words at the end. It occurs at the start of a word, or of a hump of one; joined words are
 * read as one word too.
 */
function startOf(term: string): string {
  const [first = '', ...rest] = term.length <= 3 ? term : term.slice(0, -1)
  const any = (letter: string) => (letter < 'a' ? letter : `[${letter}${letter.toUpperCase()}]`)
  const others = rest.map((letter) => `[-_./]?${any(letter)}`).join('')
  return `(?:^|[^A-Za-z])${any(first)}${others}|${first.toUpperCase()}${others}`
}

/** Like `\s` in ASCII. Other blanks count as letters: they only make a word longer. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}
