import { relative, sep } from 'node:path'
import { findRequest } from '../answer/own-files.ts'
import { contextSettings, isInstruction } from '../answer/settings.ts'
import type { Machine } from '../machine/machine.ts'
import { readHistory } from '../project/find-files.ts'
import { documentOf, PROJECT_TUNING } from '../project/rules/file-document.ts'
import { historyBefore, NO_HISTORY } from '../project/rules/history.ts'
import { orderSections } from '../project/rules/portions.ts'
import { type RankedFile, rankFiles } from '../project/rules/rank-files.ts'
import { sizeSections, WantedWords } from '../project/rules/sections.ts'
import type { WeighedTerm } from '../project/rules/signals.ts'
import { Weigher } from '../search/analyze.ts'
import type { TermPostings } from '../search/saved-library.ts'
import { readTask } from '../search/task.ts'
import { visitTerms } from '../search/tokens.ts'
import { failWith } from '../text/trouble.ts'
import { type PastCommit, type PastFile, PastTrees } from './disk/past-trees.ts'
import { type Case, mean, recallAt } from './rules/cases.ts'

export interface HistoryEvaluation {
  /** How many past commits were tested. */
  tasks: number
  files: number
  chars: number
  /** What Loadout would have chosen, compared with plain BM25 over paths and contents. */
  recall: { loadout: Recall; bm25: Recall }
  /** Tasks with a file that was not found, with the rank of each file; null without one. */
  misses: { commit: string; task: string; wanted: { path: string; rank: number | null }[]; first: string[] }[]
}

/** Shares, from 0 to 1. */
interface Recall {
  first: number
  five: number
  all: number
  /** Undefined when no line of some length was changed. */
  lines: number | undefined
}

const FILES = 12
const CHARS = 30_000
const AMONG = 10

/**
 * Tests the file search with a project's own last commits and its settings: the subject is the task, in the tree before
 * it, and the changed files should be found. Checks nothing out, and writes only the cache.
 */
export async function evaluateHistory(
  machine: Machine,
  { project: named, commits: most }: { project?: string; commits: number },
): Promise<HistoryEvaluation> {
  const project = machine.openProject(named)
  const { root, repository } = project
  const settings = contextSettings(project)
  if (settings.project === undefined) {
    throw failWith('NO_PROJECT/patterns', { preset: settings.preset })
  }
  if (repository === undefined) {
    throw failWith('NO_PROJECT/no-history', { root })
  }
  const inside = relative(repository, root).split(sep).join('/')
  const trees = new PastTrees(machine, repository, inside === '' ? '' : `${inside}/`)
  const history = await readHistory(machine, { root, repository })
  // In a repository without a commit, git would only report that there is no HEAD.
  const commits = history.ids.length === 0 ? [] : await trees.commits(most, AMONG * most)
  if (commits.length === 0) {
    throw failWith('NO_PROJECT/no-commits', { commits: AMONG * most })
  }
  const terms = new WantedTerms(commits)
  const recall: Record<'loadout' | 'bm25', Recall[]> = { loadout: [], bm25: [] }
  const misses: HistoryEvaluation['misses'] = []
  for (const past of commits) {
    const task = readTask(past.task)
    const { leaveOut, lift, useHistory = true } = findRequest({ project, settings, task }) ?? { task, project }
    const files = (await trees.files(past.base)).filter(({ path }) => leaveOut?.(path) === undefined)
    const texts = new Map(files.map((file) => [file.path, trees.textOf(file)]))
    const changed = await trees.changedLines(past)
    const linesIn = (shown: LineRanges) => shareOfLines(changed, shown, texts)
    const known = files.map((file) => terms.of(file, trees.textOf(file)))

    const before = { history: useHistory ? historyBefore(history, past.commit) : NO_HISTORY, lift }
    const index = { paths: files.map(({ path }) => path), find: finder(known) }
    const { files: all, terms: weighed } = rankFiles(task, index, before)
    // What agents read before any task takes a place and counts as read, but is not an answer.
    const frame = index.paths.filter((path) => !path.includes('/') && isInstruction(path))
    const ranked = all.filter(
      ({ path, role, isNamed }) => (task.about.tests || !role.isTest || isNamed) && !isInstruction(path),
    )
    const read = ranked.slice(0, FILES - frame.length)
    const found = ranked.map(({ path }) => path)
    const readPaths = [...frame, ...read.map(({ path }) => path)]
    const own = recallOf(past, found, readPaths, linesIn(linesShown(read, weighed, texts)))
    recall.loadout.push(own)

    const plain = rankPlainly(weighed, known).map((at) => index.paths[at]!)
    recall.bm25.push(recallOf(past, plain, plain.slice(0, FILES), linesIn(headsOf(plain, texts))))

    if (own.all === 1) continue
    const wanted = past.files.map((path) => ({ path, rank: found.indexOf(path) + 1 || null }))
    misses.push({ commit: past.commit.slice(0, 10), task: past.task, wanted, first: found.slice(0, 5) })
  }
  const means = { loadout: meanRecall(recall.loadout), bm25: meanRecall(recall.bm25) }
  const value = { tasks: commits.length, files: FILES, chars: CHARS, recall: means, misses }
  machine.report(...project.settings.findings)
  return value
}

