import { isUtf8 } from 'node:buffer'
import {
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { type CacheKey, type Stamp, StampedValues, stampOf } from '../../machine/cache.ts'
import { readDocument } from '../../machine/documents/read-document.ts'
import { asLoadoutError, codeOf, exists, removeFile } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import type { FileDigests } from '../../machine/rules/approval.ts'
import { Walk } from '../../machine/walk.ts'
import { documentKind } from '../../text/document-kind.ts'
import { type Finding, failWith, type LoadoutError, report } from '../../text/trouble.ts'
import { compareText, getOwn, lowerBound, sha256 } from '../../text/values.ts'
import type { Trust } from '../rules/gates/trust.ts'
import {
  breakLongLines,
  isProse,
  LARGEST_PACK_FILE,
  type LinkedLayer,
  largestFile,
  normalizePackPath,
  PACK_FILE,
  type PackFile,
  type PackFiles,
  type PackWarning,
  packPathProblem,
} from '../rules/pack.ts'
import { isReserved } from './bundle.ts'
import { linkedRoot, listLinked, MOST_LINKED, type PackPlaceOnDisk } from './pack-head.ts'

const TEXT_EXTENSIONS = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|jsonl?|tsv|ya?ml)$/i

// One walk for each discovery: a question opens a pack several times.
const listedFolders = new WeakMap<LinkedLayer, { all: string[]; isCut: boolean }>()

/** The files of one pack. Opens nothing outside the pack and its linked folder, whatever paths and links inside it say. */
export class PackFolder implements PackFiles {
  readonly warnings: PackWarning[] = []
  readonly opened: string[] = []
  private readonly machine: Machine
  private readonly root: string
  private readonly linked: LinkedLayer | undefined
  private readonly approved: FileDigests | undefined
  /** Copies of the approved files, by their digests, instead of a folder that has changed. */
  private readonly kept: string | undefined
  private readonly listings = new Map<string, string[]>()
  private readonly files = new Map<string, PackFile | undefined>()

