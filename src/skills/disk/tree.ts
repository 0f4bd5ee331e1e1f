import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Stamp, stampOf } from '../../machine/cache.ts'
import { asLoadoutError, codeOf, makeFolders } from '../../machine/files.ts'
import { withFileInside } from '../../machine/inside.ts'
import { flushFlags } from '../../machine/platform.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { MARKER_FILE } from '../rules/marker.ts'

export type FileKind = 'file' | 'link' | 'special'

/** One file of a skill's folder. */
export interface TreeFile {
  /** Slash-separated, below the folder. */
  path: string
  kind: FileKind
  isExecutable: boolean
  size: number
  stamp: Stamp
}

/** Files that systems and tools leave in folders and that belong to no skill. */
const NOT_COPIED = new Set(['.git', '.DS_Store', 'Thumbs.db'])

// Read in pieces: a large file must not fill the memory.
const PIECE = 1024 * 1024

/** A folder's files, in a fixed order, without what is never copied; our marker apart. */
export interface Tree {
  files: TreeFile[]
  marker: TreeFile | undefined
  /** The folder itself, under an empty path, and those in it, as they were before they were read. */
  folders: { path: string; stamp: Stamp }[]
}

/** Throws for what cannot be read, also for names that no text can hold. */
export function listTree(folder: string): Tree {
  const tree: Tree = { files: [], marker: undefined, folders: [{ path: '', stamp: stampOf(statIn(folder, '')) }] }
  const walk = new Walk(folder)
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind } of entries) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (NOT_COPIED.has(name)) continue
      if (name.includes('\ufffd')) {
        throw new LoadoutError('BAD_NAME', `${folder}/${path} has a name that is not UTF-8`, {
          hint: 'rename the file',
        })
      }
      if (path === MARKER_FILE) tree.marker = describe(folder, path)
      else if (kind !== 'folder') tree.files.push(describe(folder, path))
      else {
        tree.folders.push({ path, stamp: stampOf(statIn(folder, path)) })
        enter(name)
      }
    }
  }
  const [unreadable] = walk.leftOut.unreadable
  if (unreadable !== undefined) throw asLoadoutError(unreadable.error, unreadable.path, 'read')
  tree.files.sort((a, b) => compareText(a.path, b.path))
  // Loadout writes no marker that can be executed: on this disk, such as a Windows drive under WSL, every file says so.
  if (tree.marker?.isExecutable) for (const file of tree.files) file.isExecutable = false
  return tree
}

function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

function describe(folder: string, path: string): TreeFile {
  const stat = statIn(folder, path)
  const isExecutable = (stat.mode & 0o111) !== 0
  return { path, kind: kindOf(stat.mode), isExecutable, size: stat.size, stamp: stampOf(stat) }
}

export function kindOf(mode: number): FileKind {
  const type = mode & constants.S_IFMT
  return type === constants.S_IFREG ? 'file' : type === constants.S_IFLNK ? 'link' : 'special'
}

/** The folder itself may be reached through a link; nothing in it may. */
function statIn(folder: string, path: string): Stats {
  try {
    return path === '' ? statSync(folder) : lstatSync(`${folder}/${path}`)
  } catch (error) {
    throw asLoadoutError(error, join(folder, path), 'read')
  }
}

/** Why a folder cannot be a skill's source: only plain files are copied. */
export function treeProblem(files: readonly Pick<TreeFile, 'path' | 'kind'>[]): LoadoutError | undefined {
  for (const { path, kind } of files) {
    if (kind === 'link') {
      const hint = 'put the file itself there: a link may lead out of the skill'
      return new LoadoutError('SYMLINK_IN_TREE', `${path} is a symbolic link`, { hint })
    }
    if (kind === 'special') {
      const hint = 'remove it: only files and folders can be installed'
      return new LoadoutError('SPECIAL_FILE', `${path} is a pipe, socket or device`, { hint })
    }
  }
  return undefined
}

/** The identity of a folder's content: names, executable bits and bytes, nothing else. */
export function hashTree(folder: string, files: readonly TreeFile[]): string {
  return hashRows(files.map((file) => [file.path, file.isExecutable, hashFile(folder, file)]))
}

export type HashRow = readonly [path: string, isExecutable: boolean, hash: string]

export function hashRows(rows: readonly HashRow[]): string {
  const hash = createHash('sha256')
  for (const [path, isExecutable, content] of [...rows].sort(([a], [b]) => compareText(a, b))) {
    hash.update(`${path}\0${isExecutable ? 'x' : '-'}\0${content}\n`)
  }
  return hash.digest('hex')
}

/** The identity of the content of one file below a folder. */
export function hashFile(folder: string, { path, kind }: Pick<TreeFile, 'path' | 'kind'>): string {
  if (kind === 'special') return 'special'
  try {
    if (kind === 'link') return `link ${readlinkSync(join(folder, path))}`
    return pump(folder, path, undefined)
  } catch (error) {
    throw asLoadoutError(error, join(folder, path), 'read')
  }
}

/** Copies one file from below a folder and says what its content was. */
export function copyFile(folder: string, path: string, to: string, isExecutable: boolean): string {
  const target = createFile(to, isExecutable)
  try {
    return pump(folder, path, target)
  } finally {
    closeSync(target)
  }
}

/** Writes one file and says what its content is. */
export function writeTreeFile(to: string, content: string | Uint8Array, isExecutable: boolean): string {
  const target = createFile(to, isExecutable)
  try {
    writeFileSync(target, content)
  } finally {
    closeSync(target)
  }
  return hashContent(content)
}

/** Its folder is made when it is missed: most files lie in one that is there. */
function createFile(path: string, isExecutable: boolean): number {
  const mode = isExecutable ? 0o777 : 0o666
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    makeFolders(dirname(path))
    return openSync(path, 'wx', mode)
  }
}

export function hashContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Reads a file to its end, hashes it, and writes it where asked. What was swapped since it was listed is not followed.
 */
function pump(folder: string, path: string, to: number | undefined): string {
  let unwritten: unknown
  try {
    return withFileInside(folder, path, (source, { size }) => {
      const hash = createHash('sha256')
      const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, size)))
      for (let length = readSync(source, piece); length > 0; length = readSync(source, piece)) {
        const part = piece.subarray(0, length)
        hash.update(part)
        try {
          for (let written = 0; to !== undefined && written < length; ) written += writeSync(to, part, written)
        } catch (error) {
          unwritten = error
          throw error
        }
      }
      return hash.digest('hex')
    })
  } catch (error) {
    // Who writes knows where: a full disk is no trouble of the file that is read.
    throw unwritten ?? error
  }
}

/** Copies a whole folder, marker included, into one that does not exist yet. For backups: nothing is left out. */
export function copyFolder(from: string, to: string): void {
  makeFolders(to)
  for (const entry of readFolder(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target)
    else if (entry.isFile()) {
      copyFile(from, entry.name, target, false)
      chmodSync(target, lstatSync(source).mode & 0o777)
      flushFile(target)
    } else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
  }
}

function flushFile(path: string): void {
  const file = openSync(path, flushFlags())
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Copies a skill's files, without the marker and some others, into a folder that is not there yet. */
export function copyTree(from: string, to: string, leftOut: readonly string[] = []): void {
  makeFolders(to)
  for (const { path, kind, isExecutable } of listTree(from).files) {
    if (kind === 'file' && !leftOut.includes(path)) copyFile(from, path, join(to, path), isExecutable)
  }
}
