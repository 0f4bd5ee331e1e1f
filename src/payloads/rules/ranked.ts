import { describeWhy, percent, type RankDocument, type RankExplanation } from '../../search/document.ts'
import { cut } from '../../text/cut.ts'
import { readFrontmatter } from './frontmatter.ts'
import { distinctKeywords, type LoadoutEntry, type Phase } from './loadout-index.ts'
import { MIN_SCORE, matchEntry } from './match.ts'

/** Whether one entry matches one task, and why. */
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

/** Evaluates a single entry by the matcher's own rules, so that a miss can be explained as well as a hit. */
export function judgeEntry(entry: LoadoutEntry, task: string, phase?: Phase): Verdict {
  const none = { matchedKeywords: [], matchedPatterns: [] }
  if (entry.priority === 'manual') {
    const hint = `load it by name: loadout lookup ${entry.id} --load`
    return { loaded: false, score: 0, ...none, reason: 'manual: never loaded by a task', hint }
  }
  const verdict =
    entry.priority === 'core'
      ? { loaded: true, score: 1, ...none, reason: 'core: always loaded' }
      : judgeDomain(entry, task)
  return inPhase(verdict, entry, phase)
}

/** The same verdict, unless the entry is not for this phase. */
export function inPhase(verdict: Verdict, entry: LoadoutEntry, phase: Phase | undefined): Verdict {
  if (phase === undefined || entry.triggers?.[phase] !== false || entry.priority === 'manual') return verdict
  const reason = `phase: its trigger "${phase}" is off`
  return { ...verdict, loaded: false, reason, hint: `set triggers: ${phase}: true in its frontmatter` }
}

function judgeDomain(entry: LoadoutEntry, task: string): Verdict {
  const { score, matchedKeywords, matchedPatterns, reason: matched } = matchEntry(entry, task)
  const found = { score, matchedKeywords, matchedPatterns }
  if (score >= MIN_SCORE) return { loaded: true, ...found, reason: matched }
  if (score > 0) {
    const total = distinctKeywords(entry.keywords).length
    const share = `${matchedKeywords.length} of ${total} keywords matched [${matchedKeywords.join(', ')}]`
    const reason = `score ${score.toFixed(2)} is below ${MIN_SCORE.toFixed(2)}: ${share}`
    return { loaded: false, ...found, reason, hint: 'each further keyword makes one hit count less: split the entry' }
  }
  const hint = 'give it a keyword that such tasks use'
  return { loaded: false, ...found, reason: 'no keyword or pattern of it is in the task', hint }
}

/** What the ranker reads of an entry: its metadata and, if available, its payload. */
export function documentOf(entry: LoadoutEntry, payload: string): RankDocument {
  const { frontmatter, body } = readFrontmatter(payload, entry.id)
  return {
    id: entry.id,
    name: entry.id,
    description: entry.summary ?? '',
    keywords: [...(entry.keywords ?? []), ...(entry.patterns ?? []).map((pattern) => pattern.replaceAll('_', ' '))],
    headings: cut('.md', body).map(({ title }) => title),
    body,
    examples: frontmatter?.examples ?? [],
    negatives: frontmatter?.negatives ?? [],
  }
}

/** The ranker's verdict on one entry and one task; `isOffered`: a plan would name it. */
export function rankedVerdict(entry: LoadoutEntry, explanation: RankExplanation, isOffered: boolean): Verdict {
  const found = { score: explanation.confidence, matchedKeywords: [], matchedPatterns: [] }
  if (entry.priority === 'core') return { loaded: true, ...found, score: 1, reason: 'core: always loaded' }
  if (entry.priority === 'manual') {
    const hint = `load it by name: loadout lookup ${entry.id} --load`
    return { loaded: false, ...found, reason: 'manual: never loaded by a task', hint }
  }
  const why = describeWhy(explanation.why)
  const { form } = explanation
  const place = `number ${explanation.rank} (${form}, confidence ${percent(explanation.confidence)}): ${why}`
  const given = explanation.redirects.length > 0 ? `; it refers this to ${explanation.redirects.join(', ')}` : ''
  switch (explanation.outcome) {
    case 'first':
      return {
        loaded: true,
        ...found,
        reason: `ranked first (${form}, confidence ${percent(explanation.confidence)}): ${why}`,
      }
    case 'outranked':
      return {
        loaded: isOffered,
        ...found,
        reason: `${isOffered ? 'ranked' : 'too far behind the best:'} ${place}${given}`,
      }
    case 'silent':
      return {
        loaded: false,
        ...found,
        reason: `nothing matches well enough; this one is ${place}${given}`,
        hint: 'say in its summary, keywords or examples when it is needed',
      }
    case 'excluded':
      return { loaded: false, ...found, reason: 'the task is one that it must not match' }
    default:
      return {
        loaded: false,
        ...found,
        reason: `no word of the task is in it${given}`,
        hint: 'say in its summary or keywords when it is needed',
      }
  }
}
