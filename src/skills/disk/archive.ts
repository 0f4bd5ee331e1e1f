import {
  closeSync,
  constants,
  createReadStream,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { createTarDecoder, createTarPacker } from 'modern-tar'
import { openPromise } from 'yauzl'
import { asLoadoutError, codeOf, exists, makeFolders, removeLeftovers, requireFile } from '../../machine/files.ts'
import { type PinnedFolder, pinNamedFolder } from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { move } from '../../machine/platform.ts'
import { pathProblem } from '../../text/paths.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'

const PIECE = 64 * 1024

/** Unpacks into an empty folder and returns the written files. When it throws, the folder is empty again. */
export async function unpackArchive(file: string, folder: string, limits = LIMITS): Promise<string[]> {
  requireFile(file)
  let isEmpty: boolean
  try {
    isEmpty = readdirSync(folder).length === 0
  } catch (error) {
    throw asLoadoutError(error, folder, 'read')
  }
  if (!isEmpty) throw failWith('FILE_EXISTS/empty', { folder })
  const contents = new Contents(file, limits)
  try {
    const links = new Map<string, string>()
    const entries = /\.(zip|skill)$/i.test(file) ? zipEntries(file) : tarEntries(file, limits)
    for await (const { name, type, size, isExecutable, linkname, body } of entries) {
      if (type in REFUSED && type !== 'symlink') throw refuse(`${file}: ${clip(name)}`, type)
      const kind = type === 'directory' ? 'folder' : 'file'
      const path = contents.add(name, kind, size)
      if (type === 'symlink') {
        links.set(path, linkname)
        continue
      }
      makeFolders(join(folder, kind === 'folder' ? path : dirname(path)))
      if (kind === 'folder') continue
      let written: number
      try {
        written = openSync(join(folder, path), 'wx', isExecutable ? 0o777 : 0o666)
      } catch (error) {
        // On a disk that ignores case, two entries can have the same name.
        throw codeOf(error) === 'EEXIST' ? contents.collision(path, 'has the name of another entry') : error
      }
      try {
        for await (const chunk of body) for (let at = 0; at < chunk.length; ) at += writeSync(written, chunk, at)
      } finally {
        closeSync(written)
      }
    }
    // After all files, so that none is written through a link. It must lead to a file of the archive.
    for (const [path, to] of links) {
      const target = posix.join(posix.dirname(path), to)
      if (posix.isAbsolute(to) || target === path || contents.kinds.get(target) !== 'file') {
        throw refuse(`${file}: ${clip(path)}`, 'symlink')
      }
      makeFolders(join(folder, dirname(path)))
      symlinkSync(to, join(folder, path))
    }
  } catch (error) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    if (isFromSystem(error)) throw asLoadoutError(error, folder, 'write')
    if (error instanceof LoadoutError) throw error
    const detail = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
    throw failWith('BAD_ARCHIVE/damaged', { file, detail }, { cause: error })
  }
  return [...contents.kinds.keys()].filter((path) => contents.kinds.get(path) === 'file').sort(compareText)
}

/** An entry of an archive. Its body is read at most once. */
interface Unpacked {
  name: string
  /** `file`, `directory`, or one that is refused. */
  type: string
  size: number
  isExecutable: boolean
  linkname: string
  body: AsyncIterable<Uint8Array>
}

async function* tarEntries(file: string, limits: ArchiveLimits): AsyncGenerator<Unpacked> {
  const { readable, writable } = createTarDecoder({ strict: true })
  const writer = writable.getWriter()
  // Does not throw: errors go to the reader of the entries.
  const feed = async () => {
    try {
      await pipeline(
        // Not `readInside`: the user named this file, wherever it is, and it may be large.
        createReadStream(file),
        async function* requireGzip(chunks: AsyncIterable<Buffer>) {
          let isGzip = false
          for await (const chunk of chunks) {
            isGzip ||= chunk[0] === 0x1f && chunk[1] === 0x8b
            if (!isGzip) break
            yield chunk
          }
          if (!isGzip) throw failWith('BAD_ARCHIVE/gzip', { file })
        },
        createGunzip({ chunkSize: PIECE }),
        async (chunks: AsyncIterable<Buffer>) => {
          for await (const chunk of checkTar(chunks, file, limits)) await writer.write(chunk)
        },
      )
      await writer.close()
    } catch (error) {
      await writer.abort(isFromSystem(error) ? asLoadoutError(error, file, 'read') : error).catch(() => undefined)
    }
  }
  const feeding = feed()
  try {
    for await (const { header, body } of readable) {
      const { name, size, mode = 0, pax = {}, linkname = '' } = header
      const isOdd = Object.keys(pax).some((key) => key === 'size' || key.startsWith('GNU.sparse.'))
      const type = isOdd ? 'unknown' : (header.type ?? 'file')
      yield { name, type, size, isExecutable: (mode & 0o111) !== 0, linkname, body }
      if (!body.locked) await body.cancel()
    }
  } finally {
    await feeding
  }
}

