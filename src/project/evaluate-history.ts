import { relative, sep } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import type { TermPostings } from '../search/postings.ts'
import { readTask, type Task } from '../search/task.ts'
import { Weigher } from '../search/weigher.ts'
import { LoadoutError } from '../text/trouble.ts'
import { readHistory } from './disk/history-log.ts'
import { type PastFile, PastTrees } from './disk/past-trees.ts'
import type { FindRequest } from './find-files.ts'
import { documentOf, PROJECT_TUNING } from './rules/file-document.ts'
import { type History, historyBefore, NO_HISTORY } from './rules/history.ts'
import { type LineRanges, meanRecall, type PastTask, type Recall, shareOfLines } from './rules/past-tasks.ts'
import { countTerms, rankPlainly, type TermCounts } from './rules/plain-bm25.ts'
import { orderSections } from './rules/portions.ts'
import { type RankedFile, rankFiles, type WeighedTerm } from './rules/rank-files.ts'
import { sizeSections, weighSections } from './rules/sections.ts'

export interface HistoryEvaluation {
  /** How many past commits were tested. */
  tasks: number
  files: number
  chars: number
  /** What Loadout would have chosen, compared with plain BM25 over paths and contents. */
  recall: { loadout: Recall; bm25: Recall }
  /** Tasks with a file that was not found, with the rank of each file; null without one. */
  misses: Miss[]
}

interface Miss {
  commit: string
  task: string
  wanted: { path: string; rank: number | null }[]
  first: string[]
}

export interface HistoryRequest {
  project: Pick<Project, 'root' | 'repository'>
  /** Maximum number of commits. */
  commits: number
  /** How to search files for a task, with the current settings. */
  requestOf: (task: Task) => FindRequest
  /** What agents read before any task: it takes a place, but is not an answer. */
  isFrame: (path: string) => boolean
}

const FILES = 12
const CHARS = 30_000
/** The characters left beside headings, the control plane and the text around each file. */
const TEXT_CHARS = 23_000
const PER_FILE = CHARS / 3
const AMONG = 10

/**
 * Tests the file search with a project's own last commits: the subject is the task, in the tree before it, and the
 * changed files should be found. Checks nothing out, and writes only the cache.
 */
export async function evaluateHistory(machine: Machine, request: HistoryRequest): Promise<HistoryEvaluation> {
  const { root, repository } = request.project
  if (repository === undefined) {
    throw new LoadoutError('NO_PROJECT', `${root} has no git history`, { hint: 'name a project in a git repository' })
  }
  const inside = relative(repository, root).split(sep).join('/')
  const trees = new PastTrees(machine, repository, inside === '' ? '' : `${inside}/`)
  const history = await readHistory(machine, { root, repository })
  // In a repository without a commit, git would only report that there is no HEAD.
  const tasks = history.ids.length === 0 ? [] : await trees.tasks(request.commits, AMONG * request.commits)
  if (tasks.length === 0) {
    const message = `none of the last ${AMONG * request.commits} commits can be asked`
    throw new LoadoutError('NO_PROJECT', message, {
      hint: 'a commit is asked when its subject has four words or more and it changed one to five files, tests apart',
    })
  }
  const terms = new WantedTerms(tasks)
  const results: (Answer & { task: PastTask })[] = []
  for (const task of tasks) {
    const asked = { ...request, trees, terms, history: historyBefore(history, task.commit) }
    results.push({ task, ...(await askPast(task, asked)) })
  }
  return {
    tasks: tasks.length,
    files: FILES,
    chars: CHARS,
    recall: {
      loadout: meanRecall(results.map(({ recall }) => recall)),
      bm25: meanRecall(results.map(({ baseline }) => baseline)),
    },
    misses: results.flatMap(({ task: { commit, task, files }, recall, ranks, first }) => {
      if (recall.all === 1) return []
      const wanted = files.map((path, at) => ({ path, rank: ranks[at] ?? null }))
      return [{ commit: commit.slice(0, 10), task, wanted, first }]
    }),
  }
}

interface WantedOfFile {
  postings: ReadonlyMap<string, readonly [packed: number, pieces: number]>
  plain: TermCounts
}

/** For each file only the words of some task. A file that many trees share is read once. */
class WantedTerms {
  private readonly wanted = new Set<string>()
  private readonly known = new Map<string, WantedOfFile>()

  constructor(tasks: readonly PastTask[]) {
    for (const { task } of tasks) {
      const { terms, names } = readTask(task)
      for (const { term } of terms) this.wanted.add(term)
      for (const term of names.identifiers) this.wanted.add(term)
    }
  }

