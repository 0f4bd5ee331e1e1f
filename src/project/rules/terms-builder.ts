import type { FieldedText } from '../../search/analyze.ts'
import { Lexicon } from '../../search/lexicon.ts'
import { Weigher } from '../../search/library.ts'
import { fieldOf, fullImpact, isInName, pack } from '../../search/term-index.ts'
import { hashText } from '../../text/values.ts'
import { PROJECT_TUNING } from './file-document.ts'

// The saved terms of a project: a table of buckets by the hash of a term, then the buckets one after the other. A bucket
// holds its terms, each with its postings, so that a question reads two small places for each of its words. Of a term
// only two hashes are kept: what stands in a file, such as a password, cannot be read from the cache. A posting is the
// distance to the slot before it, 12 bits of impact, 3 of the field, 1 for the name, and the pieces it stands in.

const CHUNK = 1 << 20
const NUMBERS = 4

/** Collects the postings of files. Memory grows in chunks: doubling would need twice as much at the end. */
export class TermsBuilder {
  private readonly lexicon = new Lexicon()
  private readonly weigher = new Weigher(this.lexicon, PROJECT_TUNING)
  private readonly chunks: Uint32Array[] = []
  private end = 0

  add(slot: number, document: FieldedText): void {
    this.weigher.visit(document, 1, (term, packed, pieces) => this.append(term, slot, shorten(packed), pieces))
  }

  private append(term: number, slot: number, short: number, pieces: number): void {
    const at = this.end % CHUNK
    if (at === 0) this.chunks.push(new Uint32Array(CHUNK))
    const chunk = this.chunks[this.chunks.length - 1]!
    chunk[at] = term
    chunk[at + 1] = slot
    chunk[at + 2] = short
    chunk[at + 3] = pieces
    this.end += NUMBERS
  }

  /** Postings of a term come in the order of their slots, if files were added in that order. */
  encode(): Uint8Array {
    const places = this.sortByTerm()
    const starts = places.starts
    const order = bucketOrder(this.lexicon)
    const bytes = new ByteWriter(this.end * 2 + this.lexicon.size * 12 + 64)
    const table = new Uint32Array(order.buckets + 1)
    let next = 0
    for (let bucket = 0; bucket < order.buckets; bucket++) {
      table[bucket] = bytes.length
      for (; next < order.terms.length && order.bucketOf(order.terms[next]!) === bucket; next++) {
        this.encodeTerm(order.terms[next]!, places.sorted, starts, bytes)
      }
    }
    table[order.buckets] = bytes.length
    const head = new Uint32Array(2)
    head[0] = order.buckets
    head[1] = sumOf(new Uint8Array(table.buffer))
    return join([new Uint8Array(head.buffer), new Uint8Array(table.buffer), bytes.done()])
  }

  private encodeTerm(term: number, sorted: Uint32Array, starts: Uint32Array, bytes: ByteWriter): void {
    const list = new ByteWriter(64)
    let slot = 0
    for (let i = starts[term]!; i < starts[term + 1]!; i++) {
      const at = sorted[i]! * NUMBERS
      const chunk = this.chunks[Math.floor(at / CHUNK)]!
      const place = at % CHUNK
      list.number(chunk[place + 1]! - slot)
      slot = chunk[place + 1]!
      list.byte(chunk[place + 2]! & 255)
      list.byte(chunk[place + 2]! >>> 8)
      list.number(chunk[place + 3]!)
    }
    const postings = list.done()
    bytes.number(nameOfTerm(this.lexicon.textOf(term)))
    bytes.number(postings.length)
    bytes.number(sumOf(postings))
    bytes.all(postings)
  }

  private sortByTerm(): { starts: Uint32Array; sorted: Uint32Array } {
    const count = this.end / NUMBERS
    const starts = new Uint32Array(this.lexicon.size + 1)
    this.visitTerms((term) => void starts[term + 1]!++)
    for (let term = 0; term < this.lexicon.size; term++) starts[term + 1]! += starts[term]!
    const next = starts.slice()
    const sorted = new Uint32Array(count)
    this.visitTerms((term, at) => {
      sorted[next[term]!++] = at
    })
    return { starts, sorted }
  }

  private visitTerms(visit: (term: number, at: number) => void): void {
    let at = 0
    for (const chunk of this.chunks) {
      for (let i = 0; i < CHUNK && at * NUMBERS < this.end; i += NUMBERS, at++) visit(chunk[i]!, at)
    }
  }
}

