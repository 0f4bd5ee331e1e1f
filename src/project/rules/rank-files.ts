import { fieldOf, fullImpact, postingAt } from '../../search/postings.ts'
import type { Task } from '../../search/task.ts'
import type { Role } from './candidates.ts'
import { PROJECT_TUNING } from './file-document.ts'
import { collectEvidence, type Evidence, type ProjectTerms, type RankRules, type WeighedTerm } from './signals.ts'

export interface RankedFile {
  path: string
  role: Role
  /** 1 for the best; comparable within one answer. */
  score: number
  /** The words that counted most, and their fields. */
  words: readonly { word: string; field: string }[]
  /** The total weight of the task's words in it, in the measure of `WeighedTerm`. */
  covered: number
  /** Past commits that voted for it. */
  commits: readonly string[]
  isNamed: boolean
}

export interface Ranking {
  files: RankedFile[]
  terms: WeighedTerm[]
}

/** Files after these need no reasons. */
const MOST_EXPLAINED = 60

/** The files of a project by their relevance to a task, best first. */
export function rankFiles(task: Task, project: ProjectTerms, rules: RankRules): Ranking {
  const evidence = collectEvidence(task, project, rules)
  const { files, terms, votes } = evidence
  const { lift } = rules
  const lifted = files.map((file) => ({ ...file, total: file.total * (lift?.(file.path) ?? 1) }))
  if (lift !== undefined) lifted.sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
  const most = lifted[0]?.total ?? 1
  const ranked = lifted.map(({ path, role, total, slot, isNamed }, at) => ({
    path,
    role,
    score: total / most,
    words: at < MOST_EXPLAINED ? wordsFor(evidence, slot) : [],
    covered: at < MOST_EXPLAINED ? covered(evidence, slot) : 0,
    commits: votes.commits.get(path) ?? [],
    isNamed,
  }))
  return { files: ranked, terms }
}

function covered({ find, terms }: Evidence, slot: number): number {
  return terms.reduce((sum, { term, weight }) => {
    const found = find(term)
    return found === undefined || postingAt(found.list, slot) === undefined ? sum : sum + weight
  }, 0)
}

const MOST_WORDS = 6

function wordsFor({ find, asked }: Evidence, slot: number): RankedFile['words'] {
  const found = asked.flatMap(({ term, word, isJoined }) => {
    const list = find(term)?.list
    const packed = list && postingAt(list, slot)
    if (packed === undefined) return []
    const field = PROJECT_TUNING.fields[fieldOf(packed)]!
    return isJoined && field.name === 'body'
      ? []
      : [{ word, field: field.label ?? field.name, worth: fullImpact(packed) }]
  })
  found.sort((a, b) => b.worth - a.worth || (a.word < b.word ? -1 : 1))
  return found.slice(0, MOST_WORDS).map(({ word, field }) => ({ word, field }))
}
