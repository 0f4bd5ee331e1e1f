import { stemWord } from './stem.ts'
import { STOP_WORDS } from './word-lists.ts'

/**
 * A term of a text. `stop`: a word without a subject. `joined`: a second reading of the words before it
 * (`ci/cd` → ci, cd and cicd; `.net` → net and .net), so it has no position in the word order.
 */
export type TermKind = 'word' | 'stop' | 'joined'

export interface Part {
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

const HUMP = /([a-z])([A-Z])/g
// Not in `URLs`, the plural of one.
const ACRONYM_END = /([A-Z]{2})([A-Z](?!s(?![a-z]))[a-z])/g
// Shared, since most words have one part.
const NONE: readonly Part[] = []
const MAX_READINGS = 1 << 17
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
export const HASH_START = 0x811c9dc5 | 0
export const HASH_FACTOR = 0x01000193

/** Reads the spelling in `units` from `start` to `end`; `hash` is its hash. */
export function readSpelling(units: Uint16Array, start: number, end: number, hash: number): Reading {
  const last = cells.length - 1
  for (let cell = (hash ^ (hash >>> 15)) & last; ; cell = (cell + 1) & last) {
    const known = cells[cell]!
    if (known === 0) return add(units, start, end, hash, read(textOf(units, start, end)))
    if (hashes[known - 1] === hash && isSpelled(known - 1, units, start, end)) return readings[known - 1]!
  }
}

/** Words joined by punctuation: `ci/cd`. `join` makes one word of them. */
export function readChain(
  units: Uint16Array,
  start: number,
  end: number,
  hash: number,
  join: (units: Uint16Array, start: number, end: number) => string,
): Part {
  const last = cells.length - 1
  for (let cell = (hash ^ (hash >>> 15)) & last; ; cell = (cell + 1) & last) {
    const known = cells[cell]!
    if (known === 0) return add(units, start, end, hash, joined(join(units, start, end))).first
    if (hashes[known - 1] === hash && isSpelled(known - 1, units, start, end)) return readings[known - 1]!.first
  }
}

export function dottedOf(reading: Reading): Part {
  const word = `.${reading.lower}`
  reading.dotted ??= { term: word, kind: 'joined', word, id: parts++ }
  return reading.dotted
}

function isSpelled(place: number, units: Uint16Array, start: number, end: number): boolean {
  const from = starts[place]!
  if (starts[place + 1]! - from !== end - start) return false
  for (let i = start; i < end; i++) if (spelled[from + i - start] !== units[i]) return false
  return true
}

function add(units: Uint16Array, start: number, end: number, hash: number, reading: Reading): Reading {
  if (readings.length === MAX_READINGS) startAnew()
  if (4 * readings.length >= cells.length) enlargeCells()
  const place = readings.length
  const from = starts[place]!
  const to = from + end - start
  if (to > spelled.length) spelled = enlarge(spelled, new Uint16Array(2 * to))
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
  hashes = enlarge(hashes, new Int32Array(cells.length / 4 + 1))
  starts = enlarge(starts, new Int32Array(cells.length / 4 + 2))
  for (let place = 0; place < readings.length; place++) cells[freeCell(hashes[place]!)] = place + 1
}

function enlarge<T extends Int32Array | Uint16Array>(array: T, larger: T): T {
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

export function textOf(units: Uint16Array, start: number, end: number): string {
  return String.fromCharCode(...units.subarray(start, end))
}

function read(spelling: string): Reading {
  const lower = spelling.toLowerCase()
  const words = lower === spelling ? [spelling] : splitHumps(spelling)
  const [first, ...others] = words.map((word) => readWord(word.toLowerCase()))
  if (others.length > 0) others.push(joinedPart(lower))
  return { lower, first: first!, others: others.length === 0 ? NONE : others, dotted: undefined }
}

function joined(chain: string): Reading {
  return { lower: chain, first: joinedPart(chain), others: NONE, dotted: undefined }
}

function joinedPart(word: string): Part {
  return { term: stemWord(word), kind: 'joined', word, id: parts++ }
}

// parseFile → parse, File; HTTPServer → HTTP, Server.
function splitHumps(spelling: string): string[] {
  const [hump, acronymEnd] = isAscii(spelling) ? [HUMP, ACRONYM_END] : unicodeHumps()
  return spelling.replace(hump, '$1 $2').replace(acronymEnd, '$1 $2').split(' ')
}

// A function, because property classes take milliseconds to build, and ASCII words never need them.
function unicodeHumps(): readonly [RegExp, RegExp] {
  return [/(\p{Ll})(\p{Lu})/gu, /(\p{Lu}{2})(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu]
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}

function readWord(word: string): Part {
  return { term: stemWord(word), kind: STOP_WORDS.has(word) ? 'stop' : 'word', word, id: parts++ }
}
