import { chmodSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { type Code, failWith, LoadoutError } from '../text/trouble.ts'
import { asLoadoutError, exists, makeFolders, readJson, readText, writeAtomically } from './files.ts'
import { acquireLock } from './lock.ts'
import { type Machine, stateFolder } from './machine.ts'

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
  /** The code and hint for a file that cannot be read or parsed. */
  broken: { code: Code; hint: string }
}

export function recordPath(machine: Machine, place: string): string {
  return join(stateFolder(machine), place)
}

/** Throws when the file exists but cannot be read or parsed. */
export function readRecord<T>(machine: Machine, file: RecordFile<T>): T {
  const path = recordPath(machine, file.place)
  if (!exists(path)) return file.empty
  try {
    return file.parse(readJson(path), path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code === file.broken.code) throw error
    throw new LoadoutError(file.broken.code, error.message, { hint: file.broken.hint, cause: error })
  }
}

/** Replaces the value, one writer at a time. A file that cannot be parsed stays unchanged. */
export async function changeRecord<T>(
  machine: Machine,
  file: RecordFile<T>,
  purpose: string,
  change: (value: T) => T,
): Promise<T> {
  // Before taking the lock: a file that must be repaired first should leave no traces.
  readRecord(machine, file)
  const folder = privateFolder(machine, 'locks')
  const release = await acquireLock(join(folder, file.place.replaceAll('/', '-')), { purpose })
  try {
    const value = change(readRecord(machine, file))
    const text = file.format(value)
    // Before replacing the old file: one unreadable value would make all the others unreadable.
    file.parse(JSON.parse(text), recordPath(machine, file.place))
    writeRecord(machine, file.place, text)
    return value
  } finally {
    release()
  }
}

/** Writes a whole file atomically and reads it back. Only this user can read it. */
export function writeRecord(machine: Machine, place: string, text: string, isFlushed = true): void {
  const path = recordPath(machine, place)
  privateFolder(machine, dirname(place))
  tighten(path, PRIVATE_FILE)
  writeAtomically(path, text, PRIVATE_FILE, isFlushed)
  if (readText(path) === text) return
  throw failWith('WRITE_FAILED/differs', { path })
}

/** A folder below the state folder that only this user can enter, whatever the umask. Removes excess permissions. */
export function privateFolder(machine: Machine, place: string): string {
  const root = stateFolder(machine)
  const folder = join(root, place)
  try {
    makeFolders(folder, PRIVATE_FOLDER)
  } catch (error) {
    throw asLoadoutError(error, folder, 'write')
  }
  for (let each = folder; each === root || each.startsWith(root + sep); each = dirname(each)) {
    tighten(each, PRIVATE_FOLDER)
  }
  return folder
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
