import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import type { FileDigests } from '../../machine/rules/approval.ts'
import type { Code, LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { normalizePackPath, type PackWarning, packPathProblem } from '../rules/pack.ts'
import type { PackFile, PackFiles } from '../rules/pack-files.ts'

/** Prose and records are smaller than this; what is larger is something else. */
export const LARGEST_PACK_FILE = 2 * 1024 * 1024

const TEXT_EXTENSIONS = new Set(
  ['md', 'markdown', 'rst', 'adoc', 'asciidoc', 'txt', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'yml'].map(
    (ext) => `.${ext}`,
  ),
)

const MOST_FILES = 20_000
const DEEPEST_FOLDER = 12

/** The files of one pack. Nothing outside its folder is opened, whatever paths and links inside it say. */
export function openPack(root: string, approved?: FileDigests): PackFiles {
  return new PackFolder(root, approved)
}

class PackFolder implements PackFiles {
  readonly warnings: PackWarning[] = []
  readonly opened: string[] = []
  private readonly root: string
  private readonly approved: FileDigests | undefined
  private readonly listings = new Map<string, string[]>()
  private readonly files = new Map<string, PackFile | undefined>()

  constructor(root: string, approved: FileDigests | undefined) {
    this.root = root
    this.approved = approved
  }

  read(path: string): PackFile | undefined {
    const name = normalizePackPath(path)
    if (!this.files.has(name)) this.files.set(name, this.readAnew(path, name))
    return this.files.get(name)
  }

  list(folder: string): readonly string[] {
    const name = normalizePackPath(folder)
    let listing = this.listings.get(name)
    if (listing === undefined) {
      listing = []
      if (name === '' || this.isSafe(folder)) this.collect(name, 0, listing)
      listing.sort(compareText)
      this.listings.set(name, listing)
    }
    return listing
  }

  sizeOf(path: string): number | undefined {
    if (packPathProblem(path) !== undefined) return undefined
    try {
      const full = this.inside(normalizePackPath(path))
      const stat = full === undefined ? undefined : statSync(full, { throwIfNoEntry: false })
      return stat?.isFile() ? stat.size : undefined
    } catch {
      return undefined
    }
  }

  fingerprint(path: string): string | undefined {
    if (!this.isSafe(path)) return undefined
    const bytes = this.readBytes(path, normalizePackPath(path))
    return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex')
  }

  private readAnew(path: string, name: string): PackFile | undefined {
    if (!this.isSafe(path)) return undefined
    if (!TEXT_EXTENSIONS.has(extname(name).toLowerCase())) {
      this.warn('file.not-text', name, 'it is not one of the kinds of text that are read')
      return undefined
    }
    const bytes = this.readBytes(path, name)
    if (bytes === undefined) return undefined
    if (!isUtf8(bytes)) this.warn('file.repaired', name, 'it holds bytes that are no UTF-8; they were replaced')
    const text = bytes
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
    return { path: name, text, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length }
  }

  private readBytes(path: string, name: string): Buffer | undefined {
    const { bytes, failure } = readInside(this.root, name, { most: LARGEST_PACK_FILE })
    if (bytes === undefined) {
      this.warnUnread(failure, path, name)
      return undefined
    }
    this.opened.push(name)
    if (this.isApproved(name, bytes)) return bytes
    this.warn('file.unreadable', name, 'it is not the file that was approved', 'error')
    return undefined
  }

  /** A file that is not there is no trouble here: whoever needs it says so. */
  private warnUnread({ code, message, cause }: LoadoutError, path: string, name: string): void {
    if (code === 'PATH_ESCAPE') this.warn('source.escape', path, 'it is a link that leaves the pack', 'error')
    else if (code === 'NOT_A_FILE') this.warn('file.not-regular', name, 'it is not a regular file', 'error')
    else if (code === 'FILE_TOO_LARGE') this.warn('file.too-large', name, message.replace(name, 'it'))
    else if (code !== 'FILE_NOT_FOUND') {
      this.warn('file.unreadable', name, `it cannot be read (${codeOf(cause) || 'unknown reason'})`)
    }
  }

  /** What is given must be what was approved, whatever happened since the pack was judged. */
  private isApproved(path: string, bytes: Buffer): boolean {
    if (this.approved === undefined) return true
    const full = this.inside(path)
    const name = full === undefined ? path : relative(this.root, full).split(sep).join('/')
    return (
      Object.hasOwn(this.approved, name) && this.approved[name] === createHash('sha256').update(bytes).digest('hex')
    )
  }

  private collect(folder: string, depth: number, found: string[]): void {
    if (depth > DEEPEST_FOLDER || found.length >= MOST_FILES) {
      this.warn('discovery.limit', folder, 'it holds more than is looked at')
      return
    }
    let entries: ReturnType<typeof readEntries>
    try {
      const full = this.inside(folder)
      if (full === undefined) {
        this.warn('source.escape', folder, 'it is a link that leaves the pack', 'error')
        return
      }
      entries = readEntries(full)
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) {
        this.warn('file.unreadable', folder, `it cannot be read (${codeOf(error) || 'unknown reason'})`)
      }
      return
    }
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) this.collect(path, depth + 1, found)
      else if (entry.isFile()) found.push(path)
      else if (entry.isSymbolicLink() && this.sizeOf(path) !== undefined) found.push(path)
    }
  }

  private isSafe(path: string): boolean {
    const problem = packPathProblem(path)
    if (problem !== undefined) this.warn('source.escape', path, `this path is refused: ${problem}`, 'error')
    return problem === undefined
  }

  /** The real path, if it is still inside the pack. */
  private inside(name: string): string | undefined {
    const real = realpathSync.native(join(this.root, name))
    return real === this.root || real.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep)
      ? real
      : undefined
  }

  private warn(code: Code, path: string, message: string, severity: PackWarning['severity'] = 'warning'): void {
    this.warnings.push({ severity, code, path: path.slice(0, 200), message })
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
}
