import type { CacheKey } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import { encodeEnd, openForm, Segment, type TermPostings } from '../../search/saved-library.ts'
import { PROJECT_TUNING } from '../rules/file-document.ts'
import type { ListedFiles } from './listing.ts'
import { areSame, bytesOf, isSameStamp, STAMP_NUMBERS } from './stamps.ts'

// The index of a project in the cache: segments with the terms of some files each, and as its note the table of all
// files. A question reads the table and only the few parts of the segments that its words need.

/** The source files of the terms, by slot. */
export interface FileTable {
  /** Only the key of each path, see `keyOf`; NaN for a file that is gone or has another slot. */
  keys: Float64Array
  /** STAMP_NUMBERS of each; NaN for a file that changed too recently to detect its next change. */
  stamps: Float64Array
  /** Why a file has no terms: an index into LEFT_OUT, or NO_REASON. */
  reasons: Uint8Array
}

export const NOWHERE = -1
/** Of the postings that a process keeps for its next question. */
const MOST_BYTES = 16 * 1024 * 1024

/** The files of one segment have the slots after those of the segments before it. */
export class FileIndex {
  readonly table: FileTable
  readonly segments: readonly Segment[]
  readonly close: () => void
  private slots: Map<number, number> | undefined
  private readonly found = new Map<string, TermPostings | undefined>()
  private bytes = 0

  constructor(table: FileTable, segments: readonly Segment[], close: () => void) {
    this.table = table
    this.segments = segments
    this.close = close
  }

  /** The files with a term. Throws when the bytes are damaged. */
  find(term: string): TermPostings | undefined {
    if (this.found.has(term)) return this.found.get(term)
    let whole: TermPostings | undefined
    let base = 0
    for (const segment of this.segments) {
      whole = joinPostings(whole, segment.find(term, base))
      base += segment.place.slots
    }
    this.bytes += 64 + (whole === undefined ? 0 : 12 * whole.pieces.length)
    if (this.bytes > MOST_BYTES) {
      this.found.clear()
      this.bytes = 0
    }
    this.found.set(term, whole)
    return whole
  }

  /** The slot of a path, by its key. */
  slotOf(key: number): number {
    if (this.slots === undefined) {
      this.slots = new Map()
      const { keys } = this.table
      for (let slot = 0; slot < keys.length; slot++) if (!Number.isNaN(keys[slot])) this.slots.set(keys[slot]!, slot)
    }
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

/** The slots of the second come after those of the first. */
export function joinPostings(one: TermPostings | undefined, other: TermPostings | undefined): TermPostings | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const join = (a: Uint32Array, b: Uint32Array) => {
    const both = new Uint32Array(a.length + b.length)
    both.set(a)
    both.set(b, a.length)
    return both
  }
  return { list: join(one.list, other.list), pieces: join(one.pieces, other.pieces) }
}

// Of each file: the key, the stamp, the reason.
const FILE_BYTES = 8 + 8 * STAMP_NUMBERS + 1

/** The bytes after the segments. */
export function encodeTable({ keys, stamps, reasons }: FileTable, segments: readonly Segment[]): Uint8Array {
  const note = Buffer.concat([bytesOf(keys), bytesOf(stamps), reasons])
  return encodeEnd({ note, places: segments.map(({ place }) => place), sum: 0 }, PROJECT_TUNING)
}

/** Undefined if it is missing or damaged. */
export function openFileIndex(machine: Machine, key: CacheKey): FileIndex | undefined {
  const opened = machine.cache.open(key)
  if (opened === undefined) return undefined
  const form = openForm(opened.read, opened.size, PROJECT_TUNING)
  if (form === undefined) {
    opened.close()
    return undefined
  }
  const { note, places } = form
  const count = note.length / FILE_BYTES
  const keys = new Float64Array(note.buffer, note.byteOffset, count)
  const stamps = new Float64Array(note.buffer, note.byteOffset + 8 * count, count * STAMP_NUMBERS)
  const reasons = note.subarray(note.length - count)
  const segments = places.map((place) => new Segment(opened.read, place))
  return new FileIndex({ keys, stamps, reasons }, segments, () => opened.close())
}
