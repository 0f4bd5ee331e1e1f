import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { compareText } from '../text/values.ts'
import { readHistory } from './disk/history-log.ts'
import { listProject } from './disk/listing.ts'
import { openIndex, readShown } from './disk/project-index.ts'
import type { LeftOut } from './rules/candidates.ts'
import { NO_HISTORY } from './rules/history.ts'
import { readProjectTask } from './rules/project-task.ts'
import { type RankedFile, type Ranking, rankFiles, type WeighedTerm } from './rules/rank-files.ts'
import { type FileSection, weighSections } from './rules/sections.ts'

export interface FindRequest {
  task: string
  project: Pick<Project, 'root' | 'repository'>
  /** Why a path is no candidate, beside what its name tells. Of a hidden one nothing is said. */
  leaveOut?: (path: string) => LeftOut | 'hidden' | undefined
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
  const { project, task: text, lift, useHistory = true, leaveOut = () => undefined } = request
  const [listing, history] = await Promise.all([
    listProject(machine, project, leaveOut),
    useHistory ? readHistory(machine, project) : NO_HISTORY,
  ])
  const task = readProjectTask(text)
  const rank = (isFresh: boolean) => {
    const index = openIndex(machine, project.root, listing.files, isFresh)
    const ranking = rankFiles(task, index, { history, ...(lift && { lift }) })
    const paths = index.paths.filter((path) => path !== undefined).sort(compareText)
    return { ranking, paths, leftOut: index.leftOut }
  }
  const { ranking, paths, leftOut } = orAnew(rank)
  const isShown = ({ role, isNamed }: RankedFile) => task.isAboutTests || !role.isTest || isNamed
  const counts = [...listing.leftOut, ...leftOut]
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
      left_out: sumUp(counts),
    },
  }
}

interface Ranked {
  ranking: Ranking
  paths: string[]
  leftOut: ReadonlyMap<LeftOut, number>
}

/** A damaged index costs time, not the answer. */
function orAnew(rank: (isFresh: boolean) => Ranked): Ranked {
  try {
    return rank(false)
  } catch {
    return rank(true)
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

/** Undefined when it can no longer be read. */
export function readSections(root: string, path: string, terms: readonly WeighedTerm[]): SectionedText | undefined {
  const read = readShown(root, path)
  return read && { ...read, sections: weighSections(path, read.text, terms) }
}
