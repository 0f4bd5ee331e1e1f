import { checksum, hashText } from '../text/values.ts'
import { type TermPostings, withLess } from './postings.ts'
import type { Tuning } from './tuning.ts'

// The saved form of every index: segments, then a note of its owner, then the places of the segments. A segment holds
// the terms of some documents or files: a table of buckets by the hash of a term, then the buckets. A bucket is a list
// of its terms, with short postings inline; long postings follow it. So a question reads two or three small parts for
// each of its words. Only hashes of terms are stored: content of a file, such as a password, cannot be read from the
// cache. A posting is the distance to the previous slot, 12 bits of impact, 3 of the field, 1 for the name, and one
// more number: for a file the pieces that contain the term, for a document by how much the impact is less without long
// fields. A segment of documents also has a table of its slots in front and their records at the end; what a file is,
// the note tells. Everything that is read has a checksum.

/** Reads bytes of a stored value; returns fewer than requested at its end. */
export type ReadBytes = (from: number, length: number) => Uint8Array

/** The stored bytes differ from the saved ones: the caller builds them again. */
export class DamagedForm extends Error {}

/** The position of a segment in the saved bytes, and its sizes. */
export interface SegmentPlace {
  readonly start: number
  readonly length: number
  readonly buckets: number
  /** Slots of its documents or files. */
  readonly slots: number
  /** Bytes of the table of documents; 0 in a segment of files. */
  readonly documents: number
}

/** Increase it whenever the same text would give other terms, impacts or bytes. */
const VERSION = 7
/** Terms of a bucket, on average. */
export const TERMS_PER_BUCKET = 16
/** Longer postings are after the list of terms, so that a search for another term need not read them. */
export const SHORT_LIST = 64
/** Of a bucket: the length of the list of its terms, and its checksum. */
export const HEAD = 8
/** The bytes that identify a term in its bucket. */
const ID_BYTES = 6
/** Distance, impact and the last number of a posting take at least this many bytes. */
const SHORTEST_POSTING = 4
/** Most buckets are shorter, without their long postings. */
const FIRST_READ = 2048
const SECOND_SEED = 0x9747b28c

/** Identifies a term without containing it: 48 bits, of which the upper 32 determine its bucket. */
export function termId(term: string): number {
  const hash = hashText(term)
  return ((hash ^ (hash >>> 15)) >>> 0) * 2 ** 16 + (hashText(term, SECOND_SEED) >>> 16)
}

export function bucketOf(id: number, buckets: number): number {
  return Math.floor(id / 2 ** 16) & (buckets - 1)
}

/** A segment whose parts are read on demand. Whatever finds damaged bytes throws DamagedForm. */
export class Segment {
  readonly place: SegmentPlace
  isDamaged = false
  private readonly read: ReadBytes

  constructor(read: ReadBytes, place: SegmentPlace) {
    this.read = read
    this.place = place
  }

  /** `base`: the slot of its first document. Undefined: no document has the term. */
  find(term: string, base = 0): TermPostings | undefined {
    const id = termId(term)
    const bucket = bucketOf(id, this.place.buckets)
    const { start, bytes } = this.bucketAt(bucket)
    let long = start + bytes.length
    for (let at = HEAD; at < bytes.length; ) {
      const found = termAt(bytes, at)
      if (found.id === id) return this.decode(this.postingBytes(bytes, found, long, bucket), base)
      if (found.size > SHORT_LIST) long += found.size
      at = found.next
    }
    return undefined
  }

  get bytes(): Uint8Array {
    return this.take(0, this.place.length)
  }

  /** Every term. */
  *terms(): Generator<{ id: number; list: Uint32Array }> {
    for (let bucket = 0; bucket < this.place.buckets; bucket++) {
      const { start, bytes } = this.bucketAt(bucket)
      let long = start + bytes.length
      for (let at = HEAD; at < bytes.length; ) {
        const found = termAt(bytes, at)
        yield { id: found.id, list: this.decode(this.postingBytes(bytes, found, long, bucket), 0).list }
        if (found.size > SHORT_LIST) long += found.size
        at = found.next
      }
    }
  }

  /** The table of documents: where each record ends, then the target of each slot, then the slots of topics. */
  table(): Uint32Array {
    const bytes = this.take(4, this.place.documents - 4)
    if (checksum(bytes) !== numberAt(this.take(0, 4), 0)) this.fail()
    return wordsOf(bytes)
  }

  /** A record, with its checksum in front. */
  record(from: number, to: number): Uint8Array {
    const bytes = this.take(from, to - from)
    if (bytes.length < 4 || checksum(bytes.subarray(4)) !== numberAt(bytes, 0)) this.fail()
    return bytes.subarray(4)
  }

  /** The list of terms of a bucket with its head, and where it starts. */
  private bucketAt(bucket: number): { start: number; bytes: Uint8Array } {
    const { buckets, documents, length } = this.place
    const bounds = this.take(documents + bucket * 4, 8)
    const behindTable = documents + (buckets + 1) * 4
    const [start, end] = [behindTable + numberAt(bounds, 0), behindTable + numberAt(bounds, 4)]
    if (end < start + HEAD || end > length) this.fail()
    let bytes = this.take(start, Math.min(end - start, FIRST_READ))
    const size = HEAD + numberAt(bytes, 0)
    if (size > end - start) this.fail()
    bytes = size > bytes.length ? this.take(start, size) : bytes.subarray(0, size)
    if (checksum(bytes.subarray(HEAD), bucket) !== numberAt(bytes, 4)) this.fail()
    return { start, bytes }
  }