  constructor(machine: Machine, { root, linked }: PackPlaceOnDisk, trust: Pick<Trust, 'files' | 'kept'> = {}) {
    this.machine = machine
    this.root = root
    this.linked = linked
    this.approved = trust.files
    this.kept = trust.kept
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
      if (this.kept !== undefined) {
        const below = name === '' ? '' : `${name}/`
        listing = Object.keys(this.approved ?? {}).filter((path) => path.startsWith(below))
      } else if (name === '' || this.isSafe(folder)) {
        if (!this.isLinked(name) && !this.linked?.isBundle) this.collect(name, 0, listing)
        listing.push(...this.linkedBelow(name))
      }
      listing.sort(compareText)
      this.listings.set(name, listing)
    }
    return listing
  }

  sizeOf(path: string): number | undefined {
    if (packPathProblem(path) !== undefined || this.isReserved(path) || this.isAdded(path)) return undefined
    try {
      const copy = this.copyOf(normalizePackPath(path))
      const full = copy ?? this.inside(normalizePackPath(path))
      const stat = full === undefined ? undefined : statSync(full, { throwIfNoEntry: false })
      return stat?.isFile() ? stat.size : undefined
    } catch {
      return undefined
    }
  }

  fingerprint(path: string): string | undefined {
    const bytes = this.isSafe(path) ? this.readBytes(path, normalizePackPath(path)) : undefined
    return bytes && sha256(bytes)
  }

  private readAnew(path: string, name: string): PackFile | undefined {
    if (!this.isSafe(path) || this.isAdded(name)) return undefined
    // The index of a bundle stands for its KNOWLEDGE.md.
    const isIndex = name === PACK_FILE && this.linked?.isBundle === true
    if (!isIndex && this.isReserved(name)) return undefined
    const kind = documentKind(name)
    if (kind === undefined && !TEXT_EXTENSIONS.test(name)) {
      return this.warn(name, report('NOT_TEXT/pack'))
    }
    const bytes = isIndex ? this.indexBytes() : this.readBytes(path, name)
    if (bytes === undefined) return undefined
    let text: string
    if (kind === undefined) {
      if (!isUtf8(bytes)) this.warn(name, report('TEXT_CHANGED/pack-bytes'))
      text = bytes
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .replace(/\r\n?/g, '\n')
    } else {
      const read = readDocument(this.machine.cache, kind, bytes)
      const { problem } = read
      if (problem !== undefined) return this.warn(name, report('NOT_TEXT/pack-document', { problem }))
      text = read.text
    }
    // Prose that is indexed by sections. Not sources: statements name their line numbers.
    const isIndexed = /^(?:compiled|wiki|documents)\//.test(name) && isProse(name)
    return { path: name, text: isIndexed ? breakLongLines(text) : text, sha256: sha256(bytes), bytes: bytes.length }
  }

  /** Lists and logs of a bundle are not pages. */
  private isReserved(path: string): boolean {
    return this.linked?.isBundle === true && isReserved(path)
  }

  private indexBytes(): Buffer | undefined {
    const bytes = this.keptBytes(PACK_FILE) ?? indexOf(this.root)
    this.opened.push(PACK_FILE)
    if (this.approved === undefined || this.approved[PACK_FILE] === sha256(bytes)) return bytes
    return this.warn(PACK_FILE, report('FILE_UNREADABLE/approved-index'))
  }

  /** A missing file is not an error here: code that needs it reports it. */
  private readBytes(path: string, name: string): Buffer | undefined {
    const known = this.keptBytes(name)
    if (known !== undefined) return known
    const { root, path: inside } = this.placeOf(name)
    const { bytes, failure } = readInside(root, inside, { most: largestFile(name) })
    if (bytes !== undefined) {
      this.opened.push(name)
      if (this.isApproved(name, bytes)) return bytes
      return this.warn(name, report('FILE_UNREADABLE/approved'))
    }
    const { code, message, cause } = failure
    if (code === 'PATH_ESCAPE') return this.warn(path, report('PATH_ESCAPE/pack-link'))
    if (code === 'NOT_A_FILE') return this.warn(name, report('NOT_A_FILE/pack'))
    if (code === 'FILE_TOO_LARGE') {
      return this.warn(name, report('FILE_TOO_LARGE/pack', { problem: message.replace(name, 'it') }))
    }
    if (code === 'FILE_NOT_FOUND') return undefined
    return this.warn(name, report('FILE_UNREADABLE/pack', { reason: codeOf(cause) || 'unknown reason' }))
  }

  /** A file that a changed folder has beside the approved ones. */
  private isAdded(path: string): boolean {
    return this.kept !== undefined && getOwn(this.approved ?? {}, normalizePackPath(path)) === undefined
  }

  private copyOf(name: string): string | undefined {
    const digest = this.kept === undefined ? undefined : getOwn(this.approved ?? {}, name)
    const path = digest && join(this.kept ?? '', digest)
    return path !== undefined && exists(path) ? path : undefined
  }

  private keptBytes(name: string): Buffer | undefined {
    const copy = this.copyOf(name)
    const bytes = copy && readInside(dirname(copy), basename(copy), { most: largestFile(name) }).bytes
    if (!bytes || sha256(bytes) !== basename(copy)) return undefined
    this.opened.push(name)
    return bytes
  }

  /** Compares the bytes with the approval: the file may have changed after the pack was checked. */
  private isApproved(path: string, bytes: Buffer): boolean {
    if (this.approved === undefined) return true
    const full = this.inside(path)
    const { root, prefix } = this.placeOf(path)
    const name = full === undefined ? path : `${prefix}${relative(root, full).split(sep).join('/')}`
    return Object.hasOwn(this.approved, name) && this.approved[name] === sha256(bytes)
  }

  private collect(folder: string, depth: number, found: string[]): void {
    if (depth > 12 || found.length >= 30_000) {
      this.warn(folder, report('discovery.skipped/pack-files'))
      return
    }
    let entries: Dirent[]
    try {
      const full = this.inside(folder)
      if (full === undefined) {
        this.warn(folder, report('PATH_ESCAPE/pack-link'))
        return
      }
      entries = readdirSync(full, { withFileTypes: true })
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) {
        this.warn(folder, report('FILE_UNREADABLE/pack', { reason: codeOf(error) || 'unknown reason' }))
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
      else if (!entry.isSymbolicLink()) this.warn(path, report('NOT_A_FILE/pack'))
    }
  }

  private isSafe(path: string): boolean {
    const problem = packPathProblem(path)
    if (problem !== undefined) this.warn(path, report('PATH_ESCAPE/pack-path', { problem }))
    return problem === undefined
  }

  /** A cache checks it for changes. */
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
    let listed = listedFolders.get(linked)
    if (listed === undefined) {
      const { paths, isCut } = listLinked(linked, this.root)
      listed = { all: paths.map((path) => `${linked.layer}/${path}`), isCut }
      listedFolders.set(linked, listed)
    }
    const { all, isCut } = listed
    if (isCut) this.warn(linked.layer, report('discovery.skipped/pack-files'))
    if (folder === '' || folder === linked.layer) return all
    // They are sorted, and a map of many folders asks for each.
    return all.slice(lowerBound(all, `${folder}/`), lowerBound(all, `${folder}0`))
  }

  /** The real path, if it is inside the pack or its linked folder. */
  private inside(name: string): string | undefined {
    const { root, path } = this.placeOf(name)
    const real = realpathSync.native(join(root, path))
    return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : undefined
  }

  private warn(path: string, finding: Finding): undefined {
    this.warnings.push({ ...finding, path: path.slice(0, 200) })
  }
}

