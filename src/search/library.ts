import { checksum } from '../text/values.ts'
import { type Analysis, analyze } from './analyze.ts'
import type { DocumentRecord, RankDocument } from './document.ts'
import type { PostingList } from './postings.ts'
import { DamagedForm, encodeEnd, openForm, type ReadBytes, Segment } from './saved-form.ts'
import { type BuiltSegment, SegmentBuilder } from './segment-builder.ts'
import type { Tuning } from './tuning.ts'

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

// A task asks for the same term several times.
const MOST_FOUND = 4096

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
    if (this.found.size >= MOST_FOUND) this.found.clear()
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
