import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pathProblem } from '../text/paths.ts'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { attempt } from '../text/values.ts'
import {
  asLoadoutError,
  codeOf,
  exists,
  isLink,
  jsonOf,
  LARGEST_TEXT,
  makeFolders,
  READING,
  readUpTo,
  readWhole,
  replaceFile,
  requireRegular,
  textOf,
  withFile,
  writeAtomically,
} from './files.ts'

/** The content of a file of a project, pack or skill. */
export interface InsideBytes {
  bytes: Buffer
  /** Size of the whole file. */
  size: number
  /** The opened file, after links, relative to the root. */
  real: string
  failure?: undefined
}

/** Why a file could not be read. The message names no folder of this machine, so that a bundle may contain it. */
export interface Unread {
  bytes?: undefined
  size?: undefined
  real?: undefined
  failure: LoadoutError
}

/**
 * Reads a file below a root. Opens it without waiting for a pipe, then checks where and what it is: even if the path
 * was swapped meanwhile, nothing outside the root is read. For a file with more than `most` bytes, reads the first
 * `head` bytes; without `head`, refuses it. Never throws.
 */
export function readInside(root: string, path: string, limits: { most: number; head?: number }): InsideBytes | Unread {
  try {
    return openInside(root, path, READING, (file, stat, real) => {
      requireRegular(stat, path)
      const isHead = limits.head !== undefined && stat.size > limits.most
      const bytes = isHead ? readUpTo(file, limits.head ?? 0) : readWhole(file, stat, path, limits.most)
      return { bytes, size: stat.size, real }
    })
  } catch (error) {
    return { failure: asLoadoutError(error, path, 'read') }
  }
}

/** The text of a payload or of a file of a skill. Throws when it is unreadable or outside its root. */
export function readTextInside(root: string, path: string): string {
  const problem = pathProblem(path)
  if (problem !== undefined) throw escapes(path, problem)
  return openText(root, path, 4 * 1024 * 1024)
}

/** The JSON of a project file, read like `readJson`. Throws when it is outside its root. */
export function readJsonInside(root: string, path: string, largest?: number): unknown {
  return jsonOf(openText(root, path, largest ?? LARGEST_TEXT), join(root, path), largest)
}

/** Opens a file of a skill for reading in pieces. Throws like `readTextInside`. */
export function withFileInside<T>(root: string, path: string, use: (file: number, stat: Stats) => T): T {
  const shown = join(root, path)
  return openInside(root, path, READING, (file, stat) => use(file, requireRegular(stat, shown)), shown)
}

function openText(root: string, path: string, largest: number): string {
  const shown = join(root, path)
  const read = (file: number, stat: Stats) => textOf(readWhole(file, stat, shown, largest), shown)
  return openInside(root, path, READING, read, shown)
}

