import type { Candidate } from './candidate.ts'
import { cutToSize, type Measure } from './size.ts'

/** A candidate with a place in the bundle. */
export interface Placed {
  candidate: Candidate
  excerpt: string
}

export interface Filling {
  placed: Placed[]
  left: Candidate[]
  /** What all of them would take in full. */
  wanted: number
  used: number
  /** Excerpts were made shorter than a file may be, so that no file had to go. */
  isShortened: boolean
}

export interface FillRules {
  measure: Measure
  maxCharsPerFile: number
  /** What a file takes besides its text, wherever it is shown: its line in the table, its heading, its fence. */
  overheadOf(candidate: Candidate): number
  cut(text: string, characters: number): string
}

/** The text of a candidate as far as one file may go. */
function fullText({ text, isWhole }: Candidate, { maxCharsPerFile, cut }: FillRules): string {
  return isWhole ? text : cut(text, maxCharsPerFile)
}

/** What candidates would take if there were room for all of them. */
export function wantedSize(candidates: readonly Candidate[], rules: FillRules): number {
  return candidates.reduce((sum, each) => sum + rules.overheadOf(each) + rules.measure(fullText(each, rules)), 0)
}

/**
 * Gives every file a place, with shorter excerpts if need be: the same limit for all, as high as the space allows. A
 * file is dropped, the last first, only when not even its heading fits.
 */
export function fillEvenly(candidates: readonly Candidate[], space: number, rules: FillRules): Filling {
  const wanted = wantedSize(candidates, rules)
  const all = candidates.map((candidate): Placed => ({ candidate, excerpt: fullText(candidate, rules) }))
  if (wanted <= space) return { placed: all, left: [], wanted, used: wanted, isShortened: false }
  const kept: Placed[] = []
  let headings = 0
  for (const each of all) {
    const overhead = rules.overheadOf(each.candidate)
    if (headings + overhead > space) break
    headings += overhead
    kept.push(each)
  }
  const sizeAt = (limit: number) =>
    kept.reduce((sum, { excerpt }) => sum + rules.measure(rules.cut(excerpt, limit)), headings)
  let [fits, tooLong] = [0, Math.max(0, ...kept.map(({ excerpt }) => excerpt.length)) + 1]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (sizeAt(middle) <= space) fits = middle
    else tooLong = middle
  }
  return {
    placed: kept.map(({ candidate, excerpt }) => ({ candidate, excerpt: rules.cut(excerpt, fits) })),
    left: candidates.slice(kept.length),
    wanted,
    used: sizeAt(fits),
    isShortened: kept.length > 0,
  }
}

/** In order: each whole if it fits; the first that does not is cut to what is left, and ends it. What cannot be cut is passed over. */
export function fillInOrder(candidates: readonly Candidate[], space: number, rules: FillRules): Filling {
  const placed: Placed[] = []
  const left: Candidate[] = []
  let rest = space
  let isFull = false
  for (const candidate of candidates) {
    const text = fullText(candidate, rules)
    const overhead = rules.overheadOf(candidate)
    const size = overhead + rules.measure(text)
    if (!isFull && size <= rest) {
      placed.push({ candidate, excerpt: text })
      rest -= size
    } else if (!isFull && !candidate.isWhole && overhead <= rest) {
      const excerpt = cutToSize(text, rest - overhead, rules.measure, rules.cut)
      placed.push({ candidate, excerpt })
      rest -= overhead + rules.measure(excerpt)
      isFull = true
    } else left.push(candidate)
  }
  return { placed, left, wanted: wantedSize(candidates, rules), used: space - rest, isShortened: false }
}
