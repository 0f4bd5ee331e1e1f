import { chmodSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { asLoadoutError, exists, makeFolders, readJson, readText, writeAtomically } from './files.ts'
import { acquireLock } from './lock.ts'

// Records store what a person approved and asked for: other users must neither read nor replace them.
export const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/** A file below the state folder with one value, and its format. */
export interface RecordFile<T> {
  /** Slash-separated, below the state folder: `packs/approvals.json`. */
  place: string
  /** The value while there is no file. */
  empty: T
  /** Throws a LoadoutError for anything unexpected: a half-understood record must not count. */
  parse(json: unknown, path: string): T
  format(value: T): string
  /** The error of a file that cannot be read or parsed. */
  broken(problem: string, cause: LoadoutError): LoadoutError
}

/** The files below the state folder. */
export class Records {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  path(place: string): string {
    return join(this.folder, place)
  }

  /** Throws when the file exists but cannot be read or parsed. */
  read<T>(file: RecordFile<T>): T {
    const path = this.path(file.place)
    if (!exists(path)) return file.empty
    try {
      return file.parse(readJson(path), path)
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      const broken = file.broken(error.message, error)
      throw error.code === broken.code ? error : broken
    }
  }

  /** Replaces the value, one writer at a time. A file that cannot be parsed stays unchanged. */
  async change<T>(file: RecordFile<T>, purpose: string, change: (value: T) => T): Promise<T> {
    // Before taking the lock: a file that must be repaired first should leave no traces.
    this.read(file)
    const folder = this.privateFolder('locks')
    const release = await acquireLock(join(folder, file.place.replaceAll('/', '-')), { purpose })
    try {
      const value = change(this.read(file))
      const text = file.format(value)
      // Before replacing the old file: one unreadable value would make all the others unreadable.
      file.parse(JSON.parse(text), this.path(file.place))
      this.write(file.place, text)
      return value
    } finally {
      release()
    }
  }

  /** Writes a whole file atomically and reads it back. Only this user can read it. */
  write(place: string, text: string, isFlushed = true): void {
    const path = this.path(place)
    this.privateFolder(dirname(place))
    tighten(path, PRIVATE_FILE)
    writeAtomically(path, text, PRIVATE_FILE, isFlushed)
    if (readText(path) === text) return
    throw failWith('WRITE_FAILED/differs', { path })
  }

  /** A folder that only this user can enter, whatever the umask. Removes excess permissions. */
  privateFolder(place: string): string {
    const folder = join(this.folder, place)
    try {
      makeFolders(folder, PRIVATE_FOLDER)
    } catch (error) {
      throw asLoadoutError(error, folder, 'write')
    }
    for (let each = folder; each === this.folder || each.startsWith(this.folder + sep); each = dirname(each)) {
      tighten(each, PRIVATE_FOLDER)
    }
    return folder
  }
}

/** Removes permissions, never adds one: a folder that its owner made read-only stays so. */
function tighten(path: string, most: number): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode === undefined || (mode & 0o777 & ~most) === 0) return
  try {
    chmodSync(path, mode & most)
  } catch {
    // It belongs to another user.
  }
}
