import { stemWord } from './stem.ts'
import { STOP_WORDS } from './word-lists.ts'

/**
 * A term of a text. `stop`: carries no subject. `joined`: a second reading of the words before it
 * (`ci/cd` → ci, cd and cicd; `.net` → net and .net), so it has no place in the word order.
 */
export type TermKind = 'word' | 'stop' | 'joined'

interface Part {
  readonly term: string
  readonly kind: TermKind
  readonly word: string
  /** Its number in the cache of this process, until the cache is emptied (`generation`). */
  readonly id: number
}

/** How one spelling is read: `parseFile` → parse, file, and joined parsefile. */
interface Reading {
  readonly spelling: string
  readonly lower: string
  readonly first: Part
  readonly others: readonly Part[]
}

const HUMP = /([a-z])([A-Z])/g
const ACRONYM_END = /([A-Z]{2})([A-Z][a-z])/g
// One for all, since most words have one part.
const NONE: readonly Part[] = []
const MAX_READINGS = 1 << 17
const FEWEST_CELLS = 1 << 12

// Words repeat: the reading of a spelling is computed once, and found again without cutting the spelling out of its
// text. Bounded, and no part of any result. Open addressing; a cell holds a place in `readings` + 1, and 0 is free.
let cells = new Int32Array(0)
let readings: Reading[] = []
let parts = 0
let generation = 0

/** Changes when the ids of parts start anew. */
export function readingGeneration(): number {
  return generation
}

/** Reads what stands in `text` from `start` to `end`. */
function readSpelling(text: Uint16Array, start: number, end: number): Reading {
  if (readings.length === MAX_READINGS) startAnew()
  if (4 * readings.length >= cells.length) enlarge()
  const cell = cellOf(text, start, end)
  const known = cells[cell]!
  if (known !== 0) return readings[known - 1]!
  const reading = read(String.fromCharCode(...text.subarray(start, end)))
  cells[cell] = readings.push(reading)
  return reading
}

function cellOf(text: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text[i]!, 0x01000193)
  const last = cells.length - 1
  for (let cell = (hash ^ (hash >>> 15)) & last; ; cell = (cell + 1) & last) {
    const known = cells[cell]!
    if (known === 0 || isSpelled(readings[known - 1]!.spelling, text, start, end)) return cell
  }
}

function isSpelled(spelling: string, text: Uint16Array, start: number, end: number): boolean {
  if (spelling.length !== end - start) return false
  for (let i = start; i < end; i++) if (spelling.charCodeAt(i - start) !== text[i]) return false
  return true
}

/** At most a quarter of the cells is taken; a process that reads one task needs few. */
function enlarge(): void {
  cells = new Int32Array(Math.max(FEWEST_CELLS, 4 * cells.length))
  readings.forEach(({ spelling }, place) => {
    const units = Uint16Array.from({ length: spelling.length }, (_, i) => spelling.charCodeAt(i))
    cells[cellOf(units, 0, units.length)] = place + 1
  })
}

function startAnew(): void {
  cells = new Int32Array(0)
  readings = []
  parts = 0
  generation++
}

function read(spelling: string): Reading {
  const lower = spelling.toLowerCase()
  const words = lower === spelling ? [spelling] : splitHumps(spelling)
  const [first, ...others] = words.map((word) => readWord(word.toLowerCase()))
  if (others.length > 0) others.push({ term: stemWord(lower), kind: 'joined', word: lower, id: parts++ })
  return { spelling, lower, first: first!, others: others.length === 0 ? NONE : others }
}

// parseFile → parse, File; HTTPServer → HTTP, Server.
function splitHumps(spelling: string): string[] {
  const [hump, acronymEnd] = isAscii(spelling) ? [HUMP, ACRONYM_END] : unicodeHumps()
  return spelling.replace(hump, '$1 $2').replace(acronymEnd, '$1 $2').split(' ')
}

// A function, because property classes take milliseconds to build, which words in ASCII never need.
function unicodeHumps(): readonly [RegExp, RegExp] {
  return [/(\p{Ll})(\p{Lu})/gu, /(\p{Lu}{2})(\p{Lu}\p{Ll})/gu]
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}

function readWord(word: string): Part {
  return { term: stemWord(word), kind: STOP_WORDS.has(word) ? 'stop' : 'word', word, id: parts++ }
}

const SEPARATOR = 1
const WORD = 2
/** Scripts written without blanks between words, and Hangul, whose particles stick to words: read as pairs. */
const CJK = 3

// Filled on demand: 0 means not asked yet.
const classes = new Uint8Array(0x10000)

/** The class of the character the code unit at `at` belongs to; a lone surrogate is a separator. */
function charClass(units: Uint16Array, at: number, end: number): number {
  const unit = units[at]!
  const known = classes[unit]!
  if (known !== 0) return known
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(pairAt(units, at, end))
  const found = classify(String.fromCharCode(unit))
  classes[unit] = found
  return found
}

// Empty for a lone surrogate.
function pairAt(units: Uint16Array, at: number, end: number): string {
  const first = units[at]! < 0xdc00 ? at : at - 1
  if (first < 0 || first + 1 >= end) return ''
  const pair = String.fromCharCode(units[first]!, units[first + 1]!)
  return pair.codePointAt(0)! > 0xffff ? pair : ''
}

