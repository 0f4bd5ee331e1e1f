import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { cutExcerpt, normalizeText } from '../../domain/context/budget/excerpt.ts'
import type { Omission } from '../../domain/context/candidate.ts'
import { codeOf } from '../files.ts'
import { staysInside } from '../inside.ts'

/** A text that was read no further than it is of use. */
export interface BoundedText {
  /** Normalised. The beginning only, if it is longer than can be needed. */
  text: string
  /** Characters of the whole, normalised; null when it was not read to its end. */
  charsTotal: number | null
  /** Of the bytes of the whole; null when it was not read to its end. */
  sha256: string | null
}

export type Unread = Pick<Omission, 'reason' | 'detail'>

/** Files up to this size are read whole, so that their digest and length are known. */
const LARGEST_WHOLE = 1024 * 1024
/** Of a larger one so much is read, or as much as the text that is asked for can take. */
const SMALLEST_HEAD = 64 * 1024
/** No UTF-16 unit takes more bytes than this in UTF-8. */
const BYTES_PER_CHAR = 3

/**
 * The text of a file inside a root, of which at most so many characters can be needed. Never throws, never waits for a
 * pipe, and takes the same time and memory for a large file, however large.
 */
export function readBounded(root: string, path: string, mostChars: number): BoundedText | Unread {
  if (!staysInside(root, path)) return { reason: 'outside_root', detail: 'it leads out of the project' }
  let file: number | undefined
  try {
    file = openSync(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (!stat.isFile()) return NOT_A_FILE
    const head = Math.min(
      LARGEST_WHOLE,
      Math.max(SMALLEST_HEAD, Math.ceil(mostChars) * BYTES_PER_CHAR + BYTES_PER_CHAR),
    )
    // What is written behind this size from now on is not a part of what was asked for.
    if (stat.size <= LARGEST_WHOLE) return wholeText(readUpTo(file, stat.size), head)
    const bytes = readUpTo(file, head)
    return isText(bytes.subarray(0, bytes.length - brokenTail(bytes))) ? headText(bytes) : BINARY
  } catch (error) {
    return unread(codeOf(error))
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

export function isUnread(result: BoundedText | Unread): result is Unread {
  return 'reason' in result
}

const NOT_A_FILE: Unread = { reason: 'not_a_file', detail: 'it is not a regular file' }
const BINARY: Unread = { reason: 'binary', detail: 'it is not UTF-8 text' }

function unread(code: string): Unread {
  if (code === 'ENXIO' || code === 'ENODEV' || code === 'EISDIR') return NOT_A_FILE
  if (code === 'ENOENT' || code === 'ENOTDIR') return { reason: 'unreadable', detail: 'it does not exist' }
  if (code === 'ELOOP') return { reason: 'unreadable', detail: 'it is a link that leads back to itself' }
  return { reason: 'unreadable', detail: `it cannot be read (${code || 'unknown reason'})` }
}

function readUpTo(file: number, most: number): Buffer {
  const bytes = Buffer.allocUnsafe(most)
  let length = 0
  while (length < most) {
    const read = readSync(file, bytes, length, most - length, null)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

/** Of a text longer than can be needed the beginning is decoded once more, or the whole would stay in memory. */
function wholeText(bytes: Buffer, head: number): BoundedText | Unread {
  if (!isText(bytes)) return BINARY
  const text = normalizeText(bytes.toString('utf8'))
  return {
    text: bytes.length > head ? headText(bytes.subarray(0, head)).text : text,
    charsTotal: text.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** The end of a head may part a character; it goes, to the line end before it when that is near. */
function headText(bytes: Buffer): BoundedText {
  const text = normalizeText(bytes.toString('utf8', 0, bytes.length - brokenTail(bytes)))
  return { text: cutExcerpt(text, text.length - 1).excerpt, charsTotal: null, sha256: null }
}

function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && isUtf8(bytes)
}

/** How many bytes at the end begin a character that does not end there. */
function brokenTail(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
  }
  return 0
}
