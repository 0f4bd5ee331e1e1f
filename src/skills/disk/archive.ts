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
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { createTarDecoder, createTarPacker, type TarHeader, type TarPackController } from 'modern-tar'
import { openPromise } from 'yauzl'
import { asLoadoutError, codeOf, exists, makeFolders, removeLeftovers, requireFile } from '../../machine/files.ts'
import { type PinnedFolder, pinNamedFolder } from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { move } from '../../machine/platform.ts'
import { pathProblem } from '../../text/paths.ts'
import { type Code, failWith, LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'

// Bytes of a stream besides content: headers, long name and padding of each entry; zeros at the end.
const ENTRY_OVERHEAD = 8 * 1024
const END_OVERHEAD = 1024 * 1024

const PIECE = 64 * 1024
const GZIP_START = [0x1f, 0x8b]

const BLOCK = 512
const KINDS_WITHOUT_BODY = ['1', '2', '3', '4', '5', '6']
const KNOWN_KINDS = ['\0', '0', '7', 'x', 'g', 'L', 'K', ...KINDS_WITHOUT_BODY]

/** Unpacks into an empty folder and returns the written files. When it throws, the folder is empty again. */
export async function unpackArchive(file: string, folder: string, limits = LIMITS): Promise<string[]> {
  requireFile(file)
  requireEmpty(folder)
  const contents = openContents(file, limits)
  try {
    const links = new Map<string, string>()
    const entries = /\.(zip|skill)$/i.test(file) ? zipEntries(file) : tarEntries(file, limits)
    for await (const entry of entries) await unpackEntry(entry, folder, contents, links)
    for (const [path, to] of links) makeLink(folder, contents, path, to)
  } catch (error) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    throw isFromSystem(error) ? asLoadoutError(error, folder, 'write') : asBadArchive(error, file)
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
  const feeding = feed(file, limits, writable.getWriter())
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

const UNIX = 3
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
      const mode = versionMadeBy >> 8 === UNIX ? externalFileAttributes >>> 16 : 0
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

function requireEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    throw asLoadoutError(error, folder, 'read')
  }
  throw failWith('FILE_EXISTS/empty', { folder })
}

type Writer = ReturnType<ReturnType<typeof createTarDecoder>['writable']['getWriter']>

/** Sends the unpacked bytes to the tar reader. Does not throw: errors go to the reader of the entries. */
async function feed(file: string, limits: ArchiveLimits, writer: Writer): Promise<void> {
  try {
    await pipeline(
      // Not `readInside`: the user named this file, wherever it is, and it may be large.
      createReadStream(file),
      (chunks: AsyncIterable<Buffer>) => requireGzip(chunks, file),
      createGunzip({ chunkSize: PIECE }),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of checkKinds(checkLength(chunks, file, limits), file)) await writer.write(chunk)
      },
    )
    await writer.close()
  } catch (error) {
    await writer.abort(isFromSystem(error) ? asLoadoutError(error, file, 'read') : error).catch(() => undefined)
  }
}

async function* requireGzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let isGzip = false
  for await (const chunk of chunks) {
    isGzip ||= chunk[0] === GZIP_START[0] && chunk[1] === GZIP_START[1]
    if (!isGzip) break
    yield chunk
  }
  if (isGzip) return
  throw failWith('BAD_ARCHIVE/gzip', { file })
}

/** Stops a small file that unpacks to a huge one, whatever its headers say. */
async function* checkLength(
  chunks: AsyncIterable<Buffer>,
  file: string,
  limits: ArchiveLimits,
): AsyncGenerator<Buffer> {
  let left = limits.bytes + limits.entries * ENTRY_OVERHEAD + END_OVERHEAD
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw tooMuch(file, `${limits.bytes} bytes`)
    yield chunk
  }
}

/** Refuses unknown kinds of entries: the tar reader would unpack them as files, with the wrong content. */
async function* checkKinds(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let header = Buffer.alloc(0)
  let body = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + (body || BLOCK - header.length))
      at += part.length
      if (body > 0) body -= part.length
      else header = Buffer.concat([header, part])
      if (header.length < BLOCK) continue
      body = bodyLength(header, file)
      header = Buffer.alloc(0)
    }
    yield chunk
  }
}