/**
 * Stops a small file that unpacks to a huge one, whatever its headers say, and refuses unknown kinds of entries: the tar
 * reader would unpack them as files, with the wrong content.
 */
async function* checkTar(chunks: AsyncIterable<Buffer>, file: string, limits: ArchiveLimits): AsyncGenerator<Buffer> {
  const block = 512
  // Besides content: headers, long name and padding of each entry; zeros at the end.
  let left = limits.bytes + limits.entries * (8 * 1024) + 1024 * 1024
  let header = Buffer.alloc(0)
  // The bytes that are left until the next header.
  let body = 0
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw tooMuch(file, `${limits.bytes} bytes`)
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + (body || block - header.length))
      at += part.length
      if (body > 0) body -= part.length
      else header = Buffer.concat([header, part])
      if (header.length < block) continue
      const kind = header.toString('latin1', 156, 157)
      const hasNoBody = ['1', '2', '3', '4', '5', '6'].includes(kind)
      const isKnown = hasNoBody || ['\0', '0', '7', 'x', 'g', 'L', 'K'].includes(kind)
      // Only a size beyond 8 GiB is written in binary, with the highest bit set.
      if (!isKnown || header.readUInt8(124) > 0x7f) {
        throw refuse(`${file}: ${header.toString('utf8', 0, 100).replace(/\0.*/s, '')}`, 'unknown')
      }
      const size = Number.parseInt(header.toString('latin1', 124, 136).replaceAll(' ', ''), 8) || 0
      body = hasNoBody ? 0 : Math.ceil(size / block) * block
      header = Buffer.alloc(0)
    }
    yield chunk
  }
}

const ZIP_KINDS: Readonly<Record<number, string>> = {
  0: 'file',
  1: 'fifo',
  2: 'character-device',
  4: 'directory',
  6: 'block-device',
  8: 'file',
  10: 'symlink',
  12: 'fifo',
}

/** Sizes are checked while unpacking: an entry that is larger than it says is an error. */
async function* zipEntries(file: string): AsyncGenerator<Unpacked> {
  const zip = await openPromise(file, { lazyEntries: true, strictFileNames: true })
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName: name, uncompressedSize: size, externalFileAttributes, versionMadeBy } = entry
      const mode = versionMadeBy >> 8 === 3 ? externalFileAttributes >>> 16 : 0
      const type = name.endsWith('/') ? 'directory' : (ZIP_KINDS[mode >> 12] ?? 'unknown')
      // Opened when it is read: an unread stream throws its error where no code catches it.
      const body = (async function* () {
        yield* await zip.openReadStreamPromise(entry)
      })()
      const isLink = type === 'symlink' && size <= LONGEST_PATH
      let linkname = ''
      if (isLink) for await (const chunk of body) linkname += chunk
      yield { name, type, size, isExecutable: (mode & 0o111) !== 0, linkname, body }
    }
  } finally {
    zip.close()
  }
}

function isFromSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

export interface ArchiveEntry {
  /** Relative to the root of the archive, with slashes. */
  path: string
  isExecutable: boolean
  content: { file: string } | { text: string }
}

/**
 * Writes a new `.tar.gz`; the same entries give the same bytes. Writes all or nothing, and never overwrites a file. A
 * target in `project` must not lead out of it through a link.
 */
