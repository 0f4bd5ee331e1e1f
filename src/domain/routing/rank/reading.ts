import { stemWord } from './stem.ts'
import { STOP_WORDS } from './stop-words.ts'

/**
 * A term of a text. `stop`: carries no subject. `joined`: a second reading of the words before it
 * (`ci/cd` → ci, cd and cicd; `.net` → net and .net), so it has no place in the word order.
 */
export type TermKind = 'word' | 'stop' | 'joined'

export interface Part {
  readonly term: string
  readonly kind: TermKind
  readonly word: string
  /** Its number in the cache of this process, until the cache is emptied (`generation`). */
  readonly id: number
}

/** How one spelling is read: `parseFile` → parse, file, and joined parsefile. */
export interface Reading {
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
const CELLS = 4 * MAX_READINGS

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
export function readSpelling(text: Uint16Array, start: number, end: number): Reading {
  if (cells.length === 0 || readings.length === MAX_READINGS) startAnew()
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
  for (let cell = (hash ^ (hash >>> 15)) & (CELLS - 1); ; cell = (cell + 1) & (CELLS - 1)) {
    const known = cells[cell]!
    if (known === 0 || isSpelled(readings[known - 1]!.spelling, text, start, end)) return cell
  }
}

function isSpelled(spelling: string, text: Uint16Array, start: number, end: number): boolean {
  if (spelling.length !== end - start) return false
  for (let i = start; i < end; i++) if (spelling.charCodeAt(i - start) !== text[i]) return false
  return true
}

function startAnew(): void {
  cells = new Int32Array(CELLS)
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
