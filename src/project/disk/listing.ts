import { RecentValues } from '../../machine/cache.ts'
import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { LARGEST_FILE, LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { listPaths, NO_REASON, surroundings } from './listed-paths.ts'
import { LiveListing } from './live-listing.ts'
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
  /** Files that have other names too, as absolute paths. */
  linked: readonly string[]
}

type Place = Pick<Project, 'root' | 'repository'>

const live = new RecentValues<LiveListing | 'asked once'>(2, (old) => void (old !== 'asked once' && old.close()))

/**
 * The candidates of a project. Opens none. `why`: why a path is none, besides its name; hidden paths have no reason.
 * `rules`: those of `why` as text. For a process that asks again, the system names what changes.
 */
export async function listProject(
  machine: Machine,
  project: Place,
  why: (path: string) => LeftOut | 'hidden' | undefined,
  rules?: string,
): Promise<Listing> {
  if (rules === undefined || project.repository === undefined) return (await listNow(machine, project, why)).listing
  const name = `${project.root} ${surroundings(machine, project.repository)}`
  const known = live.get(name)
  // A command asks once: watches would cost it more than they save.
  const watched = known === 'asked once' ? new LiveListing(project.root) : known
  live.set(name, watched ?? 'asked once')
  const found = await watched?.current(rules)
  if (typeof found === 'object') return found
  const { listing, listed } = await listNow(machine, project, why)
  watched?.keep(found ?? 0, rules, 'witnesses' in listed ? listed : undefined, listing)
  return listing
}

async function listNow(machine: Machine, project: Place, why: (path: string) => LeftOut | 'hidden' | undefined) {
  const listed = await listPaths(machine, project)
  const { paths, keys, reasons, by } = listed
  const leftOut = new Map<LeftOut, number>()
  const found: string[] = []
  const foundKeys = new Float64Array(paths.length)
  const stamps = new Float64Array(paths.length * STAMP_NUMBERS)
  const linked: string[] = []
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
      if (stat.nlink > 1) linked.push(`${project.root}/${path}`)
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
  const listing: Listing = { files, leftOut, by, linked }
  return { listing, listed }
}