function recallOf(past: PastCommit, order: string[], read: string[], lines: number | undefined): Recall {
  const asCase = (paths: string[]): Case => {
    const found = paths.map((id) => ({ id }))
    return { id: past.commit, prompt: past.task, expected: past.files, needsAll: true, not: [], kind: 'pos', found }
  }
  const [ranked, whole] = [asCase(order), asCase(read)]
  return { first: recallAt(ranked, 1), five: recallAt(ranked, 5), all: recallAt(whole, read.length), lines }
}

function meanRecall(rows: readonly Recall[]): Recall {
  const of = (key: 'first' | 'five' | 'all') => mean(rows.map((row) => row[key]))
  const lines = rows.flatMap((row) => row.lines ?? [])
  return { first: of('first'), five: of('five'), all: of('all'), lines: lines.length === 0 ? undefined : mean(lines) }
}

interface WantedOfFile {
  postings: Map<string, readonly [packed: number, pieces: number]>
  /** For plain BM25: how often each wanted term occurs, and the number of all terms. */
  counts: Map<string, number>
  length: number
}

/** For each file only the words of some task. A file that many trees share is read once. */
class WantedTerms {
  private readonly wanted = new Set<string>()
  private readonly known = new Map<string, WantedOfFile>()

  constructor(commits: readonly PastCommit[]) {
    for (const { task } of commits) {
      const { terms, names } = readTask(task)
      for (const { term } of terms) this.wanted.add(term)
      for (const term of names.identifiers) this.wanted.add(term)
    }
  }

  of({ path, blob }: PastFile, text: string): WantedOfFile {
    const key = `${blob} ${path}`
    const known = this.known.get(key)
    if (known !== undefined) return known
    const found: WantedOfFile = { postings: new Map(), counts: new Map(), length: 0 }
    const weigher = new Weigher(PROJECT_TUNING)
    weigher.visit(documentOf(path, text), 1, (number, packed, pieces) => {
      const term = weigher.lexicon.textOf(number)
      if (this.wanted.has(term)) found.postings.set(term, [packed, pieces])
    })
    const count = (times: number) => (term: string) => {
      found.length += times
      if (this.wanted.has(term)) found.counts.set(term, (found.counts.get(term) ?? 0) + times)
    }
    visitTerms(text, count(1))
    // Words of the path count three times.
    visitTerms(path, count(3))
    this.known.set(key, found)
    return found
  }
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

const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** The positions of the files with any of the terms, best first: the baseline for any choice. */
function rankPlainly(terms: readonly WeighedTerm[], files: readonly WantedOfFile[]): number[] {
  const average = files.reduce((sum, { length }) => sum + length, 0) / Math.max(1, files.length)
  const scores = new Float64Array(files.length)
  for (const term of new Set(terms.map((each) => each.term))) {
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

/** Which lines of which file are shown, from 1. */
type LineRanges = Map<string, { start: number; end: number }[]>

type Texts = ReadonlyMap<string, string>

function linesShown(files: readonly RankedFile[], terms: readonly WeighedTerm[], texts: Texts): LineRanges {
  const words = new WantedWords(terms)
  const sectioned = files.map(({ path, probability, role, isNamed }, at) => ({
    path,
    probability,
    isSide: at > 0 && !isNamed && (role.isLog || role.isConfig || role.isData),
    sections: words.weigh(sizeSections(path, texts.get(path) ?? '')),
  }))
  const shown: LineRanges = new Map()
  // The characters left beside headings, the control plane and the text around each file.
  let left = 23_000
  for (const { file, section } of orderSections(sectioned, { mostPerFile: CHARS / 3 }).order) {
    const { path, sections } = sectioned[file]!
    const { start, end, text } = sections[section]!
    left -= text.length
    if (left < 0) break
    shown.set(path, [...(shown.get(path) ?? []), { start, end }])
  }
  return shown
}

/** The beginning of each file, as much as fits. */
function headsOf(order: readonly string[], texts: Texts): LineRanges {
  return new Map(
    order.slice(0, FILES).map((path) => {
      const head = (texts.get(path) ?? '').slice(0, CHARS / FILES)
      return [path, [{ start: 1, end: head.split('\n').length - 1 }]]
    }),
  )
}

/** The share of the changed lines that is shown. Ignores brackets and empty lines. */
function shareOfLines(changed: Awaited<ReturnType<PastTrees['changedLines']>>, shown: LineRanges, texts: Texts) {
  let [all, found] = [0, 0]
  for (const [path, numbers] of changed) {
    const lines = texts.get(path)?.split('\n') ?? []
    for (const number of numbers) {
      if ((lines[number - 1] ?? '').trim().length < 8) continue
      all++
      if (shown.get(path)?.some(({ start, end }) => number >= start && number <= end)) found++
    }
  }
  return all === 0 ? undefined : found / all
}