  of({ path, blob }: PastFile, text: string): WantedOfFile {
    const key = `${blob} ${path}`
    const known = this.known.get(key)
    if (known !== undefined) return known
    const postings = new Map<string, readonly [number, number]>()
    const weigher = new Weigher(PROJECT_TUNING)
    weigher.visit(documentOf(path, text), 1, (number, packed, pieces) => {
      const term = weigher.lexicon.textOf(number)
      if (this.wanted.has(term)) postings.set(term, [packed, pieces])
    })
    const found = { postings, plain: countTerms(path, text, this.wanted) }
    this.known.set(key, found)
    return found
  }
}

interface Asked extends HistoryRequest {
  trees: PastTrees
  terms: WantedTerms
  history: History
}

interface Answer {
  recall: Recall
  baseline: Recall
  ranks: (number | null)[]
  first: string[]
}

async function askPast(past: PastTask, { trees, terms, history, requestOf, isFrame }: Asked): Promise<Answer> {
  const task = readTask(past.task)
  const { leaveOut, lift, useHistory = true } = requestOf(task)
  const files = (await trees.files(past.base)).filter(({ path }) => leaveOut?.(path) === undefined)
  const known = files.map((file) => terms.of(file, trees.textOf(file)))
  const rules = { history: useHistory ? history : NO_HISTORY, lift }
  const { files: all, terms: weighed } = rankFiles(task, { paths: pathsOf(files), find: finder(known) }, rules)
  const isShown = ({ path, role, isNamed }: RankedFile) =>
    (task.about.tests || !role.isTest || isNamed) && !isFrame(path)
  const ranked = all.filter(isShown)
  const texts = new Map(files.map((file) => [file.path, trees.textOf(file)]))
  const changed = await trees.changedLines(past)
  const linesIn = (shown: LineRanges) => shareOfLines(changed, shown, (path) => texts.get(path)?.split('\n') ?? [])
  // Files that are always read take places, and count as read.
  const frame = files.filter(({ path }) => !path.includes('/') && isFrame(path)).map(({ path }) => path)
  const places = FILES - frame.length
  const shown = linesShown(ranked.slice(0, places), weighed, texts)
  const plain = rankPlainly(
    weighed.map(({ term }) => term),
    known.map((each) => each.plain),
  ).map((at) => files[at]!.path)
  const ranks = past.files.map((path) => ranked.findIndex((file) => file.path === path))
  return {
    recall: {
      ...recallOf(pathsOf(ranked), past.files, [...frame, ...pathsOf(ranked.slice(0, places))]),
      lines: linesIn(shown),
    },
    baseline: { ...recallOf(plain, past.files, plain.slice(0, FILES)), lines: linesIn(headsOf(plain, texts)) },
    ranks: ranks.map((at) => (at < 0 ? null : at + 1)),
    first: pathsOf(ranked.slice(0, 5)),
  }
}

function pathsOf(files: readonly { path: string }[]): string[] {
  return files.map(({ path }) => path)
}

function recallOf(order: readonly string[], wanted: readonly string[], whole: readonly string[]) {
  const share = (among: readonly string[]) => wanted.filter((path) => among.includes(path)).length / wanted.length
  return { first: share(order.slice(0, 1)), five: share(order.slice(0, 5)), all: share(whole) }
}

function finder(files: readonly WantedOfFile[]): (term: string) => TermPostings | undefined {
  return (term) => {
    const list: number[] = []
    const pieces: number[] = []
    files.forEach(({ postings }, slot) => {
      const found = postings.get(term)
      if (found === undefined) return
      list.push(slot, found[0])
      pieces.push(found[1])
    })
    return list.length === 0 ? undefined : { list: Uint32Array.from(list), pieces: Uint32Array.from(pieces) }
  }
}

function linesShown(
  files: readonly RankedFile[],
  terms: readonly WeighedTerm[],
  texts: ReadonlyMap<string, string>,
): LineRanges {
  const sectioned = files.map(({ path, score, role, isNamed }, at) => ({
    path,
    score,
    isSide: at > 0 && !isNamed && (role.isLog || role.isConfig || role.isData),
    sections: weighSections(sizeSections(path, texts.get(path) ?? ''), terms),
  }))
  const shown: LineRanges = new Map()
  let left = TEXT_CHARS
  for (const { file, section } of orderSections(sectioned, { mostPerFile: PER_FILE }).order) {
    const { path, sections } = sectioned[file]!
    const { start, end, text } = sections[section]!
    left -= text.length
    if (left < 0) break
    shown.set(path, [...(shown.get(path) ?? []), { start, end }])
  }
  return shown
}

/** The beginning of each file, as much as fits. */
function headsOf(order: readonly string[], texts: ReadonlyMap<string, string>): LineRanges {
  return new Map(
    order.slice(0, FILES).map((path) => {
      const head = (texts.get(path) ?? '').slice(0, CHARS / FILES)
      return [path, [{ start: 1, end: head.split('\n').length - 1 }]]
    }),
  )
}
