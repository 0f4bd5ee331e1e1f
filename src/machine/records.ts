import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { type Code, LoadoutError } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { asLoadoutError, exists, makeFolders, readJson, readText, writeAtomically } from './files.ts'
import { namesIn, removeOrphans } from './leftovers.ts'
import { acquireLock } from './lock.ts'
import { type Machine, stateFolder } from './machine.ts'

// Records store what a person approved and asked for: other users must neither read nor replace them.
const PRIVATE_FILE = 0o600
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
  throw new LoadoutError('WRITE_FAILED', `${path} could not be written: its content differs from what was written`, {
    hint: 'check the disk, then run the command again',
  })
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

/** The folder of one kind of records, below the state folder. */
interface AuditFolder<K extends string = string> {
  kind: K
  place: string
}

/** Records of what Loadout delivered to a model, complete enough to reproduce it. */
export interface AuditFormat<T> extends AuditFolder {
  /** Derived from the content: the same bundle or resolution has the same id, 16 hexadecimal digits. */
  idOf(record: T): string
  /** Undefined for anything that is not such a record. */
  parse(json: unknown): T | undefined
}

const ID_LENGTH = 16

/**
 * Not flushed: there is one for every answer, and a record torn by a power cut does not match its id. The folder has
 * many files, so only the first write of a process removes the leftovers of killed writers.
 */
export function writeAudit<T>(machine: Machine, format: AuditFormat<T>, record: T): string {
  const id = format.idOf(record)
  const place = placeOf(format, id)
  const text = `${JSON.stringify(record)}\n`
  if (!isWritten(recordPath(machine, place), text)) writeRecord(machine, place, text, false)
  const folder = recordPath(machine, format.place)
  if (!swept.has(folder)) removeOrphans(folder)
  swept.add(folder)
  return id
}

const swept = new Set<string>()

/** Whether the same record already exists. */
function isWritten(path: string, text: string): boolean {
  try {
    return (
      (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777) % 0o1000 === PRIVATE_FILE && readText(path) === text
    )
  } catch {
    return false
  }
}

/** The record with this id, or with an unambiguous beginning of it. */
export function findAudit<K extends string>(
  machine: Machine,
  folders: readonly AuditFolder<K>[],
  typed: string,
): Named<K> {
  const start = typed.toLowerCase().slice(0, ID_LENGTH)
  const all = folders.flatMap((folder) => idsIn(machine, folder).map((id) => ({ kind: folder.kind, id })))
  const found = start === '' ? [] : all.filter(({ id }) => id.startsWith(start))
  const [only] = found
  if (only === undefined) {
    throw new LoadoutError('AUDIT_NOT_FOUND', `there is no record "${typed}"`, {
      hint: 'loadout context and loadout packs resolve print the id of their record',
    })
  }
  if (found.length > 1) throw ambiguous(typed, found)
  return only
}

interface Named<K extends string = string> {
  kind: K
  id: string
}

const MOST_LISTED = 8

function ambiguous(typed: string, found: readonly Named[]): LoadoutError {
  const listed = found.slice(0, MOST_LISTED).map(({ kind, id }) => `${id} (${kind})`)
  const more = found.length > MOST_LISTED ? [`${found.length - MOST_LISTED} more`] : []
  return new LoadoutError('AUDIT_NOT_FOUND', `"${typed}" is the start of ${found.length} records`, {
    hint: `type more of one: ${[...listed, ...more].join(', ')}`,
  })
}

/** Throws for a record that does not match its id. */
export function readAudit<T>(machine: Machine, format: AuditFormat<T>, id: string): T {
  const path = recordPath(machine, placeOf(format, id))
  const record = format.parse(readJson(path))
  if (record !== undefined && format.idOf(record) === id) return record
  throw new LoadoutError('BAD_AUDIT', `${path} was changed after it was written`, {
    hint: 'run the task again; you can remove the file',
  })
}

/** The most recently written records, the newest first. Skips other files. */
export function newestAudits<T>(
  machine: Machine,
  format: AuditFormat<T>,
  most: number,
): { id: string; at: Date; record: T }[] {
  const written = idsIn(machine, format).flatMap((id) => {
    const stat = statSync(recordPath(machine, placeOf(format, id)), { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ id, at: stat.mtime }]
  })
  const newest = written.sort((a, b) => b.at.getTime() - a.at.getTime() || compareText(a.id, b.id)).slice(0, most)
  return newest.flatMap(({ id, at }) => {
    try {
      return [{ id, at, record: readAudit(machine, format, id) }]
    } catch (error) {
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
}

/** The files to remove: their number and total size. */
export interface Pruned {
  removed: number
  bytes: number
  kept: number
}

/** Removes the records last written before a time, or only counts them. */
export function pruneAudits(
  machine: Machine,
  places: readonly string[],
  before: Date,
  { isDry = false }: { isDry?: boolean } = {},
): Pruned {
  const pruned: Pruned = { removed: 0, bytes: 0, kept: 0 }
  for (const folder of places.map((place) => recordPath(machine, place))) {
    for (const name of namesIn(folder).filter((each) => each.endsWith('.json'))) {
      const path = join(folder, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat === undefined || !stat.isFile()) continue
      if (stat.mtimeMs >= before.getTime()) {
        pruned.kept++
        continue
      }
      if (!isDry) removeFile(path)
      pruned.removed++
      pruned.bytes += stat.size
    }
  }
  return pruned
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

function idsIn(machine: Machine, { place }: AuditFolder): string[] {
  const names = namesIn(recordPath(machine, place))
  return names.flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []).sort(compareText)
}

function placeOf({ place }: AuditFolder, id: string): string {
  return `${place}/${id}.json`
}
