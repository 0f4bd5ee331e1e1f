import { type CacheKey, type OpenedValue, openCached, sumOf } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import { type ReadBytes, SavedSegment, type SegmentPlace, type TermPostings } from '../rules/saved-segment.ts'
import type { ListedFiles } from './listing.ts'
import { areSame, bytesOf, isSameStamp, STAMP_NUMBERS } from './stamps.ts'

// The index of a project in the cache: segments with the terms of some files each, then the table of all files. A
// question reads the table and only the few parts of the segments that its words need.

/** The source files of the terms, by slot. */
export interface FileTable {
  /** Only the key of each path, see `keyOf`; NaN for a file that is gone or has another slot. */
  keys: Float64Array
  /** STAMP_NUMBERS of each; NaN for a file that changed too recently to detect its next change. */
  stamps: Float64Array
  /** Why a file has no terms: an index into LEFT_OUT, or NO_REASON. */
  reasons: Uint8Array
}

/** The files of a segment have the slots from `base` on. */
export interface Segment extends SegmentPlace {
  read: ReadBytes
  base: number
  files: number
}

export const NOWHERE = -1

export class SavedIndex {
  readonly table: FileTable
  readonly segments: readonly Segment[]
  readonly close: () => void
  private readonly terms: readonly SavedSegment[]
  private slots: ReadonlyMap<number, number> | undefined

  constructor(table: FileTable, segments: readonly Segment[], close: () => void) {
    this.table = table
    this.segments = segments
    this.close = close
    this.terms = segments.map(({ read, ...place }) => new SavedSegment(read, place))
  }

  /** Throws when the bytes are damaged. */
  find(term: string): TermPostings[] {
    return this.terms.flatMap((segment, at) => segment.find(term, this.segments[at]!.base) ?? [])
  }

  /** The slot of a path, by its key. */
  slotOf(key: number): number {
    this.slots ??= slotsByKey(this.table.keys)
    return this.slots.get(key) ?? NOWHERE
  }

  /** The slot of each unchanged file; NOWHERE for others. */
  slotsOf({ paths, keys, stamps }: ListedFiles): Int32Array {
    const slots = new Int32Array(paths.length)
    if (areSame(this.table.keys, keys) && areSame(this.table.stamps, stamps)) return slots.map((_, at) => at)
    slots.fill(NOWHERE)
    // Most files have the same order as before: only others are looked up.
    for (let at = 0, next = 0; at < paths.length; at++) {
      const slot = this.table.keys[next] === keys[at] ? next : this.slotOf(keys[at]!)
      if (slot === NOWHERE) continue
      if (isSameStamp(this.table.stamps, slot, stamps, at)) slots[at] = slot
      next = slot + 1
    }
    return slots
  }
}

function slotsByKey(keys: Float64Array): Map<number, number> {
  const slots = new Map<number, number>()
  for (let slot = 0; slot < keys.length; slot++) if (!Number.isNaN(keys[slot])) slots.set(keys[slot]!, slot)
  return slots
}

// For each segment: start, length, buckets, files. Then keys, stamps and reasons of all files. At the end the number of
// segments, the number of files, and the checksum of all this.
const PLACE = 4
const FILE_BYTES = 8 + 8 * STAMP_NUMBERS + 1
const END_BYTES = 12

export function encodeTable({ keys, stamps, reasons }: FileTable, segments: readonly Segment[]): Uint8Array {
  const places = Float64Array.from(
    segments.flatMap(({ start, length, buckets, files }) => [start, length, buckets, files]),
  )
  const table = Buffer.concat([bytesOf(places), bytesOf(keys), bytesOf(stamps), reasons])
  const end = Uint32Array.of(segments.length, keys.length, sumOf(table))
  return Buffer.concat([table, new Uint8Array(end.buffer)])
}

/** Undefined if it is missing or damaged. */
export function openSavedIndex(machine: Machine, key: CacheKey): SavedIndex | undefined {
  const opened = openCached(machine, key)
  if (opened === undefined) return undefined
  try {
    const saved = readTable(opened)
    if (saved !== undefined) return saved
  } catch {
    // Damaged: rebuild it.
  }
  opened.close()
  return undefined
}

function readTable(opened: OpenedValue): SavedIndex | undefined {
  const end = opened.size - END_BYTES
  if (end < 0) return undefined
  const [segmentCount = 0, count = 0, sum] = numbersOf(opened.read(end, END_BYTES), Uint32Array, 3)
  const length = segmentCount * PLACE * 8 + count * FILE_BYTES
  if (length > end) return undefined
  const bytes = opened.read(end - length, length)
  if (bytes.length !== length || sumOf(bytes) !== sum) return undefined
  const places = numbersOf(bytes, Float64Array, segmentCount * PLACE)
  const keys = numbersOf(bytes.subarray(places.byteLength), Float64Array, count)
  const stamps = numbersOf(bytes.subarray(places.byteLength + keys.byteLength), Float64Array, count * STAMP_NUMBERS)
  const reasons = bytes.subarray(length - count)
  const segments: Segment[] = []
  for (let at = 0, base = 0; at < segmentCount; at++) {
    const [start = 0, size = 0, buckets = 0, files = 0] = places.subarray(at * PLACE)
    segments.push({ read: opened.read, start, length: size, buckets, base, files })
    base += files
  }
  return new SavedIndex({ keys, stamps, reasons }, segments, () => opened.close())
}

function numbersOf<T>(
  { buffer, byteOffset }: Uint8Array,
  Numbers: new (buffer: ArrayBufferLike, byteOffset: number, length: number) => T,
  length: number,
): T {
  return new Numbers(buffer, byteOffset, length)
}