/** All kept files of a pack together, in bytes. */
const MOST_KEPT = 256 * 1024 * 1024

/** Below the state folder. */
function keptPlace(root: string): string {
  return `approved-packs/${sha256(root).slice(0, 16)}`
}

/** Keeps copies of the approved files of a pack, which it gives when they change. Without `files` removes them. */
export function keepApproved(machine: Machine, place: PackPlaceOnDisk, files?: FileDigests): void {
  const { root, linked } = place
  if (files === undefined) {
    rmSync(machine.records.path(keptPlace(root)), { recursive: true, force: true })
    return
  }
  const folder = machine.records.privateFolder(keptPlace(root))
  const wanted = new Set(Object.values(files))
  for (const name of readdirSync(folder)) if (!wanted.has(name)) removeFile(join(folder, name))
  const pack = new PackFolder(machine, place)
  let left = MOST_KEPT
  for (const [name, digest] of Object.entries(files)) {
    const [from, to] = [pack.fullPath(name), join(folder, digest)]
    const stat = lstatSync(from, { throwIfNoEntry: false })
    left -= stat?.size ?? 0
    if (exists(to) || left < 0) continue
    // Where the disk can, both share their blocks. Readers compare the digest: the file may change meanwhile.
    if (stat?.isFile()) copyFileSync(from, to, constants.COPYFILE_FICLONE)
    else if (linked?.isBundle && name === PACK_FILE) writeFileSync(to, indexOf(root))
  }
}

/** The folder with the approved files, if it has all that the pack does not have any more. */
export function keptSince(machine: Machine, root: string, approved: FileDigests, current: FileDigests) {
  const folder = machine.records.path(keptPlace(root))
  const gone = Object.entries(approved).filter(([name, digest]) => getOwn(current, name) !== digest)
  return gone.every(([, digest]) => exists(join(folder, digest))) ? folder : undefined
}

/** Empty for a bundle without an index. */
function indexOf(root: string): Buffer {
  return readInside(root, 'index.md', { most: LARGEST_PACK_FILE }).bytes ?? Buffer.alloc(0)
}

/** Digests by path, from a cache or made anew. */
type Digest = (path: string, stamp: Stamp, make: () => string) => string

/**
 * The digest of every file of a pack and of its linked folder. Follows no symbolic link: the digest covers its target
 * path. Throws if the pack is too large.
 */