function classify(char: string): number {
  if (char === '') return SEPARATOR
  if (char < '\x80') return /[a-z0-9]/i.test(char) ? WORD : SEPARATOR
  if (cjkPattern().test(char)) return CJK
  return wordPattern().test(char) ? WORD : SEPARATOR
}

// Functions, because property classes take milliseconds to build, which texts in ASCII never need.
function wordPattern(): RegExp {
  return /[\p{L}\p{N}\p{M}]/u
}

function cjkPattern(): RegExp {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
}

/** `word` is the spelling the term was read from, in lower case; `id` that of its part, or NO_ID. */
export type VisitTerm = (term: string, kind: TermKind, word: string, id: number) => void
export const NO_ID = -1

/** No more of a text is read in one go. */
export const MAX_TEXT = 100_000
const MAX_WORD = 48
const [APOSTROPHE, PLUS, HASH, DOT, NOTHING] = [39, 43, 35, 46, 0]
const CONTRACTIONS = new Set(['s', 't', 'd', 'm', 're', 'll', 've'])
const MARKS = /[\u0300-\u036f]/g

export function visitTerms(input: string, visit: VisitTerm): void {
  const text = isAscii(input) ? input : fold(input.slice(0, MAX_TEXT))
  const end = Math.min(text.length, MAX_TEXT)
  let units = spare.pop()
  if (units === undefined || units.length < end) units = new Uint16Array(end <= SHORT_TEXT ? SHORT_TEXT : MAX_TEXT)
  for (let i = 0; i < end; i++) units[i] = text.charCodeAt(i)
  visitWords(units, end, visit)
  spare.push(units)
}

// Code units in an array are read several times faster than those of a string that was put together from others.
const spare: Uint16Array[] = []

const SHORT_TEXT = 2048

// Compatibility forms and accents are folded, so that full-width, ligature and unaccented spellings meet.
function fold(input: string): string {
  return input
    .replace(/[\u2019\u2018]/g, "'")
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
}

function visitWords(units: Uint16Array, length: number, visit: VisitTerm): void {
  // Words glued together so far: "ci/cd".
  let chain = ''
  let links = 0
  let end = -2
  for (let start = 0; start < length; ) {
    const kind = charClass(units, start, length)
    if (kind === SEPARATOR) {
      start++
      continue
    }
    const before = start === end + 1 ? units[end]! : NOTHING
    if (!isGlue(before)) {
      if (links > 1) visitChain(chain, visit)
      chain = ''
      links = 0
    }
    end = wordEnd(units, start, length, kind)
    const cut = Math.min(end, start + MAX_WORD)
    if (kind === CJK) visitPairs(String.fromCharCode(...units.subarray(start, cut)), visit)
    else {
      const { first, others, lower } = readSpelling(units, start, cut)
      if (before !== APOSTROPHE || !CONTRACTIONS.has(lower)) {
        visit(first.term, first.kind, first.word, first.id)
        for (const { term, kind, word, id } of others) visit(term, kind, word, id)
        if (isDotted(units, start, length)) visit(`.${lower}`, 'joined', `.${lower}`, NO_ID)
        chain = links++ === 0 ? lower : chain + lower
      }
    }
    start = end
  }
  if (links > 1) visitChain(chain, visit)
}

/** The different words of a text that carry a subject. */
export function termsOf(text: string): string[] {
  const terms = new Set<string>()
  visitTerms(text, (term, kind) => {
    if (kind === 'word') terms.add(term)
  })
  return [...terms]
}

/** A word as it is written, in lower case, and its term. */
export interface ReadWord {
  readonly word: string
  readonly term: string
}

/** Every word of a text in its order, those without a subject too. */
export function readWords(text: string): ReadWord[] {
  const words: ReadWord[] = []
  visitTerms(text, (term, kind, word) => {
    if (kind !== 'joined') words.push({ word, term })
  })
  return words
}

function wordEnd(units: Uint16Array, start: number, length: number, kind: number): number {
  let end = start + 1
  while (end < length && charClass(units, end, length) === kind) end++
  if (kind !== WORD) return end
  // c++, c#, f#
  let sign = end
  while (sign < length && sign < end + 2 && (units[sign] === PLUS || units[sign] === HASH)) sign++
  return sign < length && charClass(units, sign, length) !== SEPARATOR ? end : sign
}

// ".net" and ".toml" at the start of a word; not the dot inside "main.toml" or at the end of a sentence.
function isDotted(units: Uint16Array, start: number, length: number): boolean {
  if (start === 0 || units[start - 1] !== DOT) return false
  return start === 1 || (charClass(units, start - 2, length) === SEPARATOR && !isGlue(units[start - 2]!))
}

// - _ . /
function isGlue(unit: number): boolean {
  return unit === 45 || unit === 95 || unit === DOT || unit === 47
}

function visitChain(chain: string, visit: VisitTerm): void {
  if (chain.length <= MAX_WORD) visit(stemWord(chain), 'joined', chain, NO_ID)
}

function visitPairs(run: string, visit: VisitTerm): void {
  const chars = [...run]
  if (chars.length === 1) visit(run, 'word', run, NO_ID)
  for (let i = 0; i + 1 < chars.length; i++) {
    const pair = chars[i]! + chars[i + 1]!
    visit(pair, 'word', pair, NO_ID)
  }
}
