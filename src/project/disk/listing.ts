import { type FSWatcher, statfsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { RecentValues } from '../../machine/cache.ts'
import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { LARGEST_FILE, LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { type KnownPaths, listPaths, NO_REASON, surroundings } from './listed-paths.ts'
import { areSame, isFolderAt, putStamp, STAMP_NUMBERS, stampsOf, statOf } from './stamps.ts'

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

// The system names what changes in a project, so that a running server need not look at every file for each question. Only where
// the system queues a change before the write returns: Linux, on file systems of its own. Elsewhere, and when watches
// run out, every file is looked at.

/** ext, btrfs, xfs, tmpfs, overlay, zfs, f2fs: others may change without a word, on another computer. */
const TOLD = new Set([0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010])
/** The system's queue drops events beyond 16,384. After half of them, some may be missing. */
const MOST_EVENTS = 8_000

/** In milliseconds: then every file is looked at again, for changes that no watch tells, such as through another name. */
const LONGEST = 60_000

/** What no watch covers is looked at for each question. */
interface Watchless {
  paths: readonly string[]
  stamps: Float64Array
}

/** The listings of one project in a process that is asked again and again. */
class LiveListing {
  private readonly root: string
  private readonly device: number | undefined
  private readonly watchers = new Map<string, FSWatcher>()
  /** By path in the project: true if a name came or went, false if only its content changed. */
  private changes = new Map<string, boolean>()
  private events = 0
  private known: KnownPaths | undefined
  /** Settings of git, every .gitignore, folders above. */
  private outside: Watchless | undefined
  private rootNumber: number | undefined
  /** By the rules of each. */
  private readonly listings = new Map<string, Listing>()
  /** Files with several names may be changed by another one. */
  private readonly linked = new Map<string, Watchless>()
  private round = 0
  private lookedAt = 0
  /** Watches are not to be had here. */
  isOff: boolean

  constructor(root: string) {
    this.root = root
    const stat = statOf(root)
    this.device = stat?.dev
    this.isOff = process.platform !== 'linux' || !isTold(root)
  }

  /** The listing by these rules with all changes until now; or the number of the round in which it has to be made. */
  async current(rules: string): Promise<Listing | number> {
    // After two turns, the loop has read every event that was queued before the question.
    for (let turn = 0; turn < 2; turn++) await new Promise((next) => setImmediate(next))
    if (this.isOff) return 0
    const changes = this.takeChanges()
    const isFresh = performance.now() - this.lookedAt < LONGEST
    const isKnown =
      changes !== undefined && isFresh && this.isOutsideSame() && [...changes].every((each) => this.apply(...each))
    if (!isKnown) this.forget()
    // A listing that is being made may have missed them.
    if (changes?.size !== 0 || this.known === undefined) this.round++
    return this.listings.get(rules) ?? this.round
  }

  /** Keeps a listing if every folder was watched before it was made. */
  keep(round: number, rules: string, known: KnownPaths | undefined, listing: Listing): void {
    if (this.isOff || round !== this.round || known === undefined) return
    if (this.known !== known) {
      this.forget()
      if (!this.cover(known)) return
      this.known = known
      this.lookedAt = performance.now()
    }
    this.listings.set(rules, listing)
    this.linked.set(rules, { paths: listing.linked, stamps: stampsOf(listing.linked) })
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close()
    this.watchers.clear()
    this.forget()
    this.round++
  }

  private forget(): void {
    this.known = undefined
    this.listings.clear()
    this.linked.clear()
  }

  /** Undefined if some were missed. */
  private takeChanges(): Map<string, boolean> | undefined {
    const { changes, events } = this
    this.changes = new Map()
    this.events = 0
    if (events > MOST_EVENTS) {
      this.close()
      return undefined
    }
    // A folder that moved is watched by its old path.
    for (const [path, isName] of changes) {
      if (!isName || !this.watchers.has(path)) continue
      for (const [folder, watcher] of this.watchers) {
        if (folder !== path && !folder.startsWith(`${path}/`)) continue
        watcher.close()
        this.watchers.delete(folder)
      }
      this.forget()
    }
    return changes
  }

  private isOutsideSame(): boolean {
    const { outside, root } = this
    if (outside === undefined) return false
    const { ino } = statOf(root) ?? {}
    const isSame = ({ paths, stamps }: Watchless) => areSame(stampsOf(paths), stamps)
    return ino === this.rootNumber && isSame(outside) && [...this.linked.values()].every(isSame)
  }

  /** False: the list of files may be another one now. */
  private apply(path: string, isName: boolean): boolean {
    if (this.known === undefined) return false
    if (placeOf(this.known.paths, path) < 0) return !isName || statOf(join(this.root, path), true) === undefined
    for (const [rules, listing] of this.listings) {
      const { files } = listing
      const at = placeOf(files.paths, path)
      const stat = statOf(join(this.root, path), true)
      if (at < 0 || !stat?.isFile() || stat.size > LARGEST_FILE || stat.nlink > 1) return false
      // Copied: an index that is open compares its stamps with these.
      const stamps = files.stamps.slice()
      putStamp(stamps, at, stat)
      this.listings.set(rules, { ...listing, files: { ...files, stamps } })
    }
    return true
  }

  /** Whether exactly the folders of this listing were watched already. If not, they are now. */
  private cover({ witnesses, stamps, paths }: KnownPaths): boolean {
    const folders = new Set([''])
    // A folder that git ignores may hold files that it tracks.
    for (const path of paths) {
      for (
        let end = path.lastIndexOf('/');
        end > 0 && !folders.has(path.slice(0, end));
        end = path.lastIndexOf('/', end - 1)
      )
        folders.add(path.slice(0, end))
    }
    const outside: string[] = []
    const others: number[] = []
    witnesses.forEach((path, at) => {
      const isInside = path === this.root || path.startsWith(`${this.root}/`)
      if (isInside && isFolderAt(stamps, at)) folders.add(path.slice(this.root.length + 1))
      else {
        outside.push(path)
        others.push(at)
      }
    })
    this.outside = {
      paths: outside,
      stamps: Float64Array.from(
        others.flatMap((at) => [...stamps.subarray(at * STAMP_NUMBERS, (at + 1) * STAMP_NUMBERS)]),
      ),
    }
    this.rootNumber = statOf(this.root)?.ino
    let isSame = true
    for (const [folder, watcher] of this.watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      this.watchers.delete(folder)
    }
    for (const folder of folders) {
      if (this.watchers.has(folder)) continue
      isSame = false
      this.watchFolder(folder)
      if (this.isOff) break
    }
    return isSame
  }

  private watchFolder(folder: string): void {
    const path = join(this.root, folder)
    try {
      // Another file system below this one may tell nothing.
      if (statOf(path)?.dev !== this.device) throw new Error('another device')
      const watcher = watch(path, { persistent: false }, (type, name) => {
        this.events += name === null ? MOST_EVENTS : 1
        if (this.events > MOST_EVENTS || name === null) return
        const inside = folder === '' ? name : `${folder}/${name}`
        this.changes.set(inside, type === 'rename' || this.changes.get(inside) === true)
      })
      watcher.on('error', () => this.giveUp())
      this.watchers.set(folder, watcher)
    } catch {
      // Gone since, or no watches left.
      if (statOf(path) !== undefined) this.giveUp()
    }
  }

  private giveUp(): void {
    this.isOff = true
    this.close()
  }
}

function isTold(root: string): boolean {
  try {
    return TOLD.has(statfsSync(root).type)
  } catch {
    return false
  }
}

/** In a list that is sorted by code units; negative without it. */
function placeOf(paths: readonly string[], path: string): number {
  let [low, high] = [0, paths.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (paths[middle]! < path) low = middle + 1
    else high = middle
  }
  return paths[low] === path ? low : -1
}
