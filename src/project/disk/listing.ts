import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { LARGEST_FILE, LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { listPaths, NO_REASON } from './listed-paths.ts'
import { putStamp, STAMP_NUMBERS, statOf } from './stamps.ts'

/** The candidate files for a task, as they were when checked. By path, in code units. */
export interface ListedFiles {
  paths: readonly string[]
  /** See `keyOf`. */
  keys: Float64Array
  /** STAMP_NUMBERS of each. */
  stamps: Float64Array
}

export interface Listing {
  files: ListedFiles
  leftOut: Map<LeftOut, number>
  by: 'git' | 'walk'
}

/** The candidates of a project. Opens none. `why`: why a path is none, besides its name; hidden paths have no reason. */
export async function listProject(
  machine: Machine,
  project: Pick<Project, 'root' | 'repository'>,
  why: (path: string) => LeftOut | 'hidden' | undefined,
): Promise<Listing> {
  const { paths, keys, reasons, by } = await listPaths(machine, project)
  const leftOut = new Map<LeftOut, number>()
  const found: string[] = []
  const foundKeys = new Float64Array(paths.length)
  const stamps = new Float64Array(paths.length * STAMP_NUMBERS)
  const leave = (reason: LeftOut) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  paths.forEach((path, at) => {
    const given = why(path)
    if (given === 'hidden' || isUnfinished(path.slice(path.lastIndexOf('/') + 1))) return
    const known = reasons[at] === NO_REASON ? given : LEFT_OUT[reasons[at]!]
    const stat = known === undefined ? statOf(`${project.root}/${path}`, true) : undefined
    if (known !== undefined) leave(known)
    else if (stat === undefined) {
      // A file that git tracks but that is missing is not a candidate, and is not reported. A name that is not UTF-8
      // cannot be reached: its invalid bytes became this character.
      if (path.includes('\ufffd')) leave('unreadable')
    } else if (!stat.isFile()) leave('special')
    else if (stat.size > LARGEST_FILE) leave('large')
    else {
      putStamp(stamps, found.length, stat)
      foundKeys[found.length] = keys[at]!
      found.push(path)
    }
  })
  const files = {
    paths: found,
    keys: foundKeys.subarray(0, found.length),
    stamps: stamps.subarray(0, found.length * STAMP_NUMBERS),
  }
  return { files, leftOut, by }
}
