import { isUtf8 } from 'node:buffer'
import { fsyncSync, ftruncateSync, readSync, realpathSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, requireFile } from '../../machine/files.ts'
import { appendInside, readInside, refuseLinkOut, writeInside } from '../../machine/inside.ts'
import { acquireLock, type Release } from '../../machine/lock.ts'
import type { Machine } from '../../machine/machine.ts'
import { failWith, type LoadoutError, retell } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'
import {
  decodeRecord,
  encodeRecord,
  isExpired,
  LONGEST_NOTE_LINE,
  latestRecords,
  type TacticalRecord,
} from '../rules/advice/note-records.ts'

/** Beyond this, notes no longer help a task, and should be pruned. */
const LARGEST_NOTES = 4 * 1024 * 1024

export interface BadLine {
  /** Counted from 1. */
  line: number
  problem: string
}

export interface Notes {
  /** In the order of the file, including expired ones. */
  records: TacticalRecord[]
  badLines: BadLine[]
  /** Why the whole file could not be used. */
  failure?: LoadoutError
}

/** The notes of a project. Skips an invalid line; never throws. A missing file has no notes. */
export function readNotes(projectRoot: string, path: string): Notes {
  const { bytes, failure } = readInside(projectRoot, path, { most: LARGEST_NOTES })
  if (bytes === undefined) {
    const nothing = { records: [], badLines: [] }
    return failure.code === 'FILE_NOT_FOUND' ? nothing : { ...nothing, failure }
  }
  const lines = splitLines(bytes).map(readLine)
  const records = lines.flatMap(({ record }) => record ?? [])
  const badLines = lines.flatMap(({ line, problem }) => (problem === undefined ? [] : [{ line, problem }]))
  if (records.length > 0 || badLines.length === 0) return { records, badLines }
  const [first] = badLines
  const facts = { path, line: first?.line ?? 0, problem: first?.problem ?? '' }
  return { records, badLines, failure: failWith('FILE_UNREADABLE/notes-all', facts) }
}

interface NoteLine {
  /** Without its end. */
  bytes: Buffer
  line: number
  record?: TacticalRecord
  problem?: string
}

/** The lines that are not blank. */
function splitLines(bytes: Buffer): NoteLine[] {
  const lines: NoteLine[] = []
  for (let [from, line] = [0, 1]; from < bytes.length; line++) {
    const end = bytes.indexOf(10, from)
    const to = end < 0 ? bytes.length : end
    const part = bytes.subarray(from, to)
    if (part.some((byte) => byte !== 32 && byte !== 13 && byte !== 9)) lines.push({ bytes: part, line })
    from = to + 1
  }
  return lines
}

function readLine(raw: NoteLine): NoteLine {
  const { bytes } = raw
  if (bytes.length > LONGEST_NOTE_LINE * 4) return { ...raw, problem: 'it is too long' }
  if (bytes.includes(0)) return { ...raw, problem: 'it contains NUL bytes' }
  if (!isUtf8(bytes)) return { ...raw, problem: 'it is not UTF-8' }
  return { ...raw, ...decodeRecord(bytes.toString('utf8').replace(/^\ufeff/, '')) }
}

/** Adds one note at the end, all of it or nothing. */
export async function appendNote(
  machine: Machine,
  projectRoot: string,
  path: string,
  record: TacticalRecord,
): Promise<void> {
  refuseLinkOut(projectRoot, path)
  const release = await lockNotes(machine, projectRoot, path, 'note add')
  try {
    const full = join(projectRoot, path)
    if (exists(full)) requireFile(full)
    appendInside(projectRoot, path, (file, { size }) => {
      // The last line has no line end if a writer was killed or an editor left it out.
      const last = Buffer.alloc(1)
      const isTorn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${encodeRecord(record)}\n`)
      if (size + bytes.length > LARGEST_NOTES)
        throw failWith('FILE_TOO_LARGE/notes', { path, largestNotes: LARGEST_NOTES })
      if (writeSync(file, bytes) === bytes.length) {
        fsyncSync(file)
        return
      }
      // A truncated write must not leave half a note: the next one would be appended to it.
      ftruncateSync(file, size)
      throw failWith('WRITE_FAILED/notes', { path })
    })
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  } finally {
    release()
  }
}

export interface Pruning {
  kept: number
  /** Expired notes. */
  expired: TacticalRecord[]
  /** Notes that were replaced by a newer copy. */
  superseded: TacticalRecord[]
  /** Lines that are not notes: moved to a file beside it, because the user may still want them. */
  badLines: BadLine[]
  badLinesMovedTo: string
}

/** Removes expired notes. Remaining lines keep their bytes; a kill at any moment loses nothing. */
export async function pruneNotes(
  machine: Machine,
  projectRoot: string,
  path: string,
  now: Date,
  isDryRun: boolean,
): Promise<Pruning> {
  refuseLinkOut(projectRoot, path)
  const release = isDryRun ? () => {} : await lockNotes(machine, projectRoot, path, 'note prune')
  try {
    const lines = readWhole(projectRoot, path).map(readLine)
    const records = lines.flatMap(({ record }) => record ?? [])
    const { superseded } = latestRecords(records)
    const gone = new Set(superseded)
    const expired = records.filter((record) => !gone.has(record) && isExpired(record, now))
    for (const record of expired) gone.add(record)
    const kept = lines.filter(({ record }) => record !== undefined && !gone.has(record))
    const bad = lines.filter(({ problem }) => problem !== undefined)
    const badLines = bad.map(({ line, problem = '' }) => ({ line, problem }))
    const badLinesMovedTo = `${path}.corrupt`
    const pruning = { kept: kept.length, expired, superseded, badLines, badLinesMovedTo }
    if (isDryRun || kept.length === lines.length) return pruning
    if (bad.length > 0) {
      // Lines that an interrupted pruning has already moved are not moved again.
      const known = readWhole(projectRoot, badLinesMovedTo)
      const isNew = ({ bytes }: NoteLine) => !known.some((each) => each.bytes.equals(bytes))
      writeInside(projectRoot, badLinesMovedTo, joinLines([...known, ...bad.filter(isNew)]))
    }
    writeInside(projectRoot, path, joinLines(kept))
    return pruning
  } finally {
    release()
  }
}

/** The lines of a file that may have grown too large for its readers; none of a missing file. */
function readWhole(projectRoot: string, path: string): NoteLine[] {
  const { bytes, failure } = readInside(projectRoot, path, { most: 64 * 1024 * 1024 })
  if (bytes !== undefined) return splitLines(bytes)
  if (failure.code === 'FILE_NOT_FOUND') return []
  throw retell(failure, { hint: `move ${path} away` })
}

function joinLines(lines: readonly NoteLine[]): Uint8Array[] {
  return lines.flatMap(({ bytes }) => [bytes, Buffer.from('\n')])
}

function lockNotes(machine: Machine, projectRoot: string, path: string, purpose: string): Promise<Release> {
  const name = `notes-${sha256(join(realpathSync(projectRoot), path)).slice(0, 16)}`
  return acquireLock(join(machine.stateFolder, 'locks', name), { purpose })
}
