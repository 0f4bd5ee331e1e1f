import { checksum } from '../text/values.ts'
import { type FieldedText, type Lexicon, Weigher } from './analyze.ts'
import type { Tuning } from './document.ts'
import {
  bucketOf,
  HEAD,
  lessOf,
  Segment,
  type SegmentPlace,
  SHORT_LIST,
  TERMS_PER_BUCKET,
  termId,
} from './saved-library.ts'
import { enlarge } from './tokens.ts'

// Bound once: an imported name is looked up with every call.
const lessIn = lessOf

const START_ROOM = 1 << 12
/** The bytes of a segment, and its place, which starts where they are put. */
export interface BuiltSegment {
  bytes: Uint8Array
  place: Omit<SegmentPlace, 'start'>
}

/** Reads a segment that was not written anywhere. */
export function openBuilt({ bytes, place }: BuiltSegment): Segment {
  return new Segment(() => bytes, { ...place, start: 0 }, bytes)
}

/** The documents of a segment: the target of each slot, the slots of topics, and the record of each slot. */
export interface DocumentTable {
  targets: Int32Array
  topics: readonly number[]
  /** JSON; empty for a topic. */
  records: readonly string[]
}

/** Collects the postings of texts and writes them as one segment. */
export class SegmentBuilder {
  private readonly weigher: Weigher
  private readonly lexicon: Lexicon
  // The columns of all postings.
  private terms = new Uint32Array(START_ROOM)
  private slots = new Uint32Array(START_ROOM)
  private packed = new Uint32Array(START_ROOM)
  private pieces = new Uint32Array(START_ROOM)
  private count = 0
  /** Of terms that come from another segment, after those of the lexicon. */
  private readonly otherIds: number[] = []

  constructor(tuning: Tuning) {
    this.weigher = new Weigher(tuning)
    this.lexicon = this.weigher.lexicon
  }

  add(slot: number, text: FieldedText, factor = 1): void {
    this.weigher.visit(text, factor, (term, packed, pieces) => this.append(term, slot, packed, pieces))
  }

  /** Adds the documents of another segment to those that were added. `slots`: their new slots, or less than zero. */
  addSegment(segment: Segment, slots: ArrayLike<number>): void {
    const numbers = new Map<number, number>()
    for (let term = 0; term < this.lexicon.size; term++) numbers.set(termId(this.lexicon.textOf(term)), term)
    for (const { id, list } of segment.terms()) {
      let term = numbers.get(id)
      for (let i = 0; i < list.length; i += 2) {
        const slot = slots[list[i]!]!
        if (slot < 0) continue
        term ??= this.lexicon.size + this.otherIds.push(id) - 1
        this.append(term, slot, list[i + 1]!, 0)
      }
    }
  }

  get isFull(): boolean {
    // A small text with more terms or postings than this does not consist of words.
    return this.lexicon.size >= 200_000 || this.count >= 3_000_000
  }

  /** With `documents`, postings have the impact without long fields, else the pieces. */
  encode(slots: number, documents?: DocumentTable): BuiltSegment {
    const ids = Float64Array.from({ length: this.lexicon.size + this.otherIds.length }, (_, term) =>
      term < this.lexicon.size ? termId(this.lexicon.textOf(term)) : this.otherIds[term - this.lexicon.size]!,
    )
    const { starts, order } = this.orderByTerm(ids.length)
    const { buckets, terms, bucketStarts } = intoBuckets(ids)
    const front = documents === undefined ? 0 : 4 * (2 + 2 * slots + documents.topics.length)
    const behindTable = front + 4 * (buckets + 1)
    const bytes = new ByteWriter(this.count * 6 + ids.length * 10 + buckets * HEAD + behindTable)
    const [list, long, posted] = [new ByteWriter(1024), new ByteWriter(1024), new ByteWriter(1024)]
    const table = new Uint32Array(buckets + 1)
    bytes.length = behindTable
    for (let bucket = 0; bucket < buckets; bucket++) {
      table[bucket] = bytes.length - behindTable
      list.length = 0
      long.length = 0
      for (let i = bucketStarts[bucket]!; i < bucketStarts[bucket + 1]!; i++) {
        const term = terms[i]!
        posted.length = 0
        this.writePostings(posted, order, starts[term]!, starts[term + 1]!, documents !== undefined)
        list.number(Math.floor(ids[term]! / 2 ** 16))
        list.byte(ids[term]! & 255)
        list.byte((ids[term]! >>> 8) & 255)
        list.short(posted.length)
        if (posted.length <= SHORT_LIST) list.all(posted)
        else {
          list.number(checksum(posted.whole, bucket))
          long.all(posted)
        }
      }
      bytes.number(list.length)
      bytes.number(checksum(list.whole, bucket))
      bytes.all(list)
      bytes.all(long)
    }
    table[buckets] = bytes.length - behindTable
    if (documents !== undefined) writeDocuments(bytes, documents)
    bytes.bytes.set(new Uint8Array(table.buffer), front)
    return { bytes: bytes.whole, place: { length: bytes.length, buckets, slots, documents: front } }
  }

