import { closeSync, constants, linkSync, lstatSync, openSync, rmSync } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createTarPacker, type TarHeader, type TarPackController } from 'modern-tar'
import { asLoadoutError, codeOf, exists, removeLeftovers } from '../../machine/files.ts'
import { type PinnedFolder, pinNamedFolder } from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { move } from '../../machine/platform.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { LIMITS, openContents, record, refuse } from './archive-contents.ts'

export interface ArchiveEntry {
  /** Relative to the root of the archive, with slashes. */
  path: string
  isExecutable: boolean
  content: { file: string } | { text: string }
}

// Reads in pieces, so that a large file does not fill the memory.
const PIECE = 64 * 1024
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
  // For names beyond ASCII or 100 characters, tar readers agree only on the extended header.
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
  return new LoadoutError('FILE_EXISTS', `${target} already exists`, {
    hint: 'it was left as it is; choose another name',
  })
}
