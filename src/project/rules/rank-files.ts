import { fieldOf, fullImpact, postingAt } from '../../search/saved-library.ts'
import type { Task } from '../../search/task.ts'
import { type Role, roleOf } from './candidates.ts'
import { PROJECT_TUNING } from './file-document.ts'
import { changedTogether } from './history.ts'
import { judge, type Model, probabilityOf, readModel } from './learned.ts'
import { RANKING_MODEL } from './ranking-model.ts'
import {
  collectEvidence,
  type Evidence,
  type ProjectTerms,
  type RankRules,
  SIGNALS,
  type WeighedTerm,
} from './signals.ts'

export interface RankedFile {
  path: string
  role: Role
  /** 1 for the best; comparable within one answer. */
  score: number
  /** 0 to 1: how likely the task needs it. Comparable between answers. */
  probability: number
  /** The words that counted most, and their fields. */
  words: readonly { word: string; field: string }[]
  /** The total weight of the task's words in it, in the measure of `WeighedTerm`. */
  covered: number
  /** Past commits that voted for it. */
  commits: readonly string[]
  isNamed: boolean
  /** Lines that a traceback in the task names. */
  lines: readonly number[]
}

export interface Ranking {
  files: RankedFile[]
  /** What changed together with the first files, or with the open ones; those of `files` too. Best first. */
  companions: RankedFile[]
  terms: WeighedTerm[]
  /** False: without a model, the plain ranking answered. */
  isLearned: boolean
}

/** Files after these need no reasons. */
const MOST_EXPLAINED = 60
/** How often the first files of the plain ranking were needed; less for those after them. */
const BY_PLACE = [0.48, 0.22, 0.12, 0.09, 0.07, 0.06, 0.05, 0.03, 0.02, 0.02, 0.01]
const UNLIKELY = 0.002

let ownModel: Model | undefined | null = null

/** The files of a project by their relevance to a task, best first. */
export function rankFiles(task: Task, project: ProjectTerms, rules: RankRules): Ranking {
  const evidence = collectEvidence(task, project, rules)
  const { terms, votes, signals, named } = evidence
  if (ownModel === null) ownModel = readModel(RANKING_MODEL, SIGNALS)
  const model = rules.model === undefined ? ownModel : readModel(rules.model, SIGNALS)
  const judged = evidence.files.map((file, at) => {
    const row = signals[at]
    const sum = model === undefined || row === undefined ? -Infinity : judge(model, row, at)
    const own = model === undefined ? BY_PLACE[at] : row && probabilityOf(model, sum)
    const odds = rules.lift?.(file.path) ?? 1
    const probability = own ?? UNLIKELY
    return { ...file, sum, probability: (probability * odds) / (1 - probability + probability * odds) }
  })
  // The plain order decides between equals.
  judged.sort(
    (a, b) => b.probability - a.probability || b.sum - a.sum || b.total - a.total || (a.path < b.path ? -1 : 1),
  )
  const most = judged[0]?.probability ?? 1
  const files = judged.map(({ path, role, probability, slot, isNamed }, at) => ({
    path,
    role,
    score: Math.sqrt(probability / most),
    probability,
    words: at < MOST_EXPLAINED ? wordsFor(evidence, slot) : [],
    covered: at < MOST_EXPLAINED ? covered(evidence, slot) : 0,
    commits: votes.commits.get(path) ?? [],
    isNamed,
    lines: named.frames.get(slot)?.lines ?? [],
  }))
  return { files, companions: companionsOf(files, evidence, rules), terms, isLearned: model !== undefined }
}

/** By the ranking and by how often they changed together with the first files: tests are found apart. */
function companionsOf(
  files: readonly RankedFile[],
  { pathOf }: Evidence,
  { history, near = [] }: RankRules,
): RankedFile[] {
  const first = files.filter(({ role }) => !role.isTest).slice(0, 3)
  const seeds = new Map(near.length > 0 ? near.map((path) => [path, 1]) : first.map(({ path, score }) => [path, score]))
  const known = new Map(files.map((file) => [file.path, file]))
  const found = [...changedTogether(history, seeds, pathOf)].flatMap(([path, together]) => {
    const role = known.get(path)?.role ?? roleOf(path)
    // Less than a tenth of what changed most often together with the first files says nothing.
    if (together < 0.1 || role.isTest || role.isLog) return []
    const file = known.get(path) ?? { ...UNKNOWN, path, role }
    return [{ file, worth: file.score + 0.6 * together }]
  })
  found.sort((a, b) => b.worth - a.worth || (a.file.path < b.file.path ? -1 : 1))
  return found.slice(0, 20).map(({ file }) => file)
}

/** A file that only its changes speak for. */
const UNKNOWN = { score: 0, probability: UNLIKELY, words: [], covered: 0, commits: [], isNamed: false, lines: [] }

function covered({ find, terms }: Evidence, slot: number): number {
  return terms.reduce((sum, { term, weight }) => {
    const found = find(term)
    return found === undefined || postingAt(found.list, slot) === undefined ? sum : sum + weight
  }, 0)
}

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
  return found.slice(0, 6).map(({ word, field }) => ({ word, field }))
}
