import type { CacheKey } from '../../machine/cache.ts'
import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { LARGEST_FILE, LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { type ListedPaths, listPaths, NO_REASON } from './listed-paths.ts'
import { areSame, bytesOf, putStamp, STAMP_NUMBERS, statOf } from './stamps.ts'

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
  /** A change of the list of paths changes one of these; undefined if not all are known. */
  witnesses: readonly string[] | undefined
}

/** The candidates of a project. Opens none. */
export async function listProject(
  machine: Machine,
  project: Pick<Project, 'root' | 'repository'>,
  leaveOut: LeaveOut,
): Promise<Listing> {
  const listed = await listPaths(machine, project)
  const { paths, keys, by, witnesses } = listed
  const told = toldReasons(machine, project.root, listed, leaveOut)
  const leftOut = new Map<LeftOut, number>()
  const found: string[] = []
  const foundKeys = new Float64Array(paths.length)
  const stamps = new Float64Array(paths.length * STAMP_NUMBERS)
  const leave = (reason: LeftOut) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  paths.forEach((path, at) => {
    if (told[at] === HIDDEN) return
    const known = told[at] === NO_REASON ? undefined : LEFT_OUT[told[at]!]
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
  return { files, leftOut, by, witnesses }
}

/** Such a path is not mentioned at all. */
const HIDDEN = 254

/** Why a path is not a candidate, besides its name. `rule`: everything that `why` depends on, if known. */
export interface LeaveOut {
  why: (path: string) => LeftOut | 'hidden' | undefined
  rule?: string
}

/**
 * Why each path is not a candidate, as far as known without reading it: a place in LEFT_OUT, HIDDEN or
 * NO_REASON. Kept for the same paths and the same rule: asking takes half as long as looking at all the files.
 */
function toldReasons(machine: Machine, root: string, listed: ListedPaths, { why, rule }: LeaveOut): Uint8Array {
  if (rule === undefined) return askAll(listed, why)
  const { keys } = listed
  // Increase the version when the same rule would give other reasons.
  const key: CacheKey = { kind: 'project-reasons', version: 2, name: [root, rule] }
  const known = machine.cache.read(key, (bytes) =>
    bytes.length === 9 * keys.length && areSame(new Float64Array(bytes.buffer, bytes.byteOffset, keys.length), keys)
      ? bytes.subarray(8 * keys.length)
      : undefined,
  )
  if (known !== undefined) return known
  const told = askAll(listed, why)
  machine.cache.write(key, Buffer.concat([bytesOf(keys), told]))
  return told
}

function askAll({ paths, reasons }: ListedPaths, why: LeaveOut['why']): Uint8Array {
  const told = new Uint8Array(paths.length)
  paths.forEach((path, at) => {
    const given = why(path)
    const isHidden = given === 'hidden' || isUnfinished(path.slice(path.lastIndexOf('/') + 1))
    if (isHidden) told[at] = HIDDEN
    else if (reasons[at] !== NO_REASON) told[at] = reasons[at]!
    else told[at] = given === undefined ? NO_REASON : LEFT_OUT.indexOf(given)
  })
  return told
}