/** The number of bytes from this header to the next. */
function bodyLength(header: Buffer, file: string): number {
  const kind = header.toString('latin1', 156, 157)
  // Only a size beyond 8 GiB is written in binary, with the highest bit set.
  if (!KNOWN_KINDS.includes(kind) || header.readUInt8(124) > 0x7f) {
    throw refuse(`${file}: ${header.toString('utf8', 0, 100).replace(/\0.*/s, '')}`, 'unknown')
  }
  const size = Number.parseInt(header.toString('latin1', 124, 136).replaceAll(' ', ''), 8) || 0
  return KINDS_WITHOUT_BODY.includes(kind) ? 0 : Math.ceil(size / BLOCK) * BLOCK
}

async function unpackEntry(
  { name, type, size, isExecutable, linkname, body }: Unpacked,
  folder: string,
  contents: Contents,
  links: Map<string, string>,
): Promise<void> {
  if (type in REFUSED && type !== 'symlink') throw refuse(`${contents.archive}: ${clip(name)}`, type)
  const kind = type === 'directory' ? 'folder' : 'file'
  const path = record(contents, name, kind, size)
  if (type === 'symlink') {
    links.set(path, linkname)
    return
  }
  makeFolders(join(folder, kind === 'folder' ? path : dirname(path)))
  if (kind === 'folder') return
  const file = createFile(join(folder, path), isExecutable)
  if (file === undefined) throw collision(contents, path, 'has the name of another entry')
  try {
    for await (const chunk of body) for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
  } finally {
    closeSync(file)
  }
}

/** After all files, so that none is written through a link. It must lead to a file of the archive. */
function makeLink(folder: string, contents: Contents, path: string, to: string): void {
  const target = posix.join(posix.dirname(path), to)
  if (posix.isAbsolute(to) || target === path || contents.kinds.get(target) !== 'file') {
    throw refuse(`${contents.archive}: ${clip(path)}`, 'symlink')
  }
  makeFolders(join(folder, dirname(path)))
  symlinkSync(to, join(folder, path))
}

/** Undefined if the file exists: on a disk that ignores case, two entries can have the same name. */
function createFile(path: string, isExecutable: boolean): number | undefined {
  try {
    return openSync(path, 'wx', isExecutable ? 0o777 : 0o666)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined
    throw error
  }
}

function asBadArchive(error: unknown, file: string): LoadoutError {
  if (error instanceof LoadoutError) return error
  const detail = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
  return failWith('BAD_ARCHIVE/damaged', { file, detail }, { cause: error })
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

// zlib writes the operating system here. Without time and name, and with "unknown" (255), it is the same everywhere.
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255)

/**
 * Writes a new `.tar.gz`; the same entries give the same bytes. Writes all or nothing, and never overwrites a file. A
 * target in `project` must not lead out of it through a link.
 */
export async function writeArchive(entries: readonly ArchiveEntry[], target: string, project = '/'): Promise<void> {
  const items = planItems(entries, target)
  let folder: PinnedFolder | undefined
  let stage: string | undefined
  try {
    folder = pinNamedFolder(project, target)
    const place = join(folder.place, basename(target))
    removeLeftovers(place)
    if (exists(place)) throw existsAlready(target)
    stage = join(folder.place, `${ownedName(`.${basename(target)}`)}.tmp`)
    await writeStage(items, stage)
    putInPlace(stage, place, linkSync, target)
  } catch (error) {
    throw asLoadoutError(error, target, 'write')
  } finally {
    if (stage !== undefined) rmSync(stage, { force: true })
    folder?.close()
  }
}

/** A folder has no content. */
type Item = Omit<ArchiveEntry, 'content'> & { content?: ArchiveEntry['content'] }

/** The entries and the folders they need, parents first. */
function planItems(entries: readonly ArchiveEntry[], target: string): Item[] {
  const contents = openContents(target, LIMITS)
  const files = new Map(entries.map((entry) => [record(contents, entry.path, 'file'), entry]))
  return [...contents.kinds.keys()].sort(compareText).map((path) => {
    const file = files.get(path)
    return file === undefined ? { path: `${path}/`, isExecutable: true } : { ...file, path }
  })
}

