import { checksum, hashText } from '../text/values.ts'
import { type Analysis, analyze } from './analyze.ts'
import type { DocumentRecord, RankDocument, Tuning } from './document.ts'
import { type BuiltSegment, SegmentBuilder } from './segment-builder.ts'

/**
 * What is ranked. A document takes one slot for its own words and one for each topic it redirects. `targets` maps a slot
 * to the document whose score it adds to: its own document, the document a topic is redirected to, or none (-1).
 */
export interface Library {
  /** Number of documents. */
  readonly size: number
  readonly targets: ArrayLike<number>
  recordAt(slot: number): DocumentRecord
  find(term: string): PostingList | undefined
}

/** Documents in one segment, by id in code unit order. Records and terms are read on demand. */
export class SavedLibrary implements Library {
  readonly segment: Segment
  readonly size: number
  readonly targets: Int32Array
  private readonly topics: Uint32Array
  private readonly ends: Uint32Array
  private readonly records = new Map<number, DocumentRecord>()
  private readonly found = new Map<string, PostingList | undefined>()

  /** Throws DamagedForm. */
  constructor(segment: Segment) {
    this.segment = segment
    const { slots } = segment.place
    const table = segment.table()
    this.ends = table.subarray(0, slots + 1)
    this.targets = new Int32Array(table.buffer, table.byteOffset + 4 * (slots + 1), slots)
    this.topics = table.subarray(1 + 2 * slots)
    this.size = slots - this.topics.length
  }

  find(term: string): PostingList | undefined {
    if (this.found.has(term)) return this.found.get(term)
    // A task asks for the same term several times.
    if (this.found.size >= 4096) this.found.clear()
    const list = this.segment.find(term)?.list
    this.found.set(term, list)
    return list
  }

  recordAt(slot: number): DocumentRecord {
    let record = this.records.get(slot)
    if (record === undefined) {
      const bytes = this.segment.record(this.ends[slot]!, this.ends[slot + 1]!)
      // Loadout wrote these bytes, and they were verified.
      record = JSON.parse(new TextDecoder().decode(bytes)) as DocumentRecord
      this.records.set(slot, record)
    }
    return record
  }

  slotOf(id: string): number | undefined {
    let [low, high] = [0, this.targets.length]
    while (low < high) {
      let middle = (low + high) >>> 1
      // The slots of topics follow their document.
      while (this.isTopic(middle)) middle--
      const record = this.recordAt(middle)
      if (record.id === id) return middle
      if (record.id < id) low = middle + 1 + record.redirects.length
      else high = middle
    }
    return undefined
  }

  /** The topic slots that count for this document: redirected to it by others, or kept by it. */
  inbound(slot: number): number[] {
    return Array.from(this.topics).filter((topic) => this.targets[topic] === slot)
  }

  /** The slots of all documents. */
  slots(): number[] {
    return Array.from(this.targets.keys()).filter((slot) => !this.isTopic(slot))
  }

  private isTopic(slot: number): boolean {
    return this.ends[slot] === this.ends[slot + 1]
  }
}

/** A segment with these documents, together with those of another library that are not removed. */
export function buildLibrary(
  documents: readonly RankDocument[],
  tuning: Tuning,
  library?: SavedLibrary,
  removed?: ReadonlySet<string>,
): BuiltSegment {
  const builder = new SegmentBuilder(tuning)
  const all: { record: DocumentRecord; from: number | Analysis }[] = documents.map((document) => {
    const analysis = analyze(document, tuning.fields)
    return { record: analysis.record, from: analysis }
  })
  for (const from of library?.slots() ?? []) {
    const record = library!.recordAt(from)
    if (!removed?.has(record.id)) all.push({ record, from })
  }
  all.sort((a, b) => (a.record.id < b.record.id ? -1 : 1))
  const moved = new Int32Array(library?.targets.length ?? 0).fill(-1)
  const placed: PlacedRecord[] = []
  let slots = 0
  for (const { record, from } of all) {
    placed.push({ record, slot: slots })
    for (let topic = 0; topic <= record.redirects.length; topic++) {
      if (typeof from === 'number') moved[from + topic] = slots++
      else builder.add(slots++, from.texts[topic]!, from.factor)
    }
  }
  if (library !== undefined) builder.addSegment(library.segment, moved)
  const records = new Array<string>(slots).fill('')
  for (const { record, slot } of placed) records[slot] = JSON.stringify(record)
  const topics = [...records.keys()].filter((slot) => records[slot] === '')
  return builder.encode(slots, { targets: targetsOf(placed, slots), topics, records })
}

interface PlacedRecord {
  record: DocumentRecord
  slot: number
}

