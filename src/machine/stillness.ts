import { type FSWatcher, statfsSync, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { isFolder } from './files.ts'

// A process that stays need not look at every file for every question. Linux tells of a change in a folder before the
// call that made it returns, on file systems of its own. It is silent about memory that a file is mapped into, and about
// a file that has another name elsewhere: whoever relies on stillness looks again once in a while.

/** By what `statfs` calls them: ext, tmpfs, overlay, btrfs, xfs, zfs, f2fs, bcachefs. On others a change may come from elsewhere. */
const TELLING = new Set([0xef53, 0x01021994, 0x794c7630, 0x9123683e, 0x58465342, 0x2fc12fc1, 0xf2f52010, 0xca451a4e])
const MOST_FOLDERS = 5000
/** When so many come at once, some may be lost. */
const MOST_EVENTS = 1000

/** Folders in which nothing changes, as long as it lasts. What is below them needs a folder of its own. */
export class Stillness {
  private readonly watchers: FSWatcher[] = []
  private readonly folders: ReadonlySet<string>
  private events = 0
  private isMoved = false

  private constructor(folders: readonly string[]) {
    this.folders = new Set(folders)
    for (const folder of folders) {
      const watcher = watch(folder, { persistent: false }, (type, name) => this.note(folder, type, name))
      this.watchers.push(watcher)
      watcher.on('error', () => this.note(folder, 'rename', null))
    }
  }

  /** Undefined where the system does not tell of all changes. It lasts from now on: look at the folders afterwards. */
  static in(folders: readonly string[]): Stillness | undefined {
    if (process.platform !== 'linux' || folders.length > MOST_FOLDERS || !areTelling(folders)) return undefined
    try {
      return new Stillness(folders)
    } catch {
      // The system watches no more folders than it was told to.
      return undefined
    }
  }

  private note(folder: string, type: string, name: string | null): void {
    this.events++
    if (this.events > MOST_EVENTS || name === null || name === basename(folder)) this.isMoved = true
    else if (type === 'rename') this.isMoved ||= this.folders.has(join(folder, name)) || isFolder(join(folder, name))
  }

  /** Whether it lasts, after everything that was done before the question. */
  async lasts(): Promise<boolean> {
    // What the system told is read between two turns of the loop; the first may have begun before.
    await nextTurn()
    await nextTurn()
    return this.events === 0
  }

  /** From now on again, in the same folders; false when some of them came or went. */
  startAgain(): boolean {
    if (this.isMoved) return false
    this.events = 0
    return true
  }

  /** What has ended does not last, whoever still holds it. */
  end(): void {
    this.isMoved = true
    this.events++
    for (const watcher of this.watchers) watcher.close()
  }
}

function nextTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done))
}

function areTelling(folders: readonly string[]): boolean {
  const [first] = folders
  if (first === undefined) return false
  try {
    const { dev } = statSync(first)
    return TELLING.has(statfsSync(first).type) && folders.every((folder) => statSync(folder).dev === dev)
  } catch {
    return false
  }
}
