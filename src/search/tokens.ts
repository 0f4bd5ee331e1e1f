import { STOP_WORDS, stemWord } from './word-lists.ts'

const SEPARATOR = 1
const WORD = 2
/** Scripts without blanks between words, and Hangul, whose particles are attached to words: read as pairs. */
const CJK = 3

// Filled on demand: 0 means not computed yet.
const classes = new Uint8Array(0x10000)

/** The class of the character the code unit at `at` belongs to; a lone surrogate is a separator. */
function charClass(units: Uint16Array, at: number, end: number): number {
  const unit = units[at]!
  const known = classes[unit]!
  if (known !== 0) return known
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const first = unit < 0xdc00 ? at : at - 1
    const pair = first < 0 || first + 1 >= end ? '' : String.fromCharCode(units[first]!, units[first + 1]!)
    return classify(pair !== '' && pair.codePointAt(0)! > 0xffff ? pair : '')
  }
  const found = classify(String.fromCharCode(unit))
  classes[unit] = found
  return found
}

function classify(char: string): number {
  if (char === '') return SEPARATOR
  if (char < '\x80') return /[a-z0-9]/i.test(char) ? WORD : SEPARATOR
  // Literals in here, because property classes take milliseconds to build, and ASCII texts never need them.
  const isCjk =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
  if (isCjk.test(char)) return CJK
  return /[\p{L}\p{N}\p{M}]/u.test(char) ? WORD : SEPARATOR
}

/** `word` is the spelling the term was read from, in lower case; `id` that of its part, or NO_ID. */
export type VisitTerm = (term: string, kind: TermKind, word: string, id: number) => void
const NO_ID = -1

/** The maximum length of text to read at once. */
export const MAX_TEXT = 100_000
const MAX_WORD = 48
const [APOSTROPHE, PLUS, HASH, DOT, NOTHING] = [39, 43, 35, 46, 0]
const CONTRACTIONS = new Set(['s', 't', 'd', 'm', 're', 'll', 've'])

export function visitTerms(input: string, visit: VisitTerm): void {
  const room = input.length <= SHORT_TEXT ? SHORT_TEXT : MAX_TEXT
  let units = spare.pop()
  if (units === undefined || units.length < room) units = new Uint16Array(room)
  const length = copyAscii(input, units)
  if (length >= 0) visitWords(units, length, visit)
  else {
    // Fold compatibility forms and accents, so that full-width, ligature and unaccented spellings match.
    const quoted = input.slice(0, MAX_TEXT).replace(/[\u2019\u2018]/g, "'")
    const text = quoted
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
    if (text.length > units.length) units = new Uint16Array(MAX_TEXT)
    const count = Math.min(text.length, MAX_TEXT)
    for (let i = 0; i < count; i++) units[i] = text.charCodeAt(i)
    visitWords(units, count, visit)
  }
  spare.push(units)
}

// Code units in an array are read several times faster than those of a concatenated string.
const spare: Uint16Array[] = []

const SHORT_TEXT = 2048
const encoder = new TextEncoder()
let bytes = new Uint8Array(SHORT_TEXT)

/** The number of copied units; negative when one of them is not ASCII. */
function copyAscii(text: string, units: Uint16Array): number {
  const length = Math.min(text.length, MAX_TEXT)
  // A loop copies few units faster.
  if (length <= 64) {
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 127) return -1
      units[i] = unit
    }
    return length
  }
  if (bytes.length < length) bytes = new Uint8Array(MAX_TEXT)
  const { read, written } = encoder.encodeInto(text, bytes)
  if (read < length || written !== read) return -1
  units.set(written === bytes.length ? bytes : bytes.subarray(0, written))
  return length
}

function visitWords(units: Uint16Array, length: number, visit: VisitTerm): void {
  // Words joined so far: "ci/cd".
  let [links, chainStart, chainEnd, chainHash] = [0, 0, 0, 0]
  let end = -2
  for (let start = 0; start < length; ) {
    const kind = charClass(units, start, length)
    if (kind === SEPARATOR) {
      start++
      continue
    }
    const before = start === end + 1 ? units[end]! : NOTHING
    if (!isGlue(before)) {
      if (links > 1) visitChain(units, chainStart, chainEnd, chainHash, visit)
      links = 0
    }
    if (kind === CJK) {
      end = runEnd(units, start, length, CJK)
      visitPairs(textOf(units, start, Math.min(end, start + MAX_WORD)), visit)
      start = end
      continue
    }
    let hash = HASH_START
    for (end = start; end < length && charClass(units, end, length) === WORD; end++) {
      if (end < start + MAX_WORD) hash = Math.imul(hash ^ units[end]!, HASH_FACTOR)
    }
    for (const sign = signEnd(units, end, length); end < sign; end++) {
      if (end < start + MAX_WORD) hash = Math.imul(hash ^ units[end]!, HASH_FACTOR)
    }
    const reading = readSpelling(units, start, Math.min(end, start + MAX_WORD), hash, readWord)
    if (before !== APOSTROPHE || !CONTRACTIONS.has(reading.lower)) {
      visitPart(reading.first, visit)
      for (let i = 0; i < reading.others.length; i++) visitPart(reading.others[i]!, visit)
      if (isDotted(units, start, length)) {
        const word = `.${reading.lower}`
        reading.dotted ??= { term: word, kind: 'joined', word, id: parts++ }
        visitPart(reading.dotted, visit)
      }
      if (links++ === 0) chainStart = start
      chainEnd = end
      chainHash = links === 1 ? hash : Math.imul(chainHash ^ hash, HASH_FACTOR)
    }
    start = end
  }
  if (links > 1) visitChain(units, chainStart, chainEnd, chainHash, visit)
}

