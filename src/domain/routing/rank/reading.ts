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
}

/** How one spelling is read: `parseFile` → parse, file, and joined parsefile. */
export interface Reading {
  readonly lower: string
  readonly parts: readonly Part[]
}

const HUMP = /(\p{Ll})(\p{Lu})/gu
const ACRONYM_END = /(\p{Lu}{2})(\p{Lu}\p{Ll})/gu

const MAX_READINGS = 100_000

// Words repeat: the reading of a spelling is computed once. Bounded, and no part of any result.
const readings = new Map<string, Reading>()

export function readSpelling(spelling: string): Reading {
  const known = readings.get(spelling)
  if (known !== undefined) return known
  if (readings.size >= MAX_READINGS) readings.clear()
  const reading = read(spelling)
  readings.set(spelling, reading)
  return reading
}

function read(spelling: string): Reading {
  const lower = spelling.toLowerCase()
  const words =
    lower === spelling ? [spelling] : spelling.replace(HUMP, '$1 $2').replace(ACRONYM_END, '$1 $2').split(' ')
  const parts = words.map((word) => readWord(word.toLowerCase()))
  if (parts.length > 1) parts.push({ term: stemWord(lower), kind: 'joined', word: lower })
  return { lower, parts }
}

function readWord(word: string): Part {
  return { term: stemWord(word), kind: STOP_WORDS.has(word) ? 'stop' : 'word', word }
}