  private append(term: number, slot: number, packed: number, pieces: number): void {
    if (this.count === this.terms.length) {
      this.terms = enlarge(this.terms)
      this.slots = enlarge(this.slots)
      this.packed = enlarge(this.packed)
      this.pieces = enlarge(this.pieces)
    }
    this.terms[this.count] = term
    this.slots[this.count] = slot
    this.packed[this.count] = packed
    this.pieces[this.count++] = pieces
  }

  /** The postings by term, then by slot: a counting sort, because most are in the order of their slots. */
  private orderByTerm(size: number): { starts: Uint32Array; order: Uint32Array } {
    const { terms, slots, count } = this
    const starts = new Uint32Array(size + 1)
    for (let at = 0; at < count; at++) starts[terms[at]! + 1]!++
    for (let term = 0; term < size; term++) starts[term + 1]! += starts[term]!
    const next = starts.slice()
    const order = new Uint32Array(count)
    for (let at = 0; at < count; at++) {
      const [term, slot] = [terms[at]!, slots[at]!]
      let place = next[term]!++
      for (; place > starts[term]! && slots[order[place - 1]!]! > slot; place--) order[place] = order[place - 1]!
      order[place] = at
    }
    return { starts, order }
  }

  /** Most of the work of writing a segment: avoids a call for each byte. */
  private writePostings(into: ByteWriter, order: Uint32Array, from: number, to: number, isOfDocuments: boolean): void {
    // A posting takes at most twelve bytes.
    into.reserve((to - from) * 12)
    const { slots, packed, pieces } = this
    const { bytes } = into
    let at = into.length
    let slot = 0
    for (let i = from; i < to; i++) {
      const place = order[i]!
      const posting = packed[place]!
      let rest = slots[place]! - slot
      slot += rest
      for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128
      bytes[at++] = rest
      bytes[at++] = posting & 255
      bytes[at++] = (posting >>> 8) & 255
      for (rest = isOfDocuments ? lessIn(posting) : pieces[place]!; rest > 127; rest >>>= 7) {
        bytes[at++] = (rest & 127) | 128
      }
      bytes[at++] = rest
    }
    into.length = at
  }
}

/** The terms of each bucket, in the order of buckets, then of ids. */
function intoBuckets(ids: Float64Array) {
  let buckets = 1
  while (buckets * TERMS_PER_BUCKET < ids.length) buckets *= 2
  const bucketStarts = new Uint32Array(buckets + 1)
  for (const id of ids) bucketStarts[bucketOf(id, buckets) + 1]!++
  for (let bucket = 0; bucket < buckets; bucket++) bucketStarts[bucket + 1]! += bucketStarts[bucket]!
  const ends = bucketStarts.slice()
  const terms = new Uint32Array(ids.length)
  for (let term = 0; term < ids.length; term++) {
    const bucket = bucketOf(ids[term]!, buckets)
    let place = ends[bucket]!++
    for (; place > bucketStarts[bucket]! && ids[terms[place - 1]!]! > ids[term]!; place--) {
      terms[place] = terms[place - 1]!
    }
    terms[place] = term
  }
  return { buckets, terms, bucketStarts }
}

/** The records at the end, each behind its checksum, and their table in front. */
function writeDocuments(into: ByteWriter, { targets, topics, records }: DocumentTable): void {
  const table = new Uint32Array(1 + 2 * targets.length + topics.length)
  table[0] = into.length
  records.forEach((record, slot) => {
    if (record !== '') {
      const bytes = new TextEncoder().encode(record)
      into.number(checksum(bytes))
      into.put(bytes, bytes.length)
    }
    table[slot + 1] = into.length
  })
  table.set(targets, 1 + targets.length)
  table.set(topics, 1 + 2 * targets.length)
  const bytes = new Uint8Array(table.buffer)
  into.bytes.set(new Uint8Array(Uint32Array.of(checksum(bytes)).buffer))
  into.bytes.set(bytes, 4)
}

class ByteWriter {
  bytes: Uint8Array
  length = 0

  constructor(room: number) {
    this.bytes = new Uint8Array(room)
  }

  get whole(): Uint8Array {
    return this.bytes.subarray(0, this.length)
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

  all(other: ByteWriter): void {
    this.put(other.bytes, other.length)
  }

  put(from: Uint8Array, size: number): void {
    this.reserve(size)
    const { bytes, length } = this
    // Most are so short that a loop is faster than a view.
    if (size > SHORT_LIST) bytes.set(from.subarray(0, size), length)
    else for (let at = 0; at < size; at++) bytes[length + at] = from[at]!
    this.length += size
  }

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(this.bytes.length * 1.5, this.length + more) | 0)
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}
