import { KeptFiles } from '../machine/kept.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { readHistory } from './disk/history-log.ts'
import { listKept } from './disk/kept-listing.ts'
import { type Listing, listProject } from './disk/listing.ts'
import { openFewChanged, openIndex, type ProjectIndex } from './disk/project-index.ts'
import { readShown } from './disk/project-text.ts'
import type { LeftOut } from './rules/candidates.ts'
import { type History, NO_HISTORY } from './rules/history.ts'
import { readProjectTask } from './rules/project-task.ts'
import { type RankedFile, rankFiles, type WeighedTerm } from './rules/rank-files.ts'
import { countSections, cutSections, type FileSection, weighSections } from './rules/sections.ts'

export interface FindRequest {
  task: string
  project: Pick<Project, 'root' | 'repository'>
  /** Why a path is not a candidate, besides its name. Hidden paths have no reason. */
  leaveOut?: (path: string) => LeftOut | 'hidden' | undefined
  /** All that `leaveOut` depends on; without it, nothing is kept for the next question. */
  leaveOutRule?: string
  /** Factor of a file that settings or intents speak of. */
  lift?: (path: string) => number
  /** False: past commits do not count. */
  useHistory?: boolean
}

/** What the answer was made from. */
interface ProjectSignals {
  files: number
  /** How the files were listed. */
  listed_by: 'git' | 'walk'
  commits: number
  shallow: boolean
  left_out: Readonly<Record<string, number>>
}

export interface ProjectAnswer {
  /** Best first. Tests only where the task speaks of tests or names them. */
  files: readonly RankedFile[]
  /** Tests that fit the task, best first. */
  tests: readonly RankedFile[]
  terms: readonly WeighedTerm[]
  signals: ProjectSignals
  /** Every candidate, by path. */
  paths: readonly string[]
}

/** What of a project's own files is about a task. The same answer whether the index was there, stale or missing. */
export async function findFiles(machine: Machine, request: FindRequest): Promise<ProjectAnswer> {
  const { project, useHistory = true } = request
  const listing = await listFiles(machine, request)
  // A repository that git cannot list has no history that it can read.
  const history = useHistory && listing.by === 'git' ? await readHistory(machine, project) : NO_HISTORY
  const answer = (isFresh: boolean) =>
    answerFrom(indexFor(machine, project.root, listing, isFresh), request, listing, history)
  return orAnew(answer)
}

function listFiles(machine: Machine, { project, leaveOut, leaveOutRule: rule }: FindRequest): Promise<Listing> {
  const why = leaveOut ?? (() => undefined)
  return rule === undefined ? listProject(machine, project, { why }) : listKept(machine, project, { why, rule })
}

/** For a process that stays: of the listing that was asked for last. */
let opened: { listing: Listing; index: ProjectIndex } | undefined

function indexFor(machine: Machine, root: string, listing: Listing, isFresh: boolean): ProjectIndex {
  if (opened?.listing === listing && !isFresh) return opened.index
  // Opening one may close another.
  opened = undefined
  const index = openIndex(machine, root, listing.files, isFresh)
  opened = { listing, index }
  return index
}

/**
 * As `findFiles`, from what is saved: undefined where the index would have to be built, and without commits that were
 * not read yet.
 */
export async function findSaved(machine: Machine, request: FindRequest): Promise<ProjectAnswer | undefined> {
  const { project, useHistory = true } = request
  const listing = await listFiles(machine, request)
  const history =
    useHistory && listing.by === 'git' ? await readHistory(machine, project, { isOnlySaved: true }) : NO_HISTORY
  opened = undefined
  const index = openFewChanged(machine, project.root, listing.files)
  return index && answerFrom(index, request, listing, history)
}

function answerFrom(
  index: ProjectIndex,
  { task: text, lift }: FindRequest,
  listing: Listing,
  history: History,
): ProjectAnswer {
  const task = readProjectTask(text)
  const ranking = rankFiles(task, index, { history, ...(lift && { lift }) })
  const paths = index.candidates
  const isShown = ({ role, isNamed }: RankedFile) => task.isAboutTests || !role.isTest || isNamed
  return {
    files: ranking.files.filter(isShown),
    tests: ranking.files.filter((file) => !isShown(file)),
    terms: ranking.terms,
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

/** A damaged index costs time, not the answer. */
function orAnew(answer: (isFresh: boolean) => ProjectAnswer): ProjectAnswer {
  try {
    return answer(false)
  } catch {
    return answer(true)
  }
}

function sumUp(counts: readonly (readonly [LeftOut, number])[]): Record<string, number> {
  const sums = new Map<LeftOut, number>()
  for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count)
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A file that is to be shown, with what each of its sections is worth. */
export interface SectionedText {
  text: string
  /** Of its bytes. */
  sha256: string
  sections: FileSection[]
}

interface ReadFile {
  read: ReturnType<typeof readShown>
  sections: ReturnType<typeof cutSections>
  /** Counted when it is asked about again: that takes longer than looking for the words of one task. */
  terms?: ReturnType<typeof countSections>
}

const KEPT_BYTES = 16 * 1024 * 1024
const files = new KeptFiles<ReadFile>(KEPT_BYTES)

/** Undefined when it can no longer be read. */
export function readSections(root: string, path: string, terms: readonly WeighedTerm[]): SectionedText | undefined {
  let isNew = false
  const file = files.of(`${root}/${path}`, () => {
    isNew = true
    const read = readShown(root, path)
    return { read, sections: read === undefined ? [] : cutSections(path, read.text) }
  })
  const { read, sections } = file
  if (read === undefined) return undefined
  if (!isNew) file.terms ??= countSections(sections)
  return { ...read, sections: weighSections(sections, terms, file.terms) }
}
