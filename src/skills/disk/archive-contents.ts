import { pathProblem } from '../../text/paths.ts'
import { type Code, LoadoutError } from '../../text/trouble.ts'

export interface ArchiveLimits {
  /** Files and folders, including folders without an entry of their own. */
  entries: number
  /** The content of all files together. */
  bytes: number
}

export const LIMITS: ArchiveLimits = { entries: 20_000, bytes: 1024 ** 3 }
const LONGEST_PATH = 4096

/** The entries of an archive. `implied`: a folder without an entry of its own, named in the path of another. */
export interface Contents {
  archive: string
  limits: ArchiveLimits
  kinds: Map<string, 'file' | 'folder' | 'implied'>
  entries: number
  bytes: number
}

export function openContents(archive: string, limits: ArchiveLimits): Contents {
  return { archive, limits, kinds: new Map(), entries: 0, bytes: 0 }
}

/** Adds an entry and returns its normalised path. Throws if it cannot be unpacked beside the others. */
export function record(contents: Contents, name: string, kind: 'file' | 'folder', size = 0): string {
  const { archive, limits, kinds } = contents
  const path = plainPath(name, archive)
  const known = path === '' ? 'implied' : kinds.get(path)
  if (known === kind) throw collision(contents, path, 'appears twice')
  if (known === 'file' || (known !== undefined && kind === 'file')) {
    throw collision(contents, path, 'appears as a file and as a folder')
  }
  if (path !== '') kinds.set(path, kind)
  recordParents(contents, path)
  contents.entries += 1
  contents.bytes += size
  if (Math.max(contents.entries, kinds.size) > limits.entries) throw tooMuch(archive, `${limits.entries} entries`)
  if (contents.bytes > limits.bytes) throw tooMuch(archive, `${limits.bytes} bytes`)
  return path
}

/** Adds the folders above a path, from the inside out, and stops at a known one: a shared deep folder is added once. */
function recordParents(contents: Contents, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const parent = path.slice(0, end)
    const known = contents.kinds.get(parent)
    if (known === 'file') throw collision(contents, parent, 'appears as a file and as a folder')
    if (known !== undefined) return
    contents.kinds.set(parent, 'implied')
  }
}

/** The path without `.` and empty parts; empty for the root. */
function plainPath(name: string, archive: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  const danger = pathProblem(name) ?? (parts.includes('..') ? 'it contains ".."' : undefined)
  const problem = name.length > LONGEST_PATH ? 'it is too long' : isUtf8Name(name) ? undefined : 'it is not UTF-8'
  if (danger === undefined && problem === undefined) return parts.join('/')
  const message = `${archive}: the path ${clip(name)} is refused: ${danger ?? problem}`
  const hint = 'every entry must lie below the root of the archive, under a name that every system can read'
  throw new LoadoutError(danger === undefined ? 'BAD_NAME' : 'PATH_ESCAPE', message, { hint })
}

function isUtf8Name(name: string): boolean {
  return !/[\p{Surrogate}\ufffd]/u.test(name)
}

export const REFUSED: Record<string, readonly [Code, string, string]> = {
  symlink: ['SYMLINK_IN_TREE', 'is a symbolic link that leads to no file of it', 'put the file itself there'],
  link: ['SYMLINK_IN_TREE', 'is a hard link', 'put the file itself there: a link may lead anywhere'],
  fifo: ['SPECIAL_FILE', 'is a pipe or socket', 'remove it: only files and folders can be in an archive'],
  'character-device': ['SPECIAL_FILE', 'is a device', 'remove it: only files and folders can be in an archive'],
  'block-device': ['SPECIAL_FILE', 'is a device', 'remove it: only files and folders can be in an archive'],
  unknown: [
    'BAD_ARCHIVE',
    'is of a kind that cannot be unpacked',
    'pack it again with plain tar, without sparse files',
  ],
}

export function refuse(subject: string, kind: string): LoadoutError {
  const [code, problem, hint] = REFUSED[kind] ?? REFUSED.unknown!
  return new LoadoutError(code, `${subject} ${problem}`, { hint })
}

export function collision({ archive }: Contents, path: string, problem: string): LoadoutError {
  return new LoadoutError('BAD_ARCHIVE', `${archive}: ${clip(path) || '.'} ${problem}`, { hint: 'pack it again' })
}

export function tooMuch(archive: string, limit: string): LoadoutError {
  return new LoadoutError('BAD_ARCHIVE', `${archive} contains more than ${limit}`, { hint: 'split it' })
}

/** A hostile archive can have names of several megabytes. */
export function clip(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}...` : name
}
