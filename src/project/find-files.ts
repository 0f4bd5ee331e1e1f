import { KeptFiles } from '../machine/cache.ts'
import { type Machine, opening } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { Repository } from '../machine/repository.ts'
import type { Task } from '../search/task.ts'
import { readTerms, wordsAmong } from '../search/tokens.ts'
import { isEveryday } from '../search/word-lists.ts'
import { report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { readHistory } from './disk/history-log.ts'
import { askGit, limitTo, prefixOf } from './disk/listed-paths.ts'
import { type ListedFiles, type Listing, listProject } from './disk/listing.ts'
import { indexOfFew, openFewChanged, openProjectIndex, type ProjectIndex } from './disk/project-index.ts'
import { readShown } from './disk/project-text.ts'
import { areSame, areSettled } from './disk/stamps.ts'
import { type LeftOut, leftOutByPath } from './rules/candidates.ts'
import { type History, NO_HISTORY } from './rules/history.ts'
import { findNamed } from './rules/named-files.ts'
import { type RankedFile, rankFiles } from './rules/rank-files.ts'
import { countSections, type FileSection, sizeSections, WantedWords } from './rules/sections.ts'
import type { WeighedTerm } from './rules/signals.ts'

export { readHistory } from './disk/history-log.ts'

export interface FindRequest {
  task: Task
  project: Pick<Project, 'root' | 'repository'>
  /** Why a path is not a candidate, besides its name. Hidden paths have no reason. */
  leaveOut?: (path: string) => LeftOut | 'hidden' | undefined
  /** The rules of `leaveOut` as text. Without it, a running server looks at every file for each question. */
  leaveOutBy?: string
  /** Factor of a file that settings or intents mention. */
  lift?: (path: string) => number
  /** False: past commits do not count. */
  useHistory?: boolean
  /** Paths in the project that the agent has open. They are not answers; what belongs to them comes first. */
  near?: readonly string[]
}

/** The data behind the answer. */
interface ProjectSignals {
  files: number
  /** How the files were listed. */
  listed_by: 'git' | 'walk'
  commits: number
  shallow: boolean
  left_out: Readonly<Record<string, number>>
}

export interface ProjectAnswer {
  /** Best first. Includes tests only if the task mentions tests or names them. */
  files: readonly RankedFile[]
  /** Tests by the same ranking, best first; those that `files` has are not repeated. */
  tests: readonly RankedFile[]
  /** What changed together with the first files or with the open ones, best first. `files` may have some of them. */
  companions: readonly RankedFile[]
  terms: readonly WeighedTerm[]
  /** False: without its model, the plain ranking answered. */
  isLearned: boolean
  signals: ProjectSignals
  /** Every candidate, by path. */
  paths: readonly string[]
}

let last: Promise<unknown> = Promise.resolve()

/** Opening an index may close the one before: in a process that answers several questions at once, one waits for another. */
function inTurn<T>(answer: () => Promise<T>): Promise<T> {
  const next = last.then(answer)
  last = next.catch(() => {})
  return next
}

/** For a long-running process: the index of the last question, as long as no file changed. */
let opened: { root: string; files: ListedFiles; index: ProjectIndex } | undefined

/** In milliseconds, for each search of `git grep`; they run at once. */
const PATIENCE = 1500
const MOST_SEARCHED = 3
const MOST_LOOKED_AT = 60

/** Finds files of projects for tasks. */
export class FileFinder {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** The project's own files about a task. The same answer whether the index was current, stale or missing. */
  async find(request: FindRequest): Promise<ProjectAnswer> {
    const { project, useHistory = true } = request
    const now = this.machine.now()
    const listing = await this.list(request)
    // If git cannot list a repository, it cannot read its history either.
    const history = useHistory && listing.by === 'git' ? await readHistory(this.machine, project) : NO_HISTORY
    const answer = async (isFresh: boolean) =>
      answerFrom(await this.indexFor(project.root, { ...listing, now }, isFresh), request, listing, history)
    // A damaged index costs time, not the answer.
    const found = await inTurn(() => answer(false).catch(() => answer(true)))
    if (!found.isLearned) this.machine.report(report('FILE_UNREADABLE/model'))
    return found
  }

  /**
   * Like `find`, from saved data only: undefined if the index would have to be built; ignores commits that were not
   * read yet.
   */
  async findSaved(request: FindRequest): Promise<ProjectAnswer | undefined> {
    const { project, useHistory = true } = request
    const listing = await this.list(request)
    const history =
      useHistory && listing.by === 'git' ? await readHistory(this.machine, project, { isOnlySaved: true }) : NO_HISTORY
    return inTurn(async () => {
      opened = undefined
      const index = openFewChanged(this.machine, project.root, listing.files)
      return index && answerFrom(index, request, listing, history)
    })
  }

  /**
   * Like `find`, without an index, within about a second also in a large project: the files that `git grep` and
   * names find, ranked among themselves. Undefined without git. Depends on how fast the machine is.
   */
  async findAtOnce(request: FindRequest): Promise<ProjectAnswer | undefined> {
    const { project, leaveOut = () => undefined, useHistory = true } = request
    const { root, repository } = project
    const prefix = repository === undefined ? undefined : prefixOf(repository, root)
    if (repository === undefined || prefix === undefined) return undefined
    const { task } = request
    const git = new Repository(this.machine, repository)
    const list = async (args: readonly string[], timeoutMs: number) => {
      const listed = await askGit(git, [...args, ...limitTo(prefix)], { timeoutMs })
      return (listed ?? '').split('\0').flatMap((path) => path.slice(prefix.length) || [])
    }
    const telling = wordsAmong(task.terms).filter(
      ({ term, kind }) => kind === 'word' && term.length > 3 && !isEveryday(term),
    )
    const names = (task.said.match(/[A-Za-z_$][\w$]{2,79}/g) ?? []).filter((name) =>
      task.names.identifiers.has(readTerms(name).at(-1)?.term ?? ''),
    )
    const words = telling.map(({ term, word }) => (word.startsWith(term) ? term : word)).slice(0, 3 * MOST_SEARCHED)
    const asked = [...new Set([...names, ...words.sort((a, b) => b.length - a.length)])].slice(0, MOST_SEARCHED)
    const search = ['grep', '--no-textconv', '-I', '-i', '-l', '-z', '-F', '-e']
    const [tracked = [], ...found] = await Promise.all([
      list(['ls-files', '-z', '--cached'], PATIENCE),
      ...asked.map((word) => list([...search, word], PATIENCE)),
    ])
    const paths = tracked.filter((path) => leftOutByPath(path) === undefined && leaveOut(path) === undefined)
    const worths = new Map<string, number>()
    const add = (holders: readonly string[], weight: number) => {
      const worth = weight * Math.log(1 + paths.length / (1 + holders.length))
      for (const path of holders) worths.set(path, (worths.get(path) ?? 0) + worth)
    }
    // A name of code says more than words of a path, and these more than words of the text.
    found.forEach((holders, at) => void add(holders, names.includes(asked[at]!) ? 4 : 1))
    const lower = paths.map((path) => path.toLowerCase())
    for (const word of new Set(words))
      add(
        paths.filter((_, at) => lower[at]!.includes(word)),
        2,
      )
    const named = findNamed(task, paths)
    for (const slots of [named.paths, named.modules, named.frames]) {
      for (const slot of slots.keys()) add([paths[slot]!], 1)
    }
    const known = new Set(paths)
    const best = [...worths].filter(([path]) => known.has(path)).sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
    const few = best.slice(0, MOST_LOOKED_AT).map(([path]) => path)
    const history = useHistory ? await readHistory(this.machine, project, { isOnlySaved: true }) : NO_HISTORY
    const index = indexOfFew(root, few.sort(compareText))
    return answerFrom(index, request, { leftOut: new Map(), by: 'git' }, history)
  }

  private async indexFor(
    root: string,
    { files, now }: { files: ListedFiles; now: Date },
    isFresh: boolean,
  ): Promise<ProjectIndex> {
    const { keys, stamps } = files
    const isSame = opened?.root === root && areSame(opened.files.keys, keys) && areSame(opened.files.stamps, stamps)
    if (opened !== undefined && isSame && !isFresh) return opened.index
    // Opening one may close another.
    opened = undefined
    const index = await openProjectIndex(this.machine, root, files, isFresh)
    // Otherwise the next change of a file might not be visible in its stamp.
    if (areSettled(stamps, now)) opened = { root, files, index }
    return index
  }

  private list({ project, leaveOut = () => undefined, leaveOutBy }: FindRequest): Promise<Listing> {
    return listProject(this.machine, project, leaveOut, leaveOutBy)
  }
}

export const findProjectFiles = opening(FileFinder, (finder, request: FindRequest) => finder.find(request))

function answerFrom(
  index: ProjectIndex,
  { task, lift, near = [] }: FindRequest,
  listing: Pick<Listing, 'leftOut' | 'by'>,
  history: History,
): ProjectAnswer {
  const ranking = rankFiles(task, index, { history, lift, near })
  const paths = index.candidates
  const open = new Set(near)
  const found = ranking.files.filter(({ path }) => !open.has(path))
  const isShown = ({ role, isNamed }: RankedFile) => task.about.tests || !role.isTest || isNamed
  return {
    files: found.filter(isShown),
    tests: found.filter((file) => !isShown(file)),
    companions: ranking.companions.filter(({ path }) => !open.has(path)),
    terms: ranking.terms,
    isLearned: ranking.isLearned,
    paths,
    signals: {
      files: paths.length,
      listed_by: listing.by,
      commits: history.ids.length,
      shallow: history.isShallow,
      left_out: sumUp([...listing.leftOut, ...index.leftOut]),
    },
  }
}

function sumUp(counts: readonly (readonly [LeftOut, number])[]): Record<string, number> {
  const sums = new Map<LeftOut, number>()
  for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count)
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A file to show, with the weight of each of its sections. */
export interface SectionedText {
  text: string
  /** Of its bytes. */
  sha256: string
  sections: FileSection[]
}

interface ReadFile {
  read: ReturnType<typeof readShown>
  sections: ReturnType<typeof sizeSections>
  /** Counted when another task uses the file: that takes longer than searching the words of one. */
  terms?: ReturnType<typeof countSections>
}

const files = new KeptFiles<ReadFile>(16 * 1024 * 1024)

/** What was read for an answer, by its terms: it shows a file, and points to it. */
const answers = new WeakMap<readonly WeighedTerm[], { words: WantedWords; known: Map<string, SectionedText> }>()

/** Undefined if it can no longer be read. `lines`: those that a traceback names are worth as much as the best words. */
export function readSections(
  root: string,
  path: string,
  terms: readonly WeighedTerm[],
  lines: readonly number[] = [],
): SectionedText | undefined {
  const answer = answers.get(terms) ?? { words: new WantedWords(terms), known: new Map() }
  answers.set(terms, answer)
  const name = `${root}/${path}`
  const key = `${name}:${lines}`
  const before = answer.known.get(key)
  if (before !== undefined) return before
  let isNew = false
  const file = files.of(name, () => {
    isNew = true
    const read = readShown(root, path)
    return { read, sections: read === undefined ? [] : sizeSections(path, read.text) }
  })
  const { read, sections } = file
  if (read === undefined) return undefined
  if (!isNew) file.terms ??= countSections(sections)
  const weighed = answer.words.weigh(sections, file.terms)
  const most = weighed.reduce((best, { score }) => Math.max(best, score), 0)
  for (const section of weighed) {
    if (lines.some((line) => line >= section.start && line <= section.end)) section.score += most
  }
  const sectioned = { ...read, sections: weighed }
  answer.known.set(key, sectioned)
  return sectioned
}