/** The target of each slot. The records are in the order of their ids. */
export function targetsOf(placed: readonly PlacedRecord[], slots: number): Int32Array {
  const byName = new Map<string, PlacedRecord[]>()
  for (const each of placed) {
    const name = each.record.name.toLowerCase()
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [each])
    else known.push(each)
  }
  const targets = new Int32Array(slots)
  for (const giver of placed) {
    const { record, slot } = giver
    targets[slot] = slot
    record.redirects.forEach(({ to, isDenied }, i) => {
      // Names may repeat: prefer the one in the same folder as the redirecting document, else the first by id.
      const named = (byName.get(to) ?? []).filter((each) => each !== giver)
      const receiver = named.find((each) => folderOf(each.record.id) === folderOf(record.id)) ?? named[0]
      // A topic redirected to a missing document stays with its author's document, unless that refuses it.
      targets[slot + 1 + i] = receiver?.slot ?? (isDenied ? -1 : slot)
    })
  }
  return targets
}

function folderOf(id: string): string {
  return id.slice(0, id.lastIndexOf('/') + 1)
}

/** The saved form of a library, with a note of the caller. */
export function saveLibrary({ bytes, place }: BuiltSegment, note: Uint8Array, tuning: Tuning): Uint8Array {
  const end = encodeEnd({ note, places: [{ ...place, start: 0 }], sum: checksum(bytes) }, tuning)
  const all = new Uint8Array(bytes.length + end.length)
  all.set(bytes)
  all.set(end, bytes.length)
  return all
}

/** Null when the bytes are stale or damaged. Damage that is found later throws DamagedForm. */
export function openLibrary(
  read: ReadBytes,
  size: number,
  tuning: Tuning,
): { library: SavedLibrary; note: Uint8Array; sum: number } | null {
  const form = openForm(read, size, tuning)
  if (form?.places.length !== 1) return null
  try {
    return { library: new SavedLibrary(new Segment(read, form.places[0]!)), ...form }
  } catch (error) {
    if (error instanceof DamagedForm) return null
    throw error
  }
}

// One posting is one integer of 28 bits: impact without long fields (12), impact with them (12), best field (3), in name
// (1). Impacts are saturated term frequencies in [0, 1), so they depend on their document alone and never need an
// update.

const SCALE = 4095

export function pack(strong: number, full: number, field: number, isName: boolean): number {
  return (Math.round(strong * SCALE) << 16) | (Math.round(full * SCALE) << 4) | (field << 1) | (isName ? 1 : 0)
}

export function strongImpact(packed: number): number {
  return (packed >>> 16) / SCALE
}

export function fullImpact(packed: number): number {
  return ((packed >>> 4) & SCALE) / SCALE
}

export function fieldOf(packed: number): number {
  return (packed >>> 1) & 7
}

export function isInName(packed: number): boolean {
  return (packed & 1) === 1
}

/** The same posting with an impact that is this much less without long fields, in its unit. */
function withLess(packed: number, less: number): number {
  const short = packed & 0xffff
  return (((short >>> 4) - less) << 16) | short
}

export function lessOf(packed: number): number {
  return ((packed >>> 4) & SCALE) - (packed >>> 16)
}

/** Slot, packed posting, slot, packed posting …, sorted by slot. */
export type PostingList = ArrayLike<number>

/** The postings of a term, and the pieces of each file that contain it, one bit each. */
export interface TermPostings {
  list: Uint32Array
  pieces: Uint32Array
}

/** The packed posting of a slot, or undefined. */
export function postingAt(list: PostingList, slot: number): number | undefined {
  let low = 0
  let high = (list.length >>> 1) - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = list[2 * middle]!
    if (found === slot) return list[2 * middle + 1]
    if (found < slot) low = middle + 1
    else high = middle - 1
  }
  return undefined
}

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
/** The bytes of a checksum. */
const SUM_BYTES = 4
/** A smaller segment is read at once: reading part by part would touch most of it anyway. */
const SMALL = 64 * 1024
const NO_BYTES = new Uint8Array(0)
const NO_PIECES = new Uint32Array(0)

// Many segments are asked for the same term.
const ids = new Map<string, number>()
/** Identifies a term without containing it: 48 bits, of which the upper 32 determine its bucket. */
export function termId(term: string): number {
  const hash = hashText(term)
  return ((hash ^ (hash >>> 15)) >>> 0) * 2 ** 16 + (hashText(term, 0x9747b28c) >>> 16)
}

function knownId(term: string): number {
  let id = ids.get(term)
  if (id === undefined) {
    if (ids.size >= 4096) ids.clear()
    id = termId(term)
    ids.set(term, id)
  }
  return id
}

/** The part of an id that determines its bucket: 32 bits. */
export function hashOf(id: number): number {
  return Math.floor(id / 2 ** 16)
}

export function bucketOf(id: number, buckets: number): number {
  return hashOf(id) & (buckets - 1)
}

