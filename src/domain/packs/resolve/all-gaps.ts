import type { PackResolution } from './resolution.ts'

/** The one thing to do about a gap. */
export const RECOMMENDATION = 'ask_user_or_mark_unknown'

/** Everything that is missing: facts, and sources of what is stated. */
export function allGaps({ missing, citationGaps }: Pick<PackResolution, 'missing' | 'citationGaps'>): string[] {
  const sources = [...new Set(citationGaps.map(({ path }) => path))].map((path) => {
    const lines = citationGaps.filter((each) => each.path === path).map(({ line }) => line)
    return `a source for ${path}, line${lines.length > 1 ? 's' : ''} ${summarizeLines(lines)}`
  })
  return [...missing, ...sources]
}

const MOST_LINES = 8

/** The first of them, and how many more there are. */
export function summarizeLines(lines: readonly number[]): string {
  const shownLines = lines.slice(0, MOST_LINES).join(', ')
  return lines.length > MOST_LINES ? `${shownLines} and ${lines.length - MOST_LINES} more` : shownLines
}
