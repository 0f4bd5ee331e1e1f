import { createTable } from './dispatch-table.ts'
import type { LoadoutEntry, Phase } from './entry.ts'
import { MIN_SCORE, reasonOf, scoreOf } from './match.ts'
import { readWords } from './words.ts'

/** How one entry fares against one task, and why. */
export interface Verdict {
  loaded: boolean
  score: number
  matchedKeywords: string[]
  matchedPatterns: string[]
  /** Why it was chosen, or why not. */
  reason: string
  /** What would change a miss. */
  hint?: string
}

/** Judges a single entry by the matcher's own rules, so that a miss can be explained as well as a hit. */
export function judgeEntry(entry: LoadoutEntry, task: string, phase?: Phase): Verdict {
  const none = { matchedKeywords: [], matchedPatterns: [] }
  if (entry.priority === 'manual') {
    const hint = `ask for it: loadout lookup ${entry.id} --load`
    return { loaded: false, score: 0, ...none, reason: 'manual: never loaded by a task', hint }
  }
  const verdict =
    entry.priority === 'core'
      ? { loaded: true, score: 1, ...none, reason: 'core: always loaded' }
      : judgeDomain(entry, task)
  return inPhase(verdict, entry, phase)
}

/** The same verdict, unless the entry does not want to be loaded in this phase. */
export function inPhase(verdict: Verdict, entry: LoadoutEntry, phase: Phase | undefined): Verdict {
  if (phase === undefined || entry.triggers?.[phase] !== false || entry.priority === 'manual') return verdict
  const reason = `phase: its trigger "${phase}" is off`
  return { ...verdict, loaded: false, reason, hint: `set triggers: ${phase}: true in its frontmatter` }
}

function judgeDomain(entry: LoadoutEntry, task: string): Verdict {
  const { keywords, patterns } = createTable([entry]).find(readWords(task))
  const matchedKeywords = keywords[0] ?? []
  const matchedPatterns = patterns[0] ?? []
  const score = scoreOf(matchedKeywords.length, entry.keywords.length, matchedPatterns.length)
  const found = { score, matchedKeywords, matchedPatterns }
  if (score >= MIN_SCORE) return { loaded: true, ...found, reason: reasonOf(matchedKeywords, matchedPatterns) }
  if (score > 0) {
    const share = `${matchedKeywords.length} of ${entry.keywords.length} keywords matched [${matchedKeywords.join(', ')}]`
    const reason = `score ${score.toFixed(2)} is below ${MIN_SCORE.toFixed(2)}: ${share}`
    return { loaded: false, ...found, reason, hint: 'each further keyword makes one hit count less: split the entry' }
  }
  const hint = 'give it a keyword that such tasks use'
  return { loaded: false, ...found, reason: 'no keyword or pattern of it is in the task', hint }
}
