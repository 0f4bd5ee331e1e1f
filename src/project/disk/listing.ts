import { lstatSync, type Stats } from 'node:fs'
import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { LARGEST_FILE, LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { listPaths, NO_REASON } from './listed-paths.ts'

/** A file that may be about a task, as it was when it was looked at. */
export interface ListedFile {
  path: string
  /** See `keyOf`. */
  key: number
  stat: Stats
}

export interface Listing {
  /** By path, in code units. */
  files: ListedFile[]
  leftOut: Map<LeftOut, number>
  by: 'git' | 'walk'
}

/** The candidates of a project. None is opened. */
export async function listProject(
  machine: Machine,
  project: Pick<Project, 'root' | 'repository'>,
  why: (path: string) => LeftOut | 'hidden' | undefined,
): Promise<Listing> {
  const { paths, keys, reasons, by } = await listPaths(machine, project)
  const leftOut = new Map<LeftOut, number>()
  const files: ListedFile[] = []
  paths.forEach((path, at) => {
    const given = why(path)
    if (given === 'hidden' || isUnfinished(path.slice(path.lastIndexOf('/') + 1))) return
    const reason = reasons[at] === NO_REASON ? given : LEFT_OUT[reasons[at]!]
    const stat = reason === undefined ? statOf(`${project.root}/${path}`) : undefined
    const found = reason ?? (stat === undefined ? lostReason(path) : reasonOf(stat))
    if (found !== undefined) leftOut.set(found, (leftOut.get(found) ?? 0) + 1)
    else if (stat !== undefined) files.push({ path, key: keys[at]!, stat })
  })
  return { files, leftOut, by }
}

/** A file that git knows and that is gone is no candidate, and not worth a word. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** No path leads to a name that is not UTF-8: what is not the name has become this character. */
function lostReason(path: string): LeftOut | undefined {
  return path.includes('\ufffd') ? 'unreadable' : undefined
}

function reasonOf(stat: Stats): LeftOut | undefined {
  if (!stat.isFile()) return 'special'
  return stat.size > LARGEST_FILE ? 'large' : undefined
}
