import type { FieldedText } from '../../search/analyze.ts'
import { Lexicon } from '../../search/lexicon.ts'
import { Weigher } from '../../search/library.ts'
import { longPosting, shortPosting } from '../../search/term-index.ts'
import { PROJECT_TUNING } from './file-document.ts'
import { HEAD, restOf, SHORT_LIST, sumOfBytes, TERMS_PER_BUCKET, termHashes } from './saved-segment.ts'

// Bound once: an imported name is looked up with every call.
const shorten = shortPosting

/** The maximum number of files: a slot and a posting share one number during the build. */
export const MOST_FILES = 1 << 16
const START_ROOM = 1 << 16
/** A small text with more terms or postings than this does not consist of words. */
const MOST_TERMS = 200_000
const MOST_POSTINGS = 3_000_000

/** Collects the postings of files and writes them as one segment. It can be reused for the next one. */
export class SegmentBuilder {
  private lexicon = new Lexicon()
  private weigher = new Weigher(this.lexicon, PROJECT_TUNING)
  // For each posting: the term, the slot above its 16 bits, the pieces.
  private terms = new Uint32Array(START_ROOM)
  private postings = new Uint32Array(START_ROOM)
  private pieces = new Uint32Array(START_ROOM)
  private count = 0

  add(slot: number, document: FieldedText): void {
    this.weigher.visit(document, 1, (term, packed, pieces) => {
      if (this.count === this.terms.length) this.grow()
      this.terms[this.count] = term
      this.postings[this.count] = (slot << 16) | shorten(packed)
      this.pieces[this.count++] = pieces
    })
  }

  get isFull(): boolean {
    return this.lexicon.size >= MOST_TERMS || this.count >= MOST_POSTINGS
  }

  /** Postings of a term are in the order of their slots, if files were added in that order. */
  encode(): { bytes: Uint8Array; buckets: number } {
    const { lexicon } = this
    const { starts, postings, pieces } = this.sortByTerm()
    const { buckets, order, bucketStarts, firsts, seconds } = bucketOrder(lexicon)
    const table = new Uint32Array(buckets + 1)
    const bytes = new ByteWriter(this.count * 6 + lexicon.size * 10 + buckets * HEAD + table.byteLength)
    const [list, long, posted] = [new ByteWriter(1024), new ByteWriter(1024), new ByteWriter(1024)]
    bytes.length = table.byteLength
    for (let bucket = 0; bucket < buckets; bucket++) {
      table[bucket] = bytes.length - table.byteLength
      list.length = 0
      long.length = 0
      for (let i = bucketStarts[bucket]!; i < bucketStarts[bucket + 1]!; i++) {
        const term = order[i]!
        posted.length = 0
        posted.postings(postings, pieces, starts[term]!, starts[term + 1]!)
        list.number(seconds[term]!)
        list.byte(restOf(firsts[term]!) & 255)
        list.byte(restOf(firsts[term]!) >>> 8)
        list.short(posted.length)
        if (posted.length <= SHORT_LIST) list.all(posted)
        else {
          list.number(sumOfBytes(posted.bytes, 0, posted.length, bucket))
          long.all(posted)
        }
      }
      bytes.number(list.length)
      bytes.number(sumOfBytes(list.bytes, 0, list.length, bucket))
      bytes.all(list)
      bytes.all(long)
    }
    table[buckets] = bytes.length - table.byteLength
    bytes.bytes.set(new Uint8Array(table.buffer))
    this.startAnew()
    return { bytes: bytes.bytes.subarray(0, bytes.length), buckets }
  }

  private startAnew(): void {
    this.lexicon = new Lexicon()
    this.weigher = new Weigher(this.lexicon, PROJECT_TUNING)
    this.count = 0
  }