  /** `long`: where the long postings are, with the checksum in the bucket. */
  private postingBytes(bytes: Uint8Array, { size, at }: TermEntry, long: number, bucket: number): Uint8Array {
    if (size <= SHORT_LIST) return bytes.subarray(at, at + size)
    const found = this.take(long, size)
    if (checksum(found, bucket) !== numberAt(bytes, at)) this.fail()
    return found
  }

  private decode(bytes: Uint8Array, base: number): TermPostings {
    const isOfFiles = this.place.documents === 0
    const most = Math.floor(bytes.length / SHORTEST_POSTING)
    const list = new Uint32Array(2 * most)
    const pieces = new Uint32Array(isOfFiles ? most : 0)
    let [slot, count, at] = [base, 0, 0]
    while (at < bytes.length) {
      let byte = bytes[at++]!
      let value = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!
        value |= (byte & 127) << shift
      }
      slot += value
      const short = bytes[at]! | (bytes[at + 1]! << 8)
      at += 2
      byte = bytes[at++]!
      value = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!
        value |= (byte & 127) << shift
      }
      list[2 * count] = slot
      list[2 * count + 1] = lengthen(short, isOfFiles ? 0 : value)
      if (isOfFiles) pieces[count] = value
      count++
    }
    return { list: list.subarray(0, 2 * count), pieces: pieces.subarray(0, count) }
  }

  private take(from: number, length: number): Uint8Array {
    if (length < 0 || from + length > this.place.length) this.fail()
    const bytes = this.read(this.place.start + from, length)
    if (bytes.length !== length) this.fail()
    return bytes
  }

  private fail(): never {
    this.isDamaged = true
    throw new DamagedForm('a segment is damaged')
  }
}

// Bound once: an imported name is looked up with every call.
const lengthen = withLess

interface TermEntry {
  id: number
  /** Of its postings. */
  size: number
  /** Where its postings or their checksum start. */
  at: number
  next: number
}

/** A term of a bucket: the bytes that identify it, the length of its postings, then these or their checksum. */
function termAt(bytes: Uint8Array, from: number): TermEntry {
  const id = numberAt(bytes, from) * 2 ** 16 + (bytes[from + 4]! | (bytes[from + 5]! << 8))
  let at = from + ID_BYTES
  let [size, shift] = [0, 0]
  for (; bytes[at]! > 127; at++, shift += 7) size |= (bytes[at]! & 127) << shift
  size |= bytes[at++]! << shift
  return { id, size, at, next: at + (size > SHORT_LIST ? 4 : size) }
}

function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Uint32Array(buffer, byteOffset, bytes.length >>> 2)
}

/** What is saved besides the segments. The note is whatever the owner of the index needs. */
export interface SavedForm {
  note: Uint8Array
  places: SegmentPlace[]
  /** Checksum of all segments, if they were written at once. */
  sum: number
}

// The last numbers: version, fingerprint of the tuning, segments, bytes of the note, checksum of the segments, and the checksum of
// everything from the note on.
const PLACE = 5
const END = 6

/** The bytes after the segments. */
export function encodeEnd({ note, places, sum }: SavedForm, tuning: Tuning): Uint8Array {
  const rows = places.flatMap((place) => {
    const { start, length, buckets, slots, documents } = place
    return [start, length, buckets, slots, documents]
  })
  const numbers = Float64Array.of(...rows, VERSION, fingerprintOf(tuning), places.length, note.length, sum)
  const bytes = new Uint8Array(note.length + numbers.byteLength + 8)
  bytes.set(note)
  bytes.set(new Uint8Array(numbers.buffer), note.length)
  const own = Float64Array.of(checksum(bytes.subarray(0, -8)))
  bytes.set(new Uint8Array(own.buffer), bytes.length - 8)
  return bytes
}

/** Undefined when the bytes are damaged, or of another version or tuning. */
export function openForm(read: ReadBytes, size: number, tuning: Tuning): SavedForm | undefined {
  if (size < 8 * END) return undefined
  const end = numbersOf(read(size - 8 * END, 8 * END))
  const [version, print, count = 0, noteLength = 0, sum = 0, ownSum] = end
  if (version !== VERSION || print !== fingerprintOf(tuning)) return undefined
  const length = noteLength + 8 * (PLACE * count + END)
  if (!(length <= size)) return undefined
  const bytes = read(size - length, length)
  if (checksum(bytes.subarray(0, -8)) !== ownSum) return undefined
  const numbers = numbersOf(bytes.subarray(noteLength))
  const places = Array.from({ length: count }, (_, at): SegmentPlace => {
    const [start = 0, bytes = 0, buckets = 0, slots = 0, documents = 0] = numbers.subarray(at * PLACE)
    return { start, length: bytes, buckets, slots, documents }
  })
  return { note: bytes.subarray(0, noteLength), places, sum }
}

function numbersOf(bytes: Uint8Array): Float64Array {
  const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
  return new Float64Array(buffer, byteOffset, bytes.length >>> 3)
}

function fingerprintOf(tuning: Tuning): number {
  return hashText(JSON.stringify(tuning))
}
