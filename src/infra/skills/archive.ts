import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  createReadStream,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import {
  createTarDecoder,
  createTarPacker,
  type ParsedTarEntry,
  type TarHeader,
  type TarPackController,
} from 'modern-tar'
import type { Code } from '../../domain/shared/codes.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { compareText } from '../../domain/shared/order.ts'
import { pathProblem } from '../../domain/shared/safe-path.ts'
import { asLoadoutError, exists, requireFile } from '../files.ts'

export interface ArchiveEntry {
  /** Slash-separated, below the root of the archive. */
  path: string
  isExecutable: boolean
  content: { file: string } | { text: string }
}

export interface ArchiveLimits {
  /** Files and folders, also folders that only the path of a file names. */
  entries: number
  /** The content of all files together. */
  bytes: number
}

const LIMITS: ArchiveLimits = { entries: 20_000, bytes: 1024 ** 3 }
const LONGEST_PATH = 4096
// What a stream may hold besides content: the headers, long name and padding of an entry; the zeros at the end.
const ENTRY_OVERHEAD = 8 * 1024
const END_OVERHEAD = 1024 * 1024

// Read in pieces: a large file must not fill the memory.
const PIECE = 64 * 1024
// zlib names the operating system here; no time, no name and "unknown" make it the same everywhere.
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255)

const BLOCK = 512
const KINDS_WITHOUT_BODY = ['1', '2', '3', '4', '5', '6']
const KNOWN_KINDS = ['\0', '0', '7', 'x', 'g', 'L', 'K', ...KINDS_WITHOUT_BODY]

/** Writes a new `.tar.gz`; the same entries give the same bytes. All or nothing, and never over an existing file. */
export async function packArchive(entries: readonly ArchiveEntry[], target: string): Promise<void> {
  const items = planItems(entries, target)
  if (exists(target)) throw existsAlready(target)
  const stage = join(dirname(target), `.${basename(target)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`)
  try {
    await writeStage(items, stage)
    putInPlace(stage, target)
  } catch (error) {
    throw asLoadoutError(error, target, 'write')
  } finally {
    rmSync(stage, { force: true })
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

/** Each chunk costs gzip a turn of the event loop, and a small file comes in three. */
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
      const message = `${item.path} does not fit: an archive holds at most ${LIMITS.bytes} bytes`
      throw new LoadoutError('FILE_TOO_LARGE', message, { hint: 'pack less at once' })
    }
    if (item.content === undefined) await add(0).close()
    else if ('file' in item.content) await addFile(item.content.file, add)
    else await addText(item.content.text, add)
  }
  controller.finalize()
}

function headerOf({ path, isExecutable, content }: Item, size: number): TarHeader {
  // Beyond ASCII or 100 characters, readers agree only on what an extended header says.
  const pax = path.length > 100 || Buffer.byteLength(path) > path.length ? { pax: { path } } : {}
  const type = content === undefined ? 'directory' : 'file'
  const owner = { uid: 0, gid: 0, uname: '', gname: '' }
  return { name: path, size, type, mode: isExecutable ? 0o755 : 0o644, mtime: new Date(0), ...owner, ...pax }
}

type Writer = ReturnType<ReturnType<TarPackController['add']>['getWriter']>
type Add = (size: number) => Writer

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

/** A link could bring a file from anywhere into the archive; opening a pipe would wait for its writer. */
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

/** Gives a finished file its name unless something has it. Where hard links are missing, an empty file reserves it. */
export function putInPlace(stage: string, target: string, link = linkSync): void {
  try {
    link(stage, target)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existsAlready(target)
    reserve(target)
    try {
      renameSync(stage, target)
    } catch (failure) {
      rmSync(target, { force: true })
      throw failure
    }
  }
}

function reserve(target: string): void {
  try {
    closeSync(openSync(target, 'wx'))
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existsAlready(target) : error
  }
}

function existsAlready(target: string): LoadoutError {
  return new LoadoutError('FILE_EXISTS', `${target} exists already`, {
    hint: 'it was left as it is; choose another name',
  })
}

/** Unpacks into an empty folder and says which files it wrote. When it throws, the folder is empty again. */
export async function unpackArchive(file: string, folder: string, limits = LIMITS): Promise<string[]> {
  requireFile(file)
  requireEmpty(folder)
  const contents = openContents(file, limits)
  const { readable, writable } = createTarDecoder({ strict: true })
  const feeding = feed(file, limits, writable.getWriter())
  try {
    for await (const entry of readable) await unpackEntry(entry, folder, contents)
  } catch (error) {
    await feeding
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    throw isFromSystem(error) ? asLoadoutError(error, folder, 'write') : asBadArchive(error, file)
  }
  return [...contents.kinds.keys()].filter((path) => contents.kinds.get(path) === 'file').sort(compareText)
}

function requireEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    throw asLoadoutError(error, folder, 'read')
  }
  throw new LoadoutError('FILE_EXISTS', `${folder} is not empty`, { hint: 'name an empty folder' })
}