/** Opens a file for appending, and creates it if missing. */
export function appendInside(root: string, path: string, write: (file: number, stat: Stats) => void): void {
  refuseLinkOut(root, path)
  try {
    makeFolders(dirname(join(root, path)))
    openInside(root, path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | READING, (file, stat) =>
      write(file, requireRegular(stat, path)),
    )
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

function openInside<T>(
  root: string,
  path: string,
  flags: number,
  use: (file: number, stat: Stats, real: string) => T,
  shown = path,
): T {
  const full = join(root, path)
  if (!isBelow(join(root, '.'), full)) throw escapes(path, 'it leaves its root')
  const check = (file: number, stat: Stats) => {
    const real = realFrom(root, full, file, stat)
    if (real === undefined) throw escapes(path, 'it is a link that leaves its root')
    return use(file, stat, real)
  }
  try {
    return withFile(full, shown, flags | constants.O_NOFOLLOW, check)
  } catch (error) {
    if (!(error instanceof LoadoutError) || codeOf(error.cause) !== 'ELOOP') throw error
  }
  // A link. Checked before it is followed: merely opening some devices has an effect.
  if (!staysInside(root, path)) throw escapes(path, 'it is a link that leaves its root')
  return withFile(full, shown, flags & ~constants.O_CREAT, check)
}

/** The path of an open file relative to the root; undefined outside of it. */
function realFrom(root: string, full: string, file: number, stat: Stats): string | undefined {
  const real = realOf(file) ?? realByIdentity(full, stat)
  if (real === undefined) return undefined
  // Most roots are real paths already. A real path that starts with the root as spelled is below it.
  const base = isBelow(root, real) ? root : realpathSync.native(root)
  return isBelow(base, real) ? relative(base, real) : undefined
}

/** If the system does not report it: the path, provided that it leads to the same file without any link. */
function realByIdentity(full: string, { dev, ino }: Stats): string | undefined {
  const real = realOrNothing(full)
  const there = real === undefined ? undefined : lstatSync(real, { throwIfNoEntry: false })
  return there?.dev === dev && there.ino === ino ? real : undefined
}

function escapes(path: string, problem: string): LoadoutError {
  return failWith('PATH_ESCAPE', { path: JSON.stringify(path.slice(0, 200)), problem })
}

/** Whether a path stays below its root after following links, as far as it exists. */
export function staysInside(root: string, path: string): boolean {
  const full = join(root, path)
  const real = realOrNothing(full)
  if (real === undefined) return dirname(full) === full || full === root || staysInside(root, join(path, '..'))
  return isBelow(realpathSync.native(root), real)
}

/**
 * Writes a project file, all or nothing. Refuses a link out of the root anywhere on the path; writes through a link
 * that stays inside, and replaces a broken one. An existing file keeps its mode.
 */
export function writeInside(root: string, path: string, content: string | readonly Uint8Array[]): void {
  refuseLinkOut(root, path)
  const full = join(root, path)
  const target = realOrNothing(full) ?? full
  try {
    makeFolders(dirname(target))
    const folder = pinFolder(dirname(target), root)
    try {
      replaceFile(join(folder.place, basename(target)), full, content)
    } finally {
      folder.close()
    }
  } catch (error) {
    throw asLoadoutError(error, full, 'write')
  }
}

export interface PinnedFolder {
  /** A path to the folder that stays valid if another folder takes its place. */
  place: string
  close(): void
}

/** Opens a folder and only then checks where it is, so that writes through it stay inside the root. */
export function pinFolder(path: string, root: string): PinnedFolder {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  const close = () => closeSync(folder)
  const real = realOf(folder)
  // If the system does not report it, the check of the path has to do.
  if (real === undefined) return { place: path, close }
  if (isBelow(realpathSync.native(root), real)) return { place: `/proc/self/fd/${folder}`, close }
  close()
  throw leadsOut(root, relative(root, path), real)
}

/** The folder of a file that a user named. Inside the project it must stay inside; elsewhere any path is allowed. */
export function pinNamedFolder(root: string, path: string): PinnedFolder {
  return pathFrom(root, path) === undefined ? { place: dirname(path), close: () => {} } : pinFolder(dirname(path), root)
}

/** Refuses a file that already exists. */
export function writeNewInside(root: string, path: string, content: string): void {
  const full = join(root, path)
  if (exists(full)) throw failWith('FILE_EXISTS', { full })
  writeInside(root, path, content)
}

/** Writes where the user asked. A path inside the project must stay inside; elsewhere any path is allowed. */
export function writeNamed(root: string, path: string, content: string | readonly Uint8Array[]): void {
  const inside = pathFrom(root, path)
  if (inside === undefined) writeAtomically(path, content)
  else writeInside(root, inside, content)
}

/** Throws for a user's path inside a project if a link leads out of the project. */
export function refuseNamedLinkOut(root: string, path: string): void {
  const inside = pathFrom(root, path)
  if (inside !== undefined) refuseLinkOut(root, inside)
}

/** Throws for a path that leaves its root; names the link and its target. */
export function refuseLinkOut(root: string, path: string): void {
  if (staysInside(root, path)) return
  const parts = path.split('/')
  const ends = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  const link = ends.find((end) => isLink(join(root, end)) && !staysInside(root, end)) ?? path
  throw leadsOut(root, link, realOrNothing(join(root, link)))
}

function leadsOut(root: string, link: string, target: string | undefined): LoadoutError {
  const where = target === undefined ? '' : `, to ${target}`
  return failWith('PATH_ESCAPE/link', { full: join(root, link), root, where })
}

/** A path relative to a root, however the root is spelled; undefined when it is not below it. */
function pathFrom(root: string, path: string): string | undefined {
  const real = realOrNothing(root) ?? root
  const full = resolve(path)
  for (let folder = dirname(full); ; folder = dirname(folder)) {
    if (folder === root || realOrNothing(folder) === real) return relative(folder, full)
    if (dirname(folder) === folder) return undefined
  }
}

/** The real location of an open file or folder, if the system reports it. */
function realOf(file: number): string | undefined {
  return attempt(() => {
    const path = readlinkSync(`/proc/self/fd/${file}`)
    return path.startsWith('/') ? path : undefined
  }, undefined)
}

export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

/** Undefined for a path that does not exist. */
export function realOrNothing(path: string): string | undefined {
  // Not the JavaScript version, which shortens `link/..` before following links.
  return attempt(() => realpathSync.native(path), undefined)
}
