import { closeSync, createReadStream, openSync, readdirSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { asLoadoutError, codeOf, makeFolders, requireFile } from '../../machine/files.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import {
  type ArchiveLimits,
  type Contents,
  clip,
  collision,
  LIMITS,
  openContents,
  REFUSED,
  record,
  refuse,
  tooMuch,
} from './archive-contents.ts'

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
  const { readable, writable } = createTarDecoder({ strict: true })
  const feeding = feed(file, limits, writable.getWriter())
  try {
    const links = new Map<string, string>()
    for await (const entry of readable) await unpackEntry(entry, folder, contents, links)
    for (const [path, to] of links) makeLink(folder, contents, path, to)
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
  { header, body }: ParsedTarEntry,
  folder: string,
  contents: Contents,
  links: Map<string, string>,
): Promise<void> {
  const { name, size, type = 'file', mode = 0, pax = {}, linkname = '' } = header
  const isOdd = Object.keys(pax).some((key) => key === 'size' || key.startsWith('GNU.sparse.'))
  if (isOdd || (type in REFUSED && type !== 'symlink'))
    throw refuse(`${contents.archive}: ${clip(name)}`, isOdd ? 'unknown' : type)
  const kind = type === 'directory' ? 'folder' : 'file'
  const path = record(contents, name, kind, size)
  if (type === 'symlink') {
    links.set(path, linkname)
    return body.cancel()
  }
  makeFolders(join(folder, kind === 'folder' ? path : dirname(path)))
  if (kind === 'folder') return body.cancel()
  const file = createFile(join(folder, path), (mode & 0o111) !== 0)
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
  const hint = 'get the file again: it may have been cut short or changed on its way'
  return new LoadoutError('BAD_ARCHIVE', `${file} is damaged: ${detail}`, { hint, cause: error })
}

function isFromSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
