import { visitTerms } from '../../search/tokens.ts'

/** The data of plain BM25 for a file: how often each wanted term occurs, and the number of its terms. */
export interface TermCounts {
  counts: ReadonlyMap<string, number>
  length: number
}

const PATH_TIMES = 3

/** Counts the terms of a file's text, and those of its path three times. */
export function countTerms(path: string, text: string, wanted: ReadonlySet<string>): TermCounts {
  const counts = new Map<string, number>()
  let length = 0
  const count = (times: number) => (term: string) => {
    length += times
    if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + times)
  }
  visitTerms(text, count(1))
  visitTerms(path, count(PATH_TIMES))
  return { counts, length }
}

const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** The positions of the files with any of the terms, best first: the baseline for any choice. */
export function rankPlainly(terms: readonly string[], files: readonly TermCounts[]): number[] {
  const average = files.reduce((sum, { length }) => sum + length, 0) / Math.max(1, files.length)
  const scores = new Float64Array(files.length)
  for (const term of new Set(terms)) {
    const holders = files.filter(({ counts }) => counts.has(term)).length
    const rarity = Math.log(1 + (files.length - holders + 0.5) / (holders + 0.5))
    files.forEach(({ counts, length }, at) => {
      const often = counts.get(term) ?? 0
      const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / average)
      scores[at]! += (rarity * often * (SATURATION + 1)) / (often + norm)
    })
  }
  const found = files.flatMap((_, at) => (scores[at]! > 0 ? [at] : []))
  return found.sort((a, b) => scores[b]! - scores[a]! || a - b)
}
