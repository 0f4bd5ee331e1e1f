import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import type { FileDigests } from '../../machine/rules/approval.ts'
import type { Code, LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { breakLongLines } from '../rules/long-lines.ts'
import {
  isProse,
  LARGEST_PACK_FILE,
  type LinkedLayer,
  normalizePackPath,
  type PackFile,
  type PackFiles,
  type PackWarning,
  packPathProblem,
} from '../rules/pack.ts'
import { linkedRoot, listLinked, type PackPlaceOnDisk } from './pack-place.ts'

const TEXT_EXTENSIONS = new Set(
  '.md .mdx .markdown .rst .adoc .asciidoc .txt .json .jsonl .csv .tsv .yaml .yml'.split(' '),
)

const MOST_FILES = 20_000
const DEEPEST_FOLDER = 12

/** Pack files with their full paths, so that a cache can check whether they changed. */
export interface PackFilesOnDisk extends PackFiles {
  fullPath(path: string): string
}

/**
 * The files of one pack. Opens nothing outside the pack and its linked folder, whatever paths and links inside it say.
 */
export function openPack(place: PackPlaceOnDisk, approved?: FileDigests): PackFilesOnDisk {
  return new PackFolder(place, approved)
}

class PackFolder implements PackFilesOnDisk {
  readonly warnings: PackWarning[] = []
  readonly opened: string[] = []
  private readonly root: string
  private readonly linked: LinkedLayer | undefined
  private readonly approved: FileDigests | undefined
  private readonly listings = new Map<string, string[]>()
  private readonly files = new Map<string, PackFile | undefined>()

  constructor({ root, linked }: PackPlaceOnDisk, approved: FileDigests | undefined) {
    this.root = root
    this.linked = linked
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
      if (name === '' || this.isSafe(folder)) {
        if (!this.isLinked(name)) this.collect(name, 0, listing)
        listing.push(...this.linkedBelow(name))
      }
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
      this.warn('file.not-text', name, 'it is not a kind of text file that Loadout reads')
      return undefined
    }
    const bytes = this.readBytes(path, name)
    if (bytes === undefined) return undefined
    if (!isUtf8(bytes)) this.warn('file.repaired', name, 'it contains bytes that are not UTF-8; they were replaced')
    const text = bytes
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
    return {
      path: name,
      text: isIndexed(name) ? breakLongLines(text) : text,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    }
  }

  private readBytes(path: string, name: string): Buffer | undefined {
    const { root, path: inside } = this.placeOf(name)
    const { bytes, failure } = readInside(root, inside, { most: LARGEST_PACK_FILE })
    if (bytes === undefined) {
      this.warnUnread(failure, path, name)
      return undefined
    }
    this.opened.push(name)
    if (this.isApproved(name, bytes)) return bytes
    this.warn('file.unreadable', name, 'it is not the file that was approved', 'error')
    return undefined
  }

  /** A missing file is not an error here: code that needs it reports it. */
  private warnUnread({ code, message, cause }: LoadoutError, path: string, name: string): void {
    if (code === 'PATH_ESCAPE') this.warn('source.escape', path, 'it is a link that leaves the pack', 'error')
    else if (code === 'NOT_A_FILE') this.warn('file.not-regular', name, 'it is not a regular file', 'error')
    else if (code === 'FILE_TOO_LARGE') this.warn('file.too-large', name, message.replace(name, 'it'))
    else if (code !== 'FILE_NOT_FOUND') {
      this.warn('file.unreadable', name, `it cannot be read (${codeOf(cause) || 'unknown reason'})`)
    }
  }

  /** Compares the bytes with the approval: the file may have changed after the pack was checked. */
  private isApproved(path: string, bytes: Buffer): boolean {
    if (this.approved === undefined) return true
    const full = this.inside(path)
    const { root, prefix } = this.placeOf(path)
    const name = full === undefined ? path : `${prefix}${relative(root, full).split(sep).join('/')}`
    return (
      Object.hasOwn(this.approved, name) && this.approved[name] === createHash('sha256').update(bytes).digest('hex')
    )
  }

  private collect(folder: string, depth: number, found: string[]): void {
    if (depth > DEEPEST_FOLDER || found.length >= MOST_FILES) {
      this.warn('discovery.limit', folder, 'it contains more files than Loadout reads')
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
      // The linked folder replaces this one and is listed separately.
      if (this.isLinked(path)) continue
      if (entry.isDirectory()) this.collect(path, depth + 1, found)
      else if (entry.isFile()) found.push(path)
      else if (entry.isSymbolicLink() && this.sizeOf(path) !== undefined) found.push(path)
      else if (!entry.isSymbolicLink()) this.warn('file.not-regular', path, 'it is not a regular file', 'error')
    }
  }

  private isSafe(path: string): boolean {
    const problem = packPathProblem(path)
    if (problem !== undefined) this.warn('source.escape', path, `this path is refused: ${problem}`, 'error')
    return problem === undefined
  }

  fullPath(path: string): string {
    const { root, path: inside } = this.placeOf(path)
    return `${root}/${inside}`
  }

  /** The root folder of a path, the path below it, and its prefix in the pack. */
  private placeOf(name: string): { root: string; path: string; prefix: string } {
    if (this.linked === undefined || !this.isLinked(name)) return { root: this.root, path: name, prefix: '' }
    const { layer } = this.linked
    return { root: linkedRoot(this.linked), path: name.slice(layer.length + 1), prefix: `${layer}/` }
  }

  private isLinked(name: string): boolean {
    const layer = this.linked?.layer
    return layer !== undefined && (name === layer || name.startsWith(`${layer}/`))
  }

  private linkedBelow(folder: string): string[] {
    const { linked } = this
    if (linked === undefined || (folder !== '' && !this.isLinked(folder))) return []
    const { paths, isCut } = listLinked(linked, this.root)
    if (isCut) this.warn('discovery.limit', linked.layer, 'it contains more files than Loadout reads')
    const all = paths.map((path) => `${linked.layer}/${path}`)
    return folder === '' || folder === linked.layer ? all : all.filter((path) => path.startsWith(`${folder}/`))
  }

  /** The real path, if it is inside the pack or its linked folder. */
  private inside(name: string): string | undefined {
    const { root, path } = this.placeOf(name)
    const real = realpathSync.native(join(root, path))
    return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : undefined
  }

  private warn(code: Code, path: string, message: string, severity: PackWarning['severity'] = 'warning'): void {
    this.warnings.push({ severity, code, path: path.slice(0, 200), message })
  }
}

/** Prose that is indexed by sections. Not sources: statements name their line numbers. */
function isIndexed(path: string): boolean {
  return /^(?:compiled|wiki|documents)\//.test(path) && isProse(path)
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
}
