import { type FSWatcher, statfsSync, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { isFolder } from './files.ts'

// A long-running process need not check every file for every question. On local file systems Linux reports a change in
// a folder before the call that made it returns. It does not report writes to mapped memory, nor to a file with a
// second name elsewhere: code that relies on stillness checks again from time to time.

/**
 * Types from `statfs`: ext, tmpfs, overlay, btrfs, xfs, zfs, f2fs, bcachefs. Other file systems may not report all
 * changes.
 */
const TELLING = new Set([0xef53, 0x01021994, 0x794c7630, 0x9123683e, 0x58465342, 0x2fc12fc1, 0xf2f52010, 0xca451a4e])
const MOST_FOLDERS = 5000
/** With more events at once, some may be lost. */
const MOST_EVENTS = 1000

/** Watches folders and knows whether anything in them changed. Each subfolder must be listed separately. */
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

  /** Undefined where the system does not report all changes. Starts now: read the folders afterwards. */
  static in(folders: readonly string[]): Stillness | undefined {
    if (process.platform !== 'linux' || folders.length > MOST_FOLDERS || !areTelling(folders)) return undefined
    try {
      return new Stillness(folders)
    } catch {
      // The system limits the number of watched folders.
      return undefined
    }
  }

  private note(folder: string, type: string, name: string | null): void {
    this.events++
    if (this.events > MOST_EVENTS || name === null || name === basename(folder)) this.isMoved = true
    else if (type === 'rename') this.isMoved ||= this.folders.has(join(folder, name)) || isFolder(join(folder, name))
  }

  /** Whether nothing has changed up to this call. */
  async lasts(): Promise<boolean> {
    // Node reads events between two turns of the loop; the first turn may have begun earlier.
    await nextTurn()
    await nextTurn()
    return this.events === 0
  }

  /** Starts again in the same folders; false when some of them were added or removed. */
  startAgain(): boolean {
    if (this.isMoved) return false
    this.events = 0
    return true
  }

  /** After `end`, `lasts` is false. */
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
