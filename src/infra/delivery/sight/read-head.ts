import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf, isLink } from '../../files.ts'

export interface Head {
  /** The beginning; what is no UTF-8 is replaced. */
  text: string
  /** Of the whole file, in bytes. */
  size: number
  isUtf8: boolean
}

/** Frontmatter and a first line fit into this. */
export const HEAD_BYTES = 256 * 1024

/** The beginning of a regular file, or why there is none. Never throws, never waits for a pipe. */
export function readHead(path: string, most = HEAD_BYTES): Head | { problem: string } {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (stat.isDirectory()) return { problem: 'is a folder' }
    if (!stat.isFile()) return { problem: 'is not a regular file' }
    const bytes = Buffer.alloc(Math.min(stat.size, most))
    const length = readFully(file, bytes)
    const whole = bytes.subarray(0, length === stat.size ? length : withoutBrokenEnd(bytes, length))
    return { text: whole.toString('utf8'), size: stat.size, isUtf8: isUtf8(whole) }
  } catch (error) {
    return { problem: describe(codeOf(error), path) }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function readFully(file: number, bytes: Buffer): number {
  let length = 0
  for (;;) {
    const read = length < bytes.length ? readSync(file, bytes, length, bytes.length - length, length) : 0
    if (read === 0) return length
    length += read
  }
}

/** A cut may have gone through a character. */
function withoutBrokenEnd(bytes: Buffer, length: number): number {
  let end = length
  while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return Math.max(0, end - 1)
}

function describe(code: string | undefined, path: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return isLink(path) ? 'is a link that leads nowhere' : 'is not there'
  if (code === 'ELOOP') return 'is a link that leads back to itself'
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read'
  if (code === 'ENXIO') return 'is not a regular file'
  return `cannot be read${code === undefined ? '' : ` (${code})`}`
}