  private sortByTerm(): { starts: Uint32Array; postings: Uint32Array; pieces: Uint32Array } {
    const { terms, count } = this
    const size = this.lexicon.size
    const starts = new Uint32Array(size + 1)
    for (let at = 0; at < count; at++) starts[terms[at]! + 1]!++
    for (let term = 0; term < size; term++) starts[term + 1]! += starts[term]!
    const next = starts.slice()
    const [postings, pieces] = [new Uint32Array(count), new Uint32Array(count)]
    for (let at = 0; at < count; at++) {
      const place = next[terms[at]!]!++
      postings[place] = this.postings[at]!
      pieces[place] = this.pieces[at]!
    }
    return { starts, postings, pieces }
  }

  private grow(): void {
    const enlarge = (array: Uint32Array) => {
      const larger = new Uint32Array(array.length * 2)
      larger.set(array)
      return larger
    }
    this.terms = enlarge(this.terms)
    this.postings = enlarge(this.postings)
    this.pieces = enlarge(this.pieces)
  }
}

/** The terms of each bucket, in the order of buckets, then of numbers. */
function bucketOrder(lexicon: Lexicon) {
  let buckets = 1
  while (buckets * TERMS_PER_BUCKET < lexicon.size) buckets *= 2
  const [firsts, seconds] = [new Uint32Array(lexicon.size), new Uint32Array(lexicon.size)]
  const bucketStarts = new Uint32Array(buckets + 1)
  for (let term = 0; term < lexicon.size; term++) {
    const { first, second } = termHashes(lexicon.textOf(term))
    firsts[term] = first
    seconds[term] = second
    bucketStarts[(first & (buckets - 1)) + 1]!++
  }
  for (let bucket = 0; bucket < buckets; bucket++) bucketStarts[bucket + 1]! += bucketStarts[bucket]!
  const next = bucketStarts.slice()
  const order = new Uint32Array(lexicon.size)
  for (let term = 0; term < lexicon.size; term++) order[next[firsts[term]! & (buckets - 1)]!++] = term
  return { buckets, order, bucketStarts, firsts, seconds }
}

/** The postings of one file, as a segment returns them. */
export function weighFile(document: FieldedText, visit: (term: string, packed: number, pieces: number) => void): void {
  const lexicon = new Lexicon()
  new Weigher(lexicon, PROJECT_TUNING).visit(document, 1, (term, packed, pieces) =>
    visit(lexicon.textOf(term), longPosting(shortPosting(packed)), pieces),
  )
}

const LONGEST_POSTING = 10

class ByteWriter {
  bytes: Uint8Array
  length = 0

  constructor(room: number) {
    this.bytes = new Uint8Array(room)
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** Four bytes. */
  number(value: number): void {
    this.byte(value & 255)
    this.byte((value >>> 8) & 255)
    this.byte((value >>> 16) & 255)
    this.byte(value >>> 24)
  }

  /** Seven bits per byte, the lowest first. */
  short(value: number): void {
    let rest = value
    for (; rest > 127; rest >>>= 7) this.byte((rest & 127) | 128)
    this.byte(rest)
  }

  /** Most of the work of writing a segment: avoids a call for each byte. */
  postings(postings: Uint32Array, pieces: Uint32Array, from: number, to: number): void {
    this.reserve((to - from) * LONGEST_POSTING)
    const { bytes } = this
    let at = this.length
    let slot = 0
    for (let i = from; i < to; i++) {
      const posting = postings[i]!
      let rest = (posting >>> 16) - slot
      slot = posting >>> 16
      for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128
      bytes[at++] = rest
      bytes[at++] = posting & 255
      bytes[at++] = (posting >>> 8) & 255
      for (rest = pieces[i]!; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128
      bytes[at++] = rest
    }
    this.length = at
  }

  all(other: ByteWriter): void {
    this.reserve(other.length)
    const { bytes, length } = this
    // Most are so short that a loop is faster than a view.
    if (other.length > SHORT_LIST) bytes.set(other.bytes.subarray(0, other.length), length)
    else for (let at = 0; at < other.length; at++) bytes[length + at] = other.bytes[at]!
    this.length += other.length
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 1.5, this.length + more) | 0)
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}