/** Which terms stand in which bucket: about one each, in the order of buckets, then of numbers. */
function bucketOrder(lexicon: Lexicon) {
  let buckets = 1
  while (buckets < lexicon.size) buckets *= 2
  const hashes = Uint32Array.from({ length: lexicon.size }, (_, term) => bucketOfTerm(lexicon.textOf(term), buckets))
  const terms = Uint32Array.from({ length: lexicon.size }, (_, term) => term).sort((a, b) => hashes[a]! - hashes[b]!)
  return { buckets, terms, bucketOf: (term: number) => hashes[term]! }
}

function bucketOfTerm(term: string, buckets: number): number {
  const hash = hashText(term)
  return (hash ^ (hash >>> 15)) & (buckets - 1)
}

const SECOND = 0x9747b28c

/** Tells the terms of a bucket apart; by another hash than the one that chose the bucket. */
function nameOfTerm(term: string): number {
  return hashText(term, SECOND)
}

// 12 bits of impact, 3 of field, 1 for the name.
function shorten(packed: number): number {
  return (Math.round(fullImpact(packed) * IMPACTS) << 4) | (fieldOf(packed) << 1) | Number(isInName(packed))
}

const IMPACTS = 4095

/** As the engine packs it. Related words are not used for projects, so an impact without the body is not kept. */
function lengthen(short: number): number {
  const impact = (short >>> 4) / IMPACTS
  return pack(impact, impact, (short >>> 1) & 7, (short & 1) === 1)
}

/** The postings of one file, as they come back from the saved form. */
export function weighFile(document: FieldedText, visit: (term: string, packed: number, pieces: number) => void): void {
  const lexicon = new Lexicon()
  new Weigher(lexicon, PROJECT_TUNING).visit(document, 1, (term, packed, pieces) =>
    visit(lexicon.textOf(term), lengthen(shorten(packed)), pieces),
  )
}

export interface TermPostings {
  /** Slot, packed posting, slot, packed posting …, sorted by slot. */
  list: Uint32Array
  /** The pieces of each. */
  pieces: Uint32Array
}

/** Reads a part of the saved terms; fewer bytes where they end. */
export type ReadBytes = (from: number, length: number) => Uint8Array

export class SavedTerms {
  private readonly read: ReadBytes
  private readonly buckets: number

  constructor(read: ReadBytes) {
    this.read = read
    this.buckets = numberAt(read(0, 4), 0)
  }

  /** Undefined: no file has the term. Throws when the bytes are damaged. */
  find(term: string): TermPostings | undefined {
    if (this.buckets < 1) throw damaged()
    const place = this.read(8 + bucketOfTerm(term, this.buckets) * 4, 8)
    const base = 8 + (this.buckets + 1) * 4
    const [from, to] = [numberAt(place, 0), numberAt(place, 4)]
    if (to < from) throw damaged()
    if (to === from) return undefined
    const bytes = this.read(base + from, to - from)
    if (bytes.length !== to - from) throw damaged()
    return findInBucket(bytes, nameOfTerm(term))
  }
}

function damaged(): Error {
  return new Error('the saved terms are damaged')
}

function findInBucket(bytes: Uint8Array, name: number): TermPostings | undefined {
  const reader = new ByteReader(bytes)
  while (!reader.isAtEnd) {
    const found = reader.number()
    const size = reader.number()
    const sum = reader.number()
    const postings = reader.take(size)
    if (found !== name) continue
    if (sumOf(postings) !== sum) throw damaged()
    return decodePostings(postings)
  }
  return undefined
}

function decodePostings(bytes: Uint8Array): TermPostings {
  const reader = new ByteReader(bytes)
  const list: number[] = []
  const pieces: number[] = []
  let slot = 0
  while (!reader.isAtEnd) {
    slot += reader.number()
    const low = reader.byte()
    list.push(slot, lengthen(low | (reader.byte() << 8)))
    pieces.push(reader.number())
  }
  return { list: Uint32Array.from(list), pieces: Uint32Array.from(pieces) }
}

function numberAt(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + 4) throw damaged()
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

function sumOf(bytes: Uint8Array): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
  return sum >>> 0
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

class ByteWriter {
  length = 0
  private bytes: Uint8Array

  constructor(room: number) {
    this.bytes = new Uint8Array(room)
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** Seven bits a byte, the lowest first. */
  number(value: number): void {
    let rest = value >>> 0
    for (; rest > 127; rest >>>= 7) this.byte((rest & 127) | 128)
    this.byte(rest)
  }

  all(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  done(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private reserve(more: number): void {
    const larger = new Uint8Array(Math.max(this.bytes.length * 1.5, this.length + more) | 0)
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}

class ByteReader {
  private at = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length
  }

  byte(): number {
    if (this.isAtEnd) throw damaged()
    return this.bytes[this.at++]!
  }

  number(): number {
    let [value, shift] = [0, 0]
    for (;;) {
      const byte = this.byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
      shift += 7
    }
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw damaged()
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }
}