/** Sends the unpacked bytes to the tar reader. Does not throw: whoever reads the entries gets the error. */
async function feed(file: string, limits: ArchiveLimits, writer: Writer): Promise<void> {
  try {
    await pipeline(
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
    isGzip ||= chunk[0] === GZIP_HEADER[0] && chunk[1] === GZIP_HEADER[1]
    if (!isGzip) break
    yield chunk
  }
  if (isGzip) return
  throw new LoadoutError('BAD_ARCHIVE', `${file} is not a .tar.gz archive`, {
    hint: 'name a file that was packed with gzip',
  })
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

/** The tar reader takes a kind that it does not know for a file; what it unpacks is then not what was packed. */
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

/** How far it is from this header to the next. */
function bodyLength(header: Buffer, file: string): number {
  const kind = header.toString('latin1', 156, 157)
  // Only a size beyond 8 GiB is written in binary, with the highest bit set.
  if (!KNOWN_KINDS.includes(kind) || header.readUInt8(124) > 0x7f) {
    throw refuse(`${file}: ${header.toString('utf8', 0, 100).replace(/\0.*/s, '')}`, 'unknown')
  }
  const size = Number.parseInt(header.toString('latin1', 124, 136).replaceAll(' ', ''), 8) || 0
  return KINDS_WITHOUT_BODY.includes(kind) ? 0 : Math.ceil(size / BLOCK) * BLOCK
}

async function unpackEntry({ header, body }: ParsedTarEntry, folder: string, contents: Contents): Promise<void> {
  const { name, size, type = 'file', mode = 0, pax = {} } = header
  const isOdd = Object.keys(pax).some((key) => key === 'size' || key.startsWith('GNU.sparse.'))
  if (isOdd || type in REFUSED) throw refuse(`${contents.archive}: ${clip(name)}`, isOdd ? 'unknown' : type)
  const kind = type === 'directory' ? 'folder' : 'file'
  const path = record(contents, name, kind, size)
  mkdirSync(join(folder, kind === 'folder' ? path : dirname(path)), { recursive: true })
  if (kind === 'folder') return body.cancel()
  const file = createFile(join(folder, path), (mode & 0o111) !== 0)
  if (file === undefined) throw collision(contents, path, 'has the name of another entry')
  try {
    for await (const chunk of body) for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
  } finally {
    closeSync(file)
  }
}

/** Undefined if there is one already: where the case of letters does not tell names apart, two entries can have one. */
function createFile(path: string, isExecutable: boolean): number | undefined {
  try {
    return openSync(path, 'wx', isExecutable ? 0o777 : 0o666)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined
    throw error
  }
}

/** What lies in an archive. Only the path of another entry names an implied folder. */
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

/** Takes an entry in, unless it could not be unpacked beside the others, and gives its path in the one plain form. */
function record(contents: Contents, name: string, kind: 'file' | 'folder', size = 0): string {
  const { archive, limits, kinds } = contents
  const path = plainPath(name, archive)
  const known = path === '' ? 'implied' : kinds.get(path)
  if (known === kind) throw collision(contents, path, 'is in it twice')
  if (known === 'file' || (known !== undefined && kind === 'file')) {
    throw collision(contents, path, 'is in it as a file and as a folder')
  }
  if (path !== '') kinds.set(path, kind)
  recordParents(contents, path)
  contents.entries += 1
  contents.bytes += size
  if (Math.max(contents.entries, kinds.size) > limits.entries) throw tooMuch(archive, `${limits.entries} entries`)
  if (contents.bytes > limits.bytes) throw tooMuch(archive, `${limits.bytes} bytes`)
  return path
}

/** From the inside out, as far as they are new: a deep folder that many entries share costs no more than once. */
function recordParents(contents: Contents, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const parent = path.slice(0, end)
    const known = contents.kinds.get(parent)
    if (known === 'file') throw collision(contents, parent, 'is in it as a file and as a folder')
    if (known !== undefined) return
    contents.kinds.set(parent, 'implied')
  }
}

/** Without `.` and empty parts; empty for the root. */
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
  symlink: ['SYMLINK_IN_TREE', 'is a symbolic link', 'put the file itself there: a link may lead anywhere'],
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
  return new LoadoutError('BAD_ARCHIVE', `${archive}: ${clip(path) || '.'} ${problem}`, { hint: 'pack it again' })
}

function tooMuch(archive: string, limit: string): LoadoutError {
  return new LoadoutError('BAD_ARCHIVE', `${archive} holds more than ${limit}`, { hint: 'split it' })
}

function asBadArchive(error: unknown, file: string): LoadoutError {
  if (error instanceof LoadoutError) return error
  const detail = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
  const hint = 'get the file again: it may have been cut short or changed on its way'
  return new LoadoutError('BAD_ARCHIVE', `${file} is damaged: ${detail}`, { hint, cause: error })
}

/** Hostile names can have megabytes. */
function clip(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}...` : name
}

function isFromSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