/** A segment whose parts are read on demand. Whatever finds damaged bytes throws DamagedForm. */
export class Segment {
  readonly place: SegmentPlace
  isDamaged = false
  private readonly read: ReadBytes
  /** All bytes, if they are in memory or few, and the buckets of them that were verified. */
  private whole: Uint8Array | undefined
  private readonly verified: Uint8Array
  // The last bucket, as fields: an object for each would take longer than reading it. The list of its terms is a part of
  // these bytes; long postings start there in the segment.
  private bytes: Uint8Array = NO_BYTES
  private at = 0
  private end = 0
  private long = 0
  // The last term of it: the length of its postings.
  private size = 0

  constructor(read: ReadBytes, place: SegmentPlace, whole?: Uint8Array) {
    this.read = read
    this.place = place
    this.whole = whole
    this.verified = new Uint8Array(whole !== undefined || place.length <= SMALL ? place.buckets : 0)
  }

  /** `base`: the slot of its first document. Undefined: no document has the term. */
  find(term: string, base = 0): TermPostings | undefined {
    const id = knownId(term)
    const bucket = bucketOf(id, this.place.buckets)
    this.open(bucket)
    while (this.at < this.end) if (this.next() === id) return this.decode(bucket, base)
    return undefined
  }

  get all(): Uint8Array {
    return this.take(0, this.place.length)
  }

  /** The id of every term. */
  *ids(): Generator<number> {
    for (let bucket = 0; bucket < this.place.buckets; bucket++) {
      this.open(bucket)
      const found: number[] = []
      while (this.at < this.end) found.push(this.next())
      yield* found
    }
  }

  /** Every term. */
  *terms(): Generator<{ id: number; list: Uint32Array }> {
    for (let bucket = 0; bucket < this.place.buckets; bucket++) {
      const found: { id: number; list: Uint32Array }[] = []
      this.open(bucket)
      while (this.at < this.end) found.push({ id: this.next(), list: this.decode(bucket, 0).list })
      yield* found
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

  /** Reads the list of terms of a bucket. */
  private open(bucket: number): void {
    const { buckets, documents, length } = this.place
    if (this.whole === undefined && length <= SMALL) this.whole = this.take(0, length)
    const { whole } = this
    const table = documents + bucket * 4
    const bounds = whole ?? this.take(table, 8)
    const place = whole === undefined ? 0 : table
    const behindTable = documents + (buckets + 1) * 4
    const [start, end] = [behindTable + numberAt(bounds, place), behindTable + numberAt(bounds, place + 4)]
    if (end < start + HEAD || end > length) this.fail()
    // Most buckets are shorter, without their long postings.
    let bytes = whole ?? this.take(start, Math.min(end - start, 2048))
    const from = whole === undefined ? 0 : start
    const size = HEAD + numberAt(bytes, from)
    if (size > end - start) this.fail()
    if (from + size > bytes.length) bytes = this.take(start, size)
    if (this.verified[bucket] !== 1) {
      if (checksum(bytes.subarray(from + HEAD, from + size), bucket) !== numberAt(bytes, from + 4)) this.fail()
      if (whole !== undefined) this.verified[bucket] = 1
    }
    this.bytes = bytes
    this.at = from + HEAD
    this.end = from + size
    this.long = start + size
    this.size = 0
  }

  /** The id of the next term in the bucket; its postings or their checksum are then before `at`. */
  private next(): number {
    const { bytes } = this
    let at = this.at
    const id = numberAt(bytes, at) * 2 ** 16 + (bytes[at + 4]! | (bytes[at + 5]! << 8))
    // The bytes that identify a term in its bucket.
    at += 6
    if (this.size > SHORT_LIST) this.long += this.size
    let [size, shift] = [0, 0]
    for (; bytes[at]! > 127; at++, shift += 7) size |= (bytes[at]! & 127) << shift
    size |= bytes[at++]! << shift
    this.size = size
    this.at = at + (size > SHORT_LIST ? SUM_BYTES : size)
    return id
  }

  /** The postings of the last term. */
  private decode(bucket: number, base: number): TermPostings {
    let { bytes, size, at: end } = this
    let at = end - size
    if (size > SHORT_LIST) {
      const sum = numberAt(bytes, end - SUM_BYTES)
      bytes = this.take(this.long, size)
      if (checksum(bytes, bucket) !== sum) this.fail()
      at = 0
      end = size
    }
    const isOfFiles = this.place.documents === 0
    // Distance, impact and the last number of a posting take at least four bytes.
    const most = Math.floor(size / 4)
    const list = new Uint32Array(2 * most)
    const pieces = isOfFiles ? new Uint32Array(most) : NO_PIECES
    let [slot, count] = [base, 0]
    while (at < end) {
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
    return count === most ? { list, pieces } : { list: list.subarray(0, 2 * count), pieces: pieces.subarray(0, count) }
  }

  private take(from: number, length: number): Uint8Array {
    if (length < 0 || from + length > this.place.length) this.fail()
    if (this.whole !== undefined) return this.whole.subarray(from, from + length)
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