async function writeStage(items: readonly Item[], stage: string): Promise<void> {
  const file = await open(stage, 'wx')
  try {
    const { readable, controller } = createTarPacker()
    const adding = addItems(controller, items).catch((error) => controller.error(error))
    try {
      const write = (chunks: AsyncIterable<Buffer>) => writeFile(file, chunks)
      await pipeline(readable, joinChunks, createGzip({ level: 9 }), write)
    } finally {
      await adding
    }
    await file.write(GZIP_HEADER, 0, GZIP_HEADER.length, 0)
    await file.sync()
  } finally {
    await file.close()
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

async function addItems(controller: TarPackController, items: readonly Item[]): Promise<void> {
  let left = LIMITS.bytes
  for (const item of items) {
    const add = (size: number) => {
      left -= size
      if (left >= 0) return controller.add(headerOf(item, size)).getWriter()
      throw failWith('FILE_TOO_LARGE/archive-bytes', { path: item.path, bytes: LIMITS.bytes })
    }
    if (item.content === undefined) await add(0).close()
    else if ('file' in item.content) await addFile(item.content.file, add)
    else await addText(item.content.text, add)
  }
  controller.finalize()
}

function headerOf({ path, isExecutable, content }: Item, size: number): TarHeader {
  // For names beyond ASCII or 100 characters, tar readers agree only on the extended header.
  const pax = path.length > 100 || Buffer.byteLength(path) > path.length ? { pax: { path } } : {}
  const type = content === undefined ? 'directory' : 'file'
  const owner = { uid: 0, gid: 0, uname: '', gname: '' }
  return { name: path, size, type, mode: isExecutable ? 0o755 : 0o644, mtime: new Date(0), ...owner, ...pax }
}

type EntryWriter = ReturnType<ReturnType<TarPackController['add']>['getWriter']>
type Add = (size: number) => EntryWriter

async function addText(text: string, add: Add): Promise<void> {
  const bytes = Buffer.from(text)
  const writer = add(bytes.length)
  await writer.write(bytes)
  await writer.close()
}

async function addFile(path: string, add: Add): Promise<void> {
  try {
    const source = await openSource(path)
    try {
      const { size, mtimeMs } = await source.stat()
      const writer = add(size)
      for (let at = 0; at < size; at += PIECE) await writer.write(await readPiece(source, Math.min(PIECE, size - at)))
      const after = await source.stat()
      if (after.size !== size || after.mtimeMs !== mtimeMs) throw new Error('it changed in the meantime')
      await writer.close()
    } finally {
      await source.close()
    }
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

/**
 * Refuses a link, which could add any file of the disk, and a pipe, which would wait for its writer. Not `readInside`:
 * large files of the user's own library are read in pieces, without blocking.
 */
async function openSource(path: string): Promise<FileHandle> {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) throw refuse(path, 'symlink')
  if (!stat.isFile() && !stat.isDirectory()) throw refuse(path, 'fifo')
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}

async function readPiece(source: FileHandle, length: number): Promise<Uint8Array> {
  const piece = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await source.read(piece, filled, length - filled)
    if (bytesRead === 0) throw new Error('it became shorter in the meantime')
    filled += bytesRead
  }
  return piece
}

/** Gives a finished file its name, unless it is taken. Without hard links, an empty file reserves the name. */
export function putInPlace(stage: string, target: string, link = linkSync, shown = target): void {
  try {
    link(stage, target)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existsAlready(shown)
    reserve(target, shown)
    try {
      move(stage, target)
    } catch (failure) {
      rmSync(target, { force: true })
      throw failure
    }
  }
}

function reserve(target: string, shown: string): void {
  try {
    closeSync(openSync(target, 'wx'))
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existsAlready(shown) : error
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

/** The entries of an archive. `implied`: a folder without an entry of its own, named in the path of another. */
interface Contents {
  archive: string
  limits: ArchiveLimits
  kinds: Map<string, 'file' | 'folder' | 'implied'>
  entries: number
  bytes: number
}

function openContents(archive: string, limits: ArchiveLimits): Contents {
  return { archive, limits, kinds: new Map(), entries: 0, bytes: 0 }
}

/** Adds an entry and returns its normalised path. Throws if it cannot be unpacked beside the others. */
function record(contents: Contents, name: string, kind: 'file' | 'folder', size = 0): string {
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

const REFUSED: Record<string, readonly [Code, string, string]> = {
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

function refuse(subject: string, kind: string): LoadoutError {
  const [code, problem, hint] = REFUSED[kind] ?? REFUSED.unknown!
  return new LoadoutError(code, `${subject} ${problem}`, { hint })
}

function collision({ archive }: Contents, path: string, problem: string): LoadoutError {
  return failWith('BAD_ARCHIVE/collision', { archive, path: clip(path) || '.', problem })
}

function tooMuch(archive: string, limit: string): LoadoutError {
  return failWith('BAD_ARCHIVE/too-much', { archive, limit })
}

/** A hostile archive can have names of several megabytes. */
function clip(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}...` : name
}
