import { isUtf8 } from 'node:buffer'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseForeignJson, parseJson } from '../text/json.ts'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { attempt, getOwn } from '../text/values.ts'
import { ownedName, removeOrphans } from './leftovers.ts'
import { flushFlags, move } from './platform.ts'

/** The maximum size of a text in memory. */
export const LARGEST_TEXT = 256 * 1024 * 1024

/** Reads a whole regular text file. An error names the path, the reason and the remedy. */
export function readText(path: string, largest = LARGEST_TEXT): string {
  return withFile(path, path, READING, (file, stat) => textOf(readWhole(file, stat, path, largest), path))
}

/** Reads a whole regular file. */
export function readBytes(path: string): Buffer {
  return withFile(path, path, READING, (file, stat) => readWhole(file, stat, path, LARGEST_TEXT))
}

/** Decodes bytes as text. Throws if they are not text. */
export function textOf(bytes: Buffer, path: string): string {
  const problem = bytes.includes(0) ? 'it contains NUL bytes' : isUtf8(bytes) ? undefined : 'it is not UTF-8'
  if (problem === undefined) return bytes.toString('utf8')
  throw failWith('NOT_TEXT', { path, problem })
}

/** Non-blocking: opening a pipe would otherwise wait for a writer. */
export const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** Opens a file for a callback and closes it. Errors name the path as shown to the user. */
export function withFile<T>(path: string, shown: string, flags: number, use: (file: number, stat: Stats) => T): T {
  let file: number | undefined
  try {
    file = openSync(path, flags, 0o666)
    return use(file, fstatSync(file))
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && isLink(path)) throw failWith('FILE_NOT_FOUND/link', { shown }, { cause: error })
    throw asLoadoutError(error, shown, (flags & constants.O_RDWR) === 0 ? 'read' : 'write')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Reads a whole open file, up to its size at the time of opening. */
export function readWhole(file: number, stat: Stats, shown: string, largest: number): Buffer {
  requireRegular(stat, shown)
  if (stat.size <= largest) return readUpTo(file, stat.size)
  throw failWith('FILE_TOO_LARGE/file', { shown, size: stat.size, largest })
}

/** The next bytes of an open file, up to a maximum. */
export function readUpTo(file: number, most: number): Buffer {
  const bytes = Buffer.allocUnsafe(most)
  let length = 0
  while (length < most) {
    const read = readSync(file, bytes, length, most - length, null)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

/** How many bytes at the end belong to an incomplete character. */
export function brokenTail(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
  }
  return 0
}

/** Called before opening: opening a pipe would wait for its writer. */
export function requireFile(path: string): Stats {
  try {
    return requireRegular(statSync(path), path)
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

export function requireRegular(stat: Stats, shown: string): Stats {
  if (stat.isDirectory()) throw failWith('NOT_A_FILE/folder', { shown })
  if (!stat.isFile()) throw notAFile(shown)
  return stat
}

function notAFile(path: string): LoadoutError {
  return failWith('NOT_A_FILE', { path })
}

/** True if the path leads to a regular file; false on any error. */
export function isFile(path: string): boolean {
  return statOrNothing(path)?.isFile() ?? false
}

export function isFolder(path: string): boolean {
  return statOrNothing(path)?.isDirectory() ?? false
}

export function isLink(path: string): boolean {
  return attempt(() => lstatSync(path).isSymbolicLink(), false)
}

/** Whether this user may create files in a folder. */
export function isWritable(folder: string): boolean {
  return attempt(() => {
    accessSync(folder, constants.W_OK)
    return true
  }, false)
}

export function statOrNothing(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined)
}

/**
 * All or nothing: a reader, or a kill at any moment, finds the old or the new content. Writes through links. An
 * existing file keeps its mode; a new one gets the given mode. Not for files of a project: see `writeInside`.
 */
export function writeAtomically(
  path: string,
  content: string | readonly Uint8Array[],
  newMode = 0o666,
  isFlushed = true,
): void {
  try {
    const target = existsSync(path) ? realpathSync(path) : path
    makeFolders(dirname(target))
    replaceFile(target, path, content, { newMode, isFlushed })
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

/**
 * Moves a file into place in an existing folder; replaces a link there. Pipes and devices stay. An unflushed file
 * survives a kill, but perhaps not a power cut, and its caller must remove leftovers from the folder.
 */
export function replaceFile(
  target: string,
  shown: string,
  content: string | readonly Uint8Array[],
  { newMode = 0o666, isFlushed = true }: { newMode?: number; isFlushed?: boolean } = {},
): void {
  const stage = join(dirname(target), `${ownedName(`.${basename(target)}`)}.tmp`)
  try {
    const found = lstatSync(target, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === false && !found.isFile() && !found.isDirectory()) throw notAFile(shown)
    const mode = found?.isFile() ? found.mode & 0o777 : undefined
    const file = openSync(stage, 'wx', mode ?? newMode)
    try {
      for (const part of typeof content === 'string' ? [Buffer.from(content)] : content) writeFully(file, part)
      if (isFlushed) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (mode !== undefined) chmodSync(stage, mode)
    move(stage, target)
    if (isFlushed) removeLeftovers(target)
  } catch (error) {
    rmSync(stage, { force: true })
    throw asLoadoutError(error, shown, 'write')
  }
}

/** Removes the leftovers of killed writers of this file. */
export function removeLeftovers(target: string): void {
  removeOrphans(dirname(target), (name) => name === `.${basename(target)}`)
}

/** Removes a folder that this process has made, with all that is in it. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

/** Whether a path exists: a file, a folder, or even a broken link. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Nothing exists below a path that is not a folder.
    if (codeOf(error) === 'ENOTDIR') return false
    throw asLoadoutError(error, path, 'read')
  }
}

/**
 * Creates a folder and its parents. Node's own function retries forever where the system reports an existing folder as
 * missing, as below /proc.
 */
export function makeFolders(path: string, mode = 0o777): void {
  for (let again = 0; !isFolder(path); again++) {
    try {
      mkdirSync(path, { mode })
    } catch (error) {
      if (isFolder(path)) return
      // More than once only if another process removes them at the same time.
      if (codeOf(error) !== 'ENOENT' || dirname(path) === path || again === 8) throw error
      makeFolders(dirname(path), mode)
    }
  }
}

/** `makeFolder`, with an error that names the folder and the reason. */
export function makeFolder(path: string): void {
  try {
    makeFolders(path)
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

const READ_TROUBLE = {
  ENOENT: 'FILE_NOT_FOUND/path',
  ENOTDIR: 'FILE_NOT_FOUND/part',
  EISDIR: 'NOT_A_FILE/path',
  ENXIO: 'NOT_A_FILE',
  ENODEV: 'NOT_A_FILE',
  EACCES: 'FILE_UNREADABLE/permission',
  EPERM: 'FILE_UNREADABLE/permission',
  ELOOP: 'FILE_UNREADABLE/loop',
  ENAMETOOLONG: 'FILE_UNREADABLE/name',
} as const

const WRITE_TROUBLE = {
  ENOSPC: 'WRITE_FAILED/space',
  EDQUOT: 'WRITE_FAILED/quota',
  EIO: 'WRITE_FAILED/disk',
  ENAMETOOLONG: 'WRITE_FAILED/name',
  ENOENT: 'WRITE_FAILED/no-folder',
  EACCES: 'WRITE_FAILED/permission',
  EPERM: 'WRITE_FAILED/permission',
  EROFS: 'WRITE_FAILED/read-only-disk',
  ENOTDIR: 'WRITE_FAILED/part',
  EEXIST: 'WRITE_FAILED/part',
  EISDIR: 'WRITE_FAILED/folder',
} as const

export function asLoadoutError(error: unknown, path: string, action: 'read' | 'write'): LoadoutError {
  if (error instanceof LoadoutError) return error
  const code = codeOf(error)
  const detail = error instanceof Error ? error.message : String(error)
  const known = getOwn(action === 'read' ? READ_TROUBLE : WRITE_TROUBLE, code)
  if (known !== undefined) return failWith(known, { path }, { cause: error })
  return failWith(
    action === 'read' ? 'FILE_UNREADABLE/other' : 'WRITE_FAILED/other',
    { path, detail },
    { cause: error },
  )
}

/** The system's error code, such as `ENOENT`; empty for other errors. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/**
 * The JSON of a file, of any shape. Accepts a byte order mark; an error names line and column. A limit in bytes also
 * limits the nesting, so that even a hostile file cannot take long to read.
 */
export function readJson(path: string, largest?: number): unknown {
  return jsonOf(readText(path, largest), path, largest)
}

/** Parses JSON from a text that was read with this limit. */
export function jsonOf(text: string, path: string, largest?: number): unknown {
  const plain = text.replace(/^\ufeff/, '')
  const { value, problem } = largest === undefined ? parseJson(plain) : parseForeignJson(plain)
  if (problem === undefined) return value
  throw failWith('BAD_JSON/file', { path, problem: problem.replace(/^it /, '') })
}

// A process may open only a limited number of files.
const MOST_OPEN = 64

/** Flushes files before they are renamed: a power cut must not leave empty files under a final name. */
export async function flushFiles(folder: string, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += MOST_OPEN) {
    await Promise.all(paths.slice(at, at + MOST_OPEN).map((path) => flushFile(`${folder}/${path}`)))
  }
}

function flushFile(path: string): Promise<void> {
  return new Promise((done, fail) => {
    const file = openSync(path, flushFlags())
    fsync(file, (error) => {
      closeSync(file)
      if (error) fail(error)
      else done()
    })
  })
}