function visitPart({ term, kind, word, id }: Part, visit: VisitTerm): void {
  visit(term, kind, word, id)
}

/** The different words of a text that carry a subject. */
export function termsOf(text: string): string[] {
  const terms = new Set<string>()
  visitTerms(text, (term, kind) => {
    if (kind === 'word') terms.add(term)
  })
  return [...terms]
}

/** A term, its kind, and the word it was read from, in lower case. */
export type ReadTerm = Pick<Part, 'term' | 'kind' | 'word'>

/** Every term of a text in order. */
export function readTerms(text: string): ReadTerm[] {
  const terms: ReadTerm[] = []
  visitTerms(text, (term, kind, word) => void terms.push({ term, kind, word }))
  return terms
}

/** The words among the terms of a text, also those without a subject. */
export function wordsAmong(terms: readonly ReadTerm[]): ReadTerm[] {
  return terms.filter(({ kind }) => kind !== 'joined')
}

function runEnd(units: Uint16Array, start: number, length: number, kind: number): number {
  let end = start + 1
  while (end < length && charClass(units, end, length) === kind) end++
  return end
}

// c++, c#, f#
function signEnd(units: Uint16Array, end: number, length: number): number {
  if (units[end] !== PLUS && units[end] !== HASH) return end
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

/** In longer ones the words alone exceed the maximum word length, or nearly. */
const LONGEST_CHAIN = 4 * MAX_WORD

function visitChain(units: Uint16Array, start: number, end: number, hash: number, visit: VisitTerm): void {
  if (end - start <= LONGEST_CHAIN) {
    const { first } = readSpelling(units, start, end, hash, readChain)
    if (first.term !== '') visitPart(first, visit)
    return
  }
  const word = joinWords(units, start, end)
  if (word !== '') visit(stemWord(word), 'joined', word, NO_ID)
}

/** Words without their joining punctuation; empty when longer than a word may be. */
function joinWords(units: Uint16Array, start: number, end: number): string {
  let chain = ''
  for (let at = start; at < end && chain.length <= MAX_WORD; ) {
    const kind = charClass(units, at, end)
    const next = runEnd(units, at, end, kind)
    if (kind === WORD) chain += textOf(units, at, Math.min(signEnd(units, next, end), at + MAX_WORD)).toLowerCase()
    at = next
  }
  return chain.length > MAX_WORD ? '' : chain
}

function visitPairs(run: string, visit: VisitTerm): void {
  const chars = [...run]
  if (chars.length === 1) visit(run, 'word', run, NO_ID)
  for (let i = 0; i + 1 < chars.length; i++) {
    const pair = chars[i]! + chars[i + 1]!
    visit(pair, 'word', pair, NO_ID)
  }
}

/**
 * A term of a text. `stop`: a word without a subject. `joined`: a second reading of the words before it
 * (`ci/cd` → ci, cd and cicd; `.net` → net and .net), so it has no position in the word order.
 */
export type TermKind = 'word' | 'stop' | 'joined'

interface Part {
  readonly term: string
  readonly kind: TermKind
  readonly word: string
  /** Its number in the cache of this process, unique in the process. */
  readonly id: number
}

/** The terms of one spelling: `parseFile` → parse, file, and joined parsefile. */
interface Reading {
  readonly lower: string
  readonly first: Part
  readonly others: readonly Part[]
  /** With a leading dot; computed on demand. */
  dotted: Part | undefined
}

// Shared, since most words have one part.
const NONE: readonly Part[] = []
const FEWEST_CELLS = 1 << 12
const FEWEST_UNITS = 1 << 14

// Words repeat: each spelling is read once and found again without cutting it out of its text. The cache is bounded and
// never changes a result. Open addressing: a cell holds an index into `readings` plus 1; 0 means free. The spellings
// lie one after another in `spelled`, each from its offset in `starts`.
let cells = new Int32Array(FEWEST_CELLS)
let readings: Reading[] = []
let hashes = new Int32Array(FEWEST_CELLS)
let starts = new Int32Array(FEWEST_CELLS)
let spelled = new Uint16Array(FEWEST_UNITS)
let parts = 0
let oldest = 0

/** The smallest id that a part can still have: it grows when the cache is emptied. */
export function firstId(): number {
  return oldest
}

/** The initial value of a hash, and how a code unit or the hash of another word is mixed in. */
const HASH_START = 0x811c9dc5 | 0
const HASH_FACTOR = 0x01000193

/** The reading of the spelling in `units` from `start` to `end`; `hash` is its hash. A new one is made of its text. */
function readSpelling(
  units: Uint16Array,
  start: number,
  end: number,
  hash: number,
  make: (units: Uint16Array, start: number, end: number) => Reading,
): Reading {
  const last = cells.length - 1
  for (let cell = (hash ^ (hash >>> 15)) & last; ; cell = (cell + 1) & last) {
    const known = cells[cell]!
    if (known === 0) return add(units, start, end, hash, make(units, start, end))
    if (hashes[known - 1] === hash && isSpelled(known - 1, units, start, end)) return readings[known - 1]!
  }
}

function isSpelled(place: number, units: Uint16Array, start: number, end: number): boolean {
  const from = starts[place]!
  if (starts[place + 1]! - from !== end - start) return false
  for (let i = start; i < end; i++) if (spelled[from + i - start] !== units[i]) return false
  return true
}

function add(units: Uint16Array, start: number, end: number, hash: number, reading: Reading): Reading {
  if (readings.length === 2 ** 17) startAnew()
  if (4 * readings.length >= cells.length) enlargeCells()
  const place = readings.length
  const from = starts[place]!
  const to = from + end - start
  if (to > spelled.length) spelled = enlarge(spelled, 2 * to)
  for (let i = start; i < end; i++) spelled[from + i - start] = units[i]!
  starts[place + 1] = to
  hashes[place] = hash
  cells[freeCell(hash)] = readings.push(reading)
  return reading
}

function freeCell(hash: number): number {
  const last = cells.length - 1
  let cell = (hash ^ (hash >>> 15)) & last
  while (cells[cell] !== 0) cell = (cell + 1) & last
  return cell
}

/** At most a quarter of the cells is used; a process that reads one task needs few. */
function enlargeCells(): void {
  cells = new Int32Array(4 * cells.length)
  hashes = enlarge(hashes, cells.length / 4 + 1)
  starts = enlarge(starts, cells.length / 4 + 2)
  for (let place = 0; place < readings.length; place++) cells[freeCell(hashes[place]!)] = place + 1
}

/** A longer array with the same numbers in front; by default twice as long. */
export function enlarge<T extends Int32Array | Uint32Array | Uint16Array | Uint8Array | Float64Array>(
  array: T,
  length = 2 * array.length,
): T {
  const larger = new (array.constructor as new (length: number) => T)(length)
  larger.set(array)
  return larger
}

function startAnew(): void {
  cells = new Int32Array(FEWEST_CELLS)
  readings = []
  hashes = new Int32Array(FEWEST_CELLS)
  starts = new Int32Array(FEWEST_CELLS)
  oldest = parts
}

function textOf(units: Uint16Array, start: number, end: number): string {
  return String.fromCharCode(...units.subarray(start, end))
}

function readWord(units: Uint16Array, start: number, end: number): Reading {
  const spelling = textOf(units, start, end)
  const lower = spelling.toLowerCase()
  let words = [lower]
  if (lower !== spelling) {
    // parseFile → parse, File; HTTPServer → HTTP, Server; not in `URLs`, the plural of one. Two forms, because property
    // classes take milliseconds to build, and ASCII words never need them.
    const isAscii = !/[\u0080-\uffff]/.test(spelling)
    const hump = isAscii ? /([a-z])([A-Z])/g : /(\p{Ll})(\p{Lu})/gu
    const acronymEnd = isAscii ? /([A-Z]{2})([A-Z](?!s(?![a-z]))[a-z])/g : /(\p{Lu}{2})(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu
    words = spelling.replace(hump, '$1 $2').replace(acronymEnd, '$1 $2').toLowerCase().split(' ')
  }
  const [first, ...others] = words.map(
    (word): Part => ({ term: stemWord(word), kind: STOP_WORDS.has(word) ? 'stop' : 'word', word, id: parts++ }),
  )
  if (others.length > 0) others.push(joinedPart(lower))
  return { lower, first: first!, others: others.length === 0 ? NONE : others, dotted: undefined }
}

/** Words joined by punctuation as one: `ci/cd`. */
function readChain(units: Uint16Array, start: number, end: number): Reading {
  const chain = joinWords(units, start, end)
  return { lower: chain, first: joinedPart(chain), others: NONE, dotted: undefined }
}

function joinedPart(word: string): Part {
  return { term: stemWord(word), kind: 'joined', word, id: parts++ }
}