export async function writeArchive(entries: readonly ArchiveEntry[], target: string, project = '/'): Promise<void> {
  // The entries and the folders they need, parents first. A folder has no content.
  const contents = new Contents(target, LIMITS)
  const files = new Map(entries.map((entry) => [contents.add(entry.path, 'file'), entry]))
  const items = [...contents.kinds.keys()].sort(compareText).map((path) => {
    const file = files.get(path)
    return file === undefined ? { path: `${path}/`, isExecutable: true } : { ...file, path }
  })
  let folder: PinnedFolder | undefined
  let stage: string | undefined
  try {
    folder = pinNamedFolder(project, target)
    const place = join(folder.place, basename(target))
    removeLeftovers(place)
    if (exists(place)) throw existsAlready(target)
    stage = join(folder.place, `${ownedName(`.${basename(target)}`)}.tmp`)
    const file = await open(stage, 'wx')
    try {
      const { readable, controller } = createTarPacker()
      const add = packInto(controller)
      const adding = (async () => {
        for (const item of items) await add(item)
        controller.finalize()
      })().catch((error) => controller.error(error))
      try {
        const write = (chunks: AsyncIterable<Buffer>) => writeFile(file, chunks)
        await pipeline(readable, joinChunks, createGzip({ level: 9 }), write)
      } finally {
        await adding
      }
      // zlib writes the operating system here. Without time and name, and with "unknown" (255), it is the same everywhere.
      const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255)
      await file.write(header, 0, header.length, 0)
      await file.sync()
    } finally {
      await file.close()
    }
    putInPlace(stage, place, linkSync, target)
  } catch (error) {
    throw asLoadoutError(error, target, 'write')
  } finally {
    if (stage !== undefined) rmSync(stage, { force: true })
    folder?.close()
  }
}

/** Joins small chunks: each costs gzip a turn of the event loop, and a small file has three. */
async function* joinChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    length += chunk.length
    if (length < PIECE) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  yield Buffer.concat(waiting)
}

type Packing = ReturnType<typeof createTarPacker>['controller']

/** Adds one file or folder after the other, up to the limit of all together. */
function packInto(controller: Packing) {
  let left = LIMITS.bytes
  return async ({ path, isExecutable, content }: Partial<ArchiveEntry> & { path: string }): Promise<void> => {
    const start = (size: number) => {
      left -= size
      if (left < 0) throw failWith('FILE_TOO_LARGE/archive-bytes', { path, bytes: LIMITS.bytes })
      // For names beyond ASCII or 100 characters, tar readers agree only on the extended header.
      const pax = path.length > 100 || Buffer.byteLength(path) > path.length ? { pax: { path } } : {}
      const type = content === undefined ? ('directory' as const) : ('file' as const)
      const mode = isExecutable ? 0o755 : 0o644
      const owner = { uid: 0, gid: 0, uname: '', gname: '' }
      return controller.add({ name: path, size, type, mode, mtime: new Date(0), ...owner, ...pax }).getWriter()
    }
    if (content === undefined) return start(0).close()
    if ('text' in content) {
      const bytes = Buffer.from(content.text)
      const writer = start(bytes.length)
      await writer.write(bytes)
      return writer.close()
    }
    const { file } = content
    try {
      // Refuses a link, which could add any file of the disk, and a pipe, which would wait for its writer. Not
      // `readInside`: large files of the user's own library are read in pieces, without blocking.
      const stat = lstatSync(file)
      if (stat.isSymbolicLink()) throw refuse(file, 'symlink')
      if (!stat.isFile() && !stat.isDirectory()) throw refuse(file, 'fifo')
      const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        const { size, mtimeMs } = await source.stat()
        const writer = start(size)
        for (let at = 0; at < size; ) {
          const piece = Buffer.allocUnsafe(Math.min(PIECE, size - at))
          const { bytesRead } = await source.read(piece)
          if (bytesRead === 0) throw new Error('it became shorter in the meantime')
          await writer.write(piece.subarray(0, bytesRead))
          at += bytesRead
        }
        const after = await source.stat()
        if (after.size !== size || after.mtimeMs !== mtimeMs) throw new Error('it changed in the meantime')
        await writer.close()
      } finally {
        await source.close()
      }
    } catch (error) {
      throw asLoadoutError(error, file, 'read')
    }
  }
}

