import { longPosting } from '../../search/term-index.ts'
import { hashText } from '../../text/values.ts'

// A segment contains the terms of some files of a project: a table of buckets by the hash of a term, then the buckets.
// A bucket is a list of its terms, with short postings inline; long postings follow it. So a question reads two or
// three small parts for each of its words. Only hashes of terms are stored: content of a file, such as a password,
// cannot be read from the cache. A posting is the distance to the previous slot, 12 bits of impact, 3 of the field, 1
// for the name, and the pieces that contain it. Everything that is read has a checksum.

// Bound once: an imported name is looked up with every call.
const lengthen = longPosting

/** The position of a segment in the bytes of an index, and its sizes. */
export interface SegmentPlace {
  start: number
  length: number
  buckets: number
}

export interface TermPostings {
  /** Slot, packed posting, slot, packed posting …, sorted by slot. */
  list: Uint32Array
  /** The pieces of each. */
  pieces: Uint32Array
}

/** Reads a part of the saved bytes; fewer at the end. */
export type ReadBytes = (from: number, length: number) => Uint8Array

/** Terms of a bucket, on average. */
export const TERMS_PER_BUCKET = 16
/** Longer postings are after the list of terms, so that a search for another term need not read them. */
export const SHORT_LIST = 64
/** Slot, impact and pieces of a posting take at least this many bytes. */
const SHORTEST_POSTING = 4
/** Most buckets are shorter, without their long postings. */
const FIRST_READ = 2048

/** Two numbers for a term: the first determines its bucket. */
export function termHashes(term: string): { first: number; second: number } {
  const hash = hashText(term)
  return { first: (hash ^ (hash >>> 15)) >>> 0, second: hashText(term, SECOND_SEED) }
}

const SECOND_SEED = 0x9747b28c

/** Distinguishes the terms of a bucket, besides the second number. */
export function restOf(first: number): number {
  return first >>> 16
}

function damaged(): Error {
  return new Error('the saved terms are damaged')
}

export function sumOfBytes(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let sum = 0x811c9dc5 ^ seed
  for (let at = from; at < to; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193)
  return sum >>> 0
}

export class SavedSegment {
  private readonly read: ReadBytes
  private readonly place: SegmentPlace

  constructor(read: ReadBytes, place: SegmentPlace) {
    this.read = read
    this.place = place
  }

  /** `base`: the slot of its first file. Undefined: no file has the term. Throws when the bytes are damaged. */
  find(term: string, base: number): TermPostings | undefined {
    const { first, second } = termHashes(term)
    const bucket = first & (this.place.buckets - 1)
    const bounds = this.take(bucket * 4, 8)
    const [from, to] = [numberAt(bounds, 0), numberAt(bounds, 4)]
    const behindTable = (this.place.buckets + 1) * 4
    if (to < from || behindTable + to > this.place.length) throw damaged()
    let bytes = this.take(behindTable + from, Math.min(to - from, FIRST_READ))
    const size = numberAt(bytes, 0)
    if (HEAD + size > to - from) throw damaged()
    if (HEAD + size > bytes.length) bytes = this.take(behindTable + from, HEAD + size)
    if (sumOfBytes(bytes, HEAD, HEAD + size, bucket) !== numberAt(bytes, 4)) throw damaged()
    const found = findInBucket(bytes.subarray(HEAD, HEAD + size), second, restOf(first))
    if (found === undefined) return undefined
    if ('short' in found) return decodePostings(found.short, base)
    const long = this.take(behindTable + from + HEAD + size + found.from, found.size)
    if (sumOfBytes(long, 0, long.length, bucket) !== found.sum) throw damaged()
    return decodePostings(long, base)
  }

  private take(from: number, length: number): Uint8Array {
    if (from + length > this.place.length) throw damaged()
    const bytes = this.read(this.place.start + from, length)
    if (bytes.length !== length) throw damaged()
    return bytes
  }
}

/** Of a bucket: the length of the list of its terms, and its checksum. */
export const HEAD = 8

type Found = { short: Uint8Array } | { from: number; size: number; sum: number }

/** For each term: six bytes that identify it, the length of its postings, then these or their checksum. */
function findInBucket(bytes: Uint8Array, second: number, rest: number): Found | undefined {
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const isFound = numberAt(bytes, at) === second && (bytes[at + 4]! | (bytes[at + 5]! << 8)) === rest
    let [size, shift] = [0, 0]
    at += 6
    for (; bytes[at]! > 127; at++, shift += 7) size |= (bytes[at]! & 127) << shift
    size |= bytes[at++]! << shift
    if (isFound) {
      return size <= SHORT_LIST ? { short: bytes.subarray(at, at + size) } : { from, size, sum: numberAt(bytes, at) }
    }
    if (size > SHORT_LIST) from += size
    at += size > SHORT_LIST ? 4 : size
  }
  return undefined
}

function decodePostings(bytes: Uint8Array, base: number): TermPostings {
  const most = Math.floor(bytes.length / SHORTEST_POSTING)
  const list = new Uint32Array(2 * most)
  const pieces = new Uint32Array(most)
  let [slot, count, at] = [base, 0, 0]
  while (at < bytes.length) {
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    slot += value
    list[2 * count] = slot
    list[2 * count + 1] = lengthen(bytes[at]! | (bytes[at + 1]! << 8))
    at += 2
    byte = bytes[at++]!
    value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    pieces[count++] = value
  }
  return { list: list.subarray(0, 2 * count), pieces: pieces.subarray(0, count) }
}

function numberAt(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + 4) throw damaged()
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}