export function digestTree(place: PackPlaceOnDisk, digest: Digest = (_path, _stamp, make) => make()): FileDigests {
  const { root, linked } = place
  // The files of the pack, then those of its linked folder, which replaces the pack's own folder of that name.
  const own = linked?.isBundle ? [] : listFiles(root)
  const files = own
    .filter((path) => linked === undefined || !path.startsWith(`${linked.layer}/`))
    .map((path) => ({ from: root, inside: path, path }))
  if (linked !== undefined) {
    const { paths, isCut } = listLinked(linked, root)
    const from = linkedRoot(linked)
    if (isCut) throw tooLarge(from, `more than ${MOST_LINKED} documents`)
    files.push(...paths.map((inside) => ({ from, inside, path: `${linked.layer}/${inside}` })))
  }
  let left = MOST_TREE_BYTES
  const digests = files.map(({ from, inside, path }) => {
    const full = join(from, inside)
    try {
      // Before the content is read: a change in between is noticed the next time.
      const stat = lstatSync(full)
      left -= stat.isFile() && stat.size <= NEVER_READ ? stat.size : 0
      if (left < 0) throw tooLarge(from, `more than ${MOST_TREE_BYTES} bytes`)
      return [path, digest(path, stampOf(stat), () => sha256(contentOf(from, inside, stat)))]
    } catch (error) {
      throw asLoadoutError(error, full, 'read')
    }
  })
  return Object.fromEntries(linked?.isBundle ? [[PACK_FILE, sha256(indexOf(linked.root))], ...digests] : digests)
}

/**
 * Like `digestTree`, but caches digests and reads only changed files. Enough to see whether a pack changed: text for a
 * model is compared with its digest again when it is read.
 */
export function digestKnownTree(machine: Machine, place: PackPlaceOnDisk): FileDigests {
  const { root, linked } = place
  const key: CacheKey = { kind: 'pack-digests', version: 2, name: [root, ...(linked ? [linkedRoot(linked)] : [])] }
  const known = new StampedValues<string>(machine.cache, machine.now(), key, (value) => typeof value === 'string')
  const digests = digestTree(place, (path, stamp, make) => known.of(path, stamp, make))
  known.save()
  return digests
}

const MOST_TREE_FILES = 30_000
const MOST_TREE_BYTES = 512 * 1024 * 1024
const DEEPEST_APPROVED = 32
/** No larger file is ever read, so an approval only needs to know that it is there. */
const NEVER_READ = largestFile('.pdf')

/** The bytes of a regular file; for anything else, its kind. */
function contentOf(root: string, path: string, stat: Stats): Buffer | string {
  if (stat.isSymbolicLink()) return JSON.stringify(['link', readlinkSync(join(root, path))])
  if (!stat.isFile()) return JSON.stringify(['special'])
  if (stat.size > NEVER_READ) return JSON.stringify(['large', stat.size])
  // Loadout never reads a larger KNOWLEDGE.md, so it must not be approved.
  const most = path === PACK_FILE ? LARGEST_PACK_FILE : stat.size
  const { bytes, real, failure } = readInside(root, path, { most })
  if (failure?.code === 'FILE_TOO_LARGE' && path === PACK_FILE) {
    throw tooLarge(join(root, path), `more than ${LARGEST_PACK_FILE} bytes`)
  }
  if (failure !== undefined) throw failure
  if (real === path) return bytes
  throw failWith('FILE_UNREADABLE/replaced', { root: join(root, path) })
}

function tooLarge(path: string, much: string): LoadoutError {
  return failWith('FILE_TOO_LARGE/approval', { path, much })
}

function listFiles(root: string): string[] {
  const found: string[] = []
  const walk = new Walk(root, { mostDepth: DEEPEST_APPROVED })
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind } of entries) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (name.includes('\ufffd')) {
        throw failWith('BAD_NAME/not-utf8', { root, path })
      }
      if (kind === 'folder') enter(name)
      else found.push(path)
    }
    if (found.length > MOST_TREE_FILES) throw tooLarge(root, `more than ${MOST_TREE_FILES} files`)
  }
  const { unreadable, tooDeep } = walk.leftOut
  if (tooDeep.length > 0) throw tooLarge(root, `folders more than ${DEEPEST_APPROVED} deep`)
  for (const { path, error } of unreadable) throw asLoadoutError(error, path, 'read')
  return found.sort(compareText)
}