/** Gives a finished file its name, unless it is taken. Without hard links, an empty file reserves the name. */
export function putInPlace(stage: string, target: string, link = linkSync, shown = target): void {
  try {
    link(stage, target)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existsAlready(shown)
    try {
      closeSync(openSync(target, 'wx'))
    } catch (error) {
      throw codeOf(error) === 'EEXIST' ? existsAlready(shown) : error
    }
    try {
      move(stage, target)
    } catch (failure) {
      rmSync(target, { force: true })
      throw failure
    }
  }
}

function existsAlready(target: string): LoadoutError {
  return failWith('FILE_EXISTS/kept', { target })
}

interface ArchiveLimits {
  /** Files and folders, including folders without an entry of their own. */
  entries: number
  /** The content of all files together. */
  bytes: number
}

const LIMITS: ArchiveLimits = { entries: 20_000, bytes: 1024 ** 3 }
const LONGEST_PATH = 4096

/** The entries of an archive, as they are added. Throws for one that cannot be unpacked beside the others. */
class Contents {
  /** `implied`: a folder without an entry of its own, named in the path of another. */
  readonly kinds = new Map<string, 'file' | 'folder' | 'implied'>()
  private readonly archive: string
  private readonly limits: ArchiveLimits
  private entries = 0
  private bytes = 0

  constructor(archive: string, limits: ArchiveLimits) {
    this.archive = archive
    this.limits = limits
  }

  /** Returns the path without `.` and empty parts; empty for the root. */
  add(name: string, kind: 'file' | 'folder', size = 0): string {
    const { archive, limits, kinds } = this
    const parts = name.split('/').filter((part) => part !== '' && part !== '.')
    const danger = pathProblem(name) ?? (parts.includes('..') ? 'it contains ".."' : undefined)
    const isUtf8 = !/[\p{Surrogate}\ufffd]/u.test(name)
    const problem = name.length > LONGEST_PATH ? 'it is too long' : isUtf8 ? undefined : 'it is not UTF-8'
    if (danger !== undefined || problem !== undefined) {
      throw failWith(danger === undefined ? 'BAD_NAME/archive' : 'PATH_ESCAPE/archive', {
        archive,
        path: clip(name),
        problem: `${danger ?? problem}`,
      })
    }
    const path = parts.join('/')
    const known = path === '' ? 'implied' : kinds.get(path)
    if (known === kind) throw this.collision(path, 'appears twice')
    const isBoth = 'appears as a file and as a folder'
    if (known === 'file' || (known !== undefined && kind === 'file')) throw this.collision(path, isBoth)
    if (path !== '') kinds.set(path, kind)
    // The folders above it, from the inside out, up to a known one: a shared deep folder is added once.
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end)
      const above = kinds.get(parent)
      if (above === 'file') throw this.collision(parent, isBoth)
      if (above !== undefined) break
      kinds.set(parent, 'implied')
    }
    this.entries += 1
    this.bytes += size
    if (Math.max(this.entries, kinds.size) > limits.entries) throw tooMuch(archive, `${limits.entries} entries`)
    if (this.bytes > limits.bytes) throw tooMuch(archive, `${limits.bytes} bytes`)
    return path
  }

  collision(path: string, problem: string): LoadoutError {
    return failWith('BAD_ARCHIVE/collision', { archive: this.archive, path: clip(path) || '.', problem })
  }
}

const REFUSED = {
  symlink: 'NOT_A_FILE/archive-symlink',
  link: 'NOT_A_FILE/archive-link',
  fifo: 'NOT_A_FILE/archive-pipe',
  'character-device': 'NOT_A_FILE/archive-device',
  'block-device': 'NOT_A_FILE/archive-device',
  unknown: 'BAD_ARCHIVE/kind',
} as const

function refuse(subject: string, kind: string): LoadoutError {
  return failWith(kind in REFUSED ? REFUSED[kind as keyof typeof REFUSED] : REFUSED.unknown, { subject })
}

function tooMuch(archive: string, limit: string): LoadoutError {
  return failWith('BAD_ARCHIVE/too-much', { archive, limit })
}

/** A hostile archive can have names of several megabytes. */
function clip(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}...` : name
}
