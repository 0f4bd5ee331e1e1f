import type { CacheKey, GrowingValue } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import { Segment } from '../../search/saved-library.ts'
import { openBuilt } from '../../search/segment-builder.ts'
import { foldSegments, SEGMENT_TEXT } from '../rules/fold-segments.ts'
import { buildParts } from './build-parts.ts'
import { encodeTable, FileIndex, type FileTable, NOWHERE } from './file-table.ts'
import { NO_REASON } from './listed-paths.ts'
import type { ListedFiles } from './listing.ts'
import { areSettled, STAMP_NUMBERS, sizeAt } from './stamps.ts'

/** An index, and the slot of each listed file in it; NOWHERE for a changed one. */
export interface PlacedFiles {
  saved: FileIndex
  slots: Int32Array
}

/**
 * Writes the index of these files, segment by segment, so that only a few are in memory. Copies segments of a known index;
 * reads only changed files and those of segments that are not worth keeping. If the cache is not writable, the result
 * stays in memory.
 */
export async function writeIndex(
  machine: Machine,
  key: CacheKey,
  { root, files, known }: { root: string; files: ListedFiles; known?: PlacedFiles },
): Promise<PlacedFiles> {
  const now = machine.now()
  const kept = known === undefined ? [] : keptSegments(known, files)
  const grown = machine.cache.grow(key)
  try {
    const writer = new IndexWriter(grown, kept, files)
    if (known !== undefined) writer.copy(known)
    await writer.addOthers(root, now)
    return writer.finish(known?.saved)
  } catch (error) {
    grown?.close()
    throw error
  }
}

function keptSegments({ saved, slots }: PlacedFiles, { stamps }: ListedFiles): Segment[] {
  const { table, segments } = saved
  const live = new Float64Array(table.keys.length)
  let changed = 0
  slots.forEach((slot, at) => {
    if (slot === NOWHERE) changed += sizeAt(stamps, at)
    else live[slot] = sizeAt(stamps, at)
  })
  let slot = 0
  const texts = segments.map(({ place }) => {
    const text = { all: 0, live: 0 }
    for (const end = slot + place.slots; slot < end; slot++) {
      text.live += live[slot]!
      text.all += sizeAt(table.stamps, slot) || 0
    }
    return text
  })
  const folded = foldSegments(texts, changed)
  return segments.filter((_, at) => !folded.has(at))
}

class IndexWriter {
  private readonly grown: GrowingValue | undefined
  private readonly kept: readonly Segment[]
  private readonly files: ListedFiles
  private readonly slots: Int32Array
  private readonly segments: Segment[] = []
  private table: FileTable = { keys: new Float64Array(0), stamps: new Float64Array(0), reasons: new Uint8Array(0) }
  private next = 0
  private end = 0
  private isWhole: boolean
  private isReadingOld = false

  constructor(grown: GrowingValue | undefined, kept: readonly Segment[], files: ListedFiles) {
    this.grown = grown
    this.kept = kept
    this.files = files
    this.slots = new Int32Array(files.paths.length).fill(NOWHERE)
    this.isWhole = grown !== undefined
  }

  /** Copies the kept segments, with the rows of the unchanged files. */
  copy({ saved, slots }: PlacedFiles): void {
    const moved = new Int32Array(saved.table.keys.length).fill(NOWHERE)
    let base = 0
    for (const segment of saved.segments) {
      const { slots } = segment.place
      for (let at = 0; at < slots && this.kept.includes(segment); at++) moved[base + at] = this.next++
      base += slots
    }
    let count = this.next
    slots.forEach((slot, at) => {
      if (slot !== NOWHERE) this.slots[at] = moved[slot]!
      if (this.slots[at] === NOWHERE) count++
    })
    this.reserve(count)
    slots.forEach((slot, at) => {
      const place = this.slots[at]!
      if (place === NOWHERE) return
      this.putRow(place, at)
      this.table.reasons[place] = saved.table.reasons[slot]!
    })
    for (const segment of this.kept) {
      const start = this.end
      if (this.grown && this.append(segment.all)) {
        this.segments.push(new Segment(this.grown.read, { ...segment.place, start }))
      } else {
        this.segments.push(segment)
        this.isReadingOld = true
      }
    }
  }

  /** Reads the files that have no slot yet. */
  async addOthers(root: string, now: Date): Promise<void> {
    if (this.table.keys.length === 0) this.reserve(this.files.paths.length)
    const others: { path: string; size: number }[] = []
    const first = this.next
    this.files.paths.forEach((path, at) => {
      if (this.slots[at] !== NOWHERE) return
      const slot = this.next++
      this.slots[at] = slot
      // A file that changed a moment ago could change again unseen.
      if (!areSettled(this.putRow(slot, at), now))
        this.table.stamps.fill(Number.NaN, slot * STAMP_NUMBERS, (slot + 1) * STAMP_NUMBERS)
      others.push({ path, size: sizeAt(this.files.stamps, at) })
    })
    let slot = first
    for await (const { built, reasons } of buildParts(root, others, SEGMENT_TEXT)) {
      this.table.reasons.set(reasons, slot)
      slot += reasons.length
      const start = this.end
      const isWritten = this.grown && this.append(built.bytes)
      this.segments.push(isWritten ? new Segment(this.grown!.read, { ...built.place, start }) : openBuilt(built))
    }
  }

  finish(known: FileIndex | undefined): PlacedFiles {
    const { grown, table, segments, slots } = this
    if (grown && this.append(encodeTable(table, segments))) grown.keep()
    if (!this.isReadingOld) known?.close()
    const close = () => {
      grown?.close()
      if (this.isReadingOld) known?.close()
    }
    return { saved: new FileIndex(table, segments, close), slots }
  }

  private append(bytes: Uint8Array): boolean {
    this.isWhole = this.isWhole && this.grown?.append(bytes) === true
    if (this.isWhole) this.end += bytes.length
    return this.isWhole
  }

  private reserve(count: number): void {
    this.table = {
      keys: new Float64Array(count).fill(Number.NaN),
      stamps: new Float64Array(count * STAMP_NUMBERS).fill(Number.NaN),
      reasons: new Uint8Array(count).fill(NO_REASON),
    }
  }

  private putRow(slot: number, at: number): Float64Array {
    this.table.keys[slot] = this.files.keys[at]!
    const stamp = this.files.stamps.subarray(at * STAMP_NUMBERS, (at + 1) * STAMP_NUMBERS)
    this.table.stamps.set(stamp, slot * STAMP_NUMBERS)
    return stamp
  }
}
