import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { brokenTail, codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { KNOWLEDGE_FOLDERS } from '../../packs/rules/pack.ts'
import type { LoadoutError } from '../../text/trouble.ts'
import { cutExcerpt, normalizeText } from '../rules/budget/excerpt.ts'
import type { Omission } from '../rules/candidate.ts'

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
  if (isInPack(path)) return BEHIND_GATES
  const needed = Math.max(SMALLEST_HEAD, Math.ceil(mostChars) * BYTES_PER_CHAR + BYTES_PER_CHAR)
  const head = Math.min(LARGEST_WHOLE, needed)
  const { bytes, size, real, failure } = readInside(root, path, { most: LARGEST_WHOLE, head })
  if (bytes === undefined) return unread(failure)
  // The file that was opened, whatever its path led to before.
  if (isInPack(real)) return BEHIND_GATES
  if (size <= LARGEST_WHOLE) return wholeText(bytes, head)
  return isText(bytes.subarray(0, bytes.length - brokenTail(bytes))) ? headText(bytes) : BINARY
}

export function isUnread(result: BoundedText | Unread): result is Unread {
  return 'reason' in result
}

/** Whatever a pattern says: a pack may be one that nobody has approved. */
function isInPack(path: string): boolean {
  return KNOWLEDGE_FOLDERS.some((folder) => `/${path}/`.includes(`/${folder}/`))
}

const BEHIND_GATES: Unread = { reason: 'gate', detail: 'knowledge packs are read through their gates only' }
const BINARY: Unread = { reason: 'binary', detail: 'it is not UTF-8 text' }

function unread({ code, cause }: LoadoutError): Unread {
  if (code === 'PATH_ESCAPE') return { reason: 'outside_root', detail: 'it leads out of the project' }
  if (code === 'NOT_A_FILE') return { reason: 'not_a_file', detail: 'it is not a regular file' }
  if (code === 'FILE_NOT_FOUND') return { reason: 'unreadable', detail: 'it does not exist' }
  if (codeOf(cause) === 'ELOOP') return { reason: 'unreadable', detail: 'it is a link that leads back to itself' }
  return { reason: 'unreadable', detail: `it cannot be read (${codeOf(cause) || 'unknown reason'})` }
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
