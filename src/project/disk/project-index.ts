import type { CacheKey, GrowingValue } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import { encodeEnd, openForm, Segment, type TermPostings } from '../../search/saved-library.ts'
import { openBuilt, SegmentBuilder } from '../../search/segment-builder.ts'
import { keyOf } from '../../text/values.ts'
import { projectIndexKey } from '../has-index.ts'
import { LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { documentOf, PROJECT_TUNING } from '../rules/file-document.ts'
import { foldSegments, SEGMENT_TEXT } from '../rules/fold-segments.ts'
import type { ProjectTerms } from '../rules/signals.ts'
import { buildParts } from './build-parts.ts'
import { NO_REASON } from './listed-paths.ts'
import type { ListedFiles } from './listing.ts'
import { readProjectText } from './project-text.ts'
import { areSame, areSettled, bytesOf, isSameStamp, STAMP_NUMBERS, sizeAt } from './stamps.ts'

// The current index of a project: the saved one, overlaid with the files that changed since. Many changes are added to
// the saved index. A process keeps what it has read for its next question.

export interface ProjectIndex extends ProjectTerms {
  /** The files that have terms, by path. */
  candidates: readonly string[]
  leftOut: ReadonlyMap<LeftOut, number>
}

/** Of one project: another one replaces it. */
let held: { name: string; saved: FileIndex } | undefined

/** `isFresh`: the saved index is damaged. */
export async function openProjectIndex(
  machine: Machine,
  root: string,
  files: ListedFiles,
  isFresh = false,
): Promise<ProjectIndex> {
  const name = nameOf(machine, root)
  if (isFresh) release()
  const saved = isFresh ? undefined : openKnown(machine, root)
  const known = saved && { saved, slots: saved.slotsOf(files) }
  if (known !== undefined) {
    const { bytes, all } = changesOf(known.slots, files)
    hold(name, known.saved)
    // A little changed text is read again for every question: saving it would take longer.
    if (bytes <= Math.max(64 * 1024, 0.003 * all)) return putOver(root, known.saved, files, known.slots)
  }
  const written = await writeIndex(machine, projectIndexKey(root), { root, files, known })
  // It closes its source.
  held = { name, saved: written.saved }
  return putOver(root, written.saved, files, written.slots)
}

/** From the existing index; undefined without one, or after many changes. */
export function openFewChanged(machine: Machine, root: string, files: ListedFiles): ProjectIndex | undefined {
  const saved = openKnown(machine, root)
  if (saved === undefined) return undefined
  hold(nameOf(machine, root), saved)
  const slots = saved.slotsOf(files)
  const { count, bytes, all } = changesOf(slots, files)
  // A hook, which never writes, answers only if few files changed.
  const isFew = count <= 20 || bytes <= Math.max(256 * 1024, 0.02 * all)
  return isFew ? putOver(root, saved, files, slots) : undefined
}

/** Of a few files, read now; saves nothing. */
export function indexOfFew(root: string, paths: readonly string[]): ProjectIndex {
  const [none, stamps] = [new Float64Array(0), new Float64Array(0)]
  const nothing = new FileIndex({ keys: none, stamps, reasons: new Uint8Array(0) }, [], () => {})
  const files = { paths, keys: Float64Array.from(paths, keyOf), stamps }
  return putOver(root, nothing, files, new Int32Array(paths.length).fill(NOWHERE))
}

/** Undefined if it is missing or damaged. */
function openKnown(machine: Machine, root: string): FileIndex | undefined {
  if (held?.name === nameOf(machine, root)) return held.saved
  const opened = machine.cache.open(projectIndexKey(root))
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

function nameOf(machine: Machine, root: string): string {
  return JSON.stringify([machine.cacheFolder, root])
}

function hold(name: string, saved: FileIndex): void {
  if (held?.saved !== saved) release()
  held = { name, saved }
}

function release(): void {
  held?.saved.close()
  held = undefined
}

function changesOf(slots: Int32Array, { stamps }: ListedFiles): { count: number; bytes: number; all: number } {
  const changes = { count: 0, bytes: 0, all: 0 }
  for (let at = 0; at < slots.length; at++) {
    changes.all += sizeAt(stamps, at)
    if (slots[at] !== NOWHERE) continue
    changes.count++
    changes.bytes += sizeAt(stamps, at)
  }
  return changes
}

/** Reads files without a slot into one more segment. */
function putOver(root: string, saved: FileIndex, files: ListedFiles, slots: Int32Array): ProjectIndex {
  const leftOut = new Map<LeftOut, number>()
  const count = (reason: LeftOut) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  const base = saved.table.keys.length
  const paths = new Array<string | undefined>(base).fill(undefined)
  const candidates: string[] = []
  const over = new SegmentBuilder(PROJECT_TUNING)
  const slotsOver = new Map<number, number>()
  files.paths.forEach((path, at) => {
    const slot = slots[at]!
    const reason = slot === NOWHERE ? undefined : LEFT_OUT[saved.table.reasons[slot]!]
    const read = slot === NOWHERE ? readProjectText(root, path) : undefined
    if (reason !== undefined) count(reason)
    else if (read === undefined) paths[slot] = path
    else if ('leftOut' in read) count(read.leftOut)
    else {
      slotsOver.set(files.keys[at]!, paths.length)
      over.add(paths.length - base, documentOf(path, read.text))
      paths.push(path)
    }
    if (reason === undefined && (read === undefined || 'text' in read)) candidates.push(path)
  })
  const slotOf = (key: number) => slotsOver.get(key) ?? saved.slotOf(key)
  const own = slotsOver.size > 0 ? openBuilt(over.encode(slotsOver.size)) : undefined
  const find = (term: string) => (own ? joinPostings(saved.find(term), own.find(term, base)) : saved.find(term))
  return { paths, candidates, leftOut, slotOf, find }
}

// The index of a project in the cache: segments with the terms of some files each, and as its note the table of all
// files. A question reads the table and only the few parts of the segments that its words need.

/** The source files of the terms, by slot. */
interface FileTable {
  /** Only the key of each path, see `keyOf`; NaN for a file that is gone or has another slot. */
  keys: Float64Array
  /** STAMP_NUMBERS of each; NaN for a file that changed too recently to detect its next change. */
  stamps: Float64Array
  /** Why a file has no terms: an index into LEFT_OUT, or NO_REASON. */
  reasons: Uint8Array
}

const NOWHERE = -1
/** Of the postings that a process keeps for its next question. */
const MOST_BYTES = 16 * 1024 * 1024

/** The files of one segment have the slots after those of the segments before it. */
class FileIndex {
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
function joinPostings(one: TermPostings | undefined, other: TermPostings | undefined): TermPostings | undefined {
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

/** An index, and the slot of each listed file in it; NOWHERE for a changed one. */
interface PlacedFiles {
  saved: FileIndex
  slots: Int32Array
}

/**
 * Writes the index of these files, segment by segment, so that only a few are in memory. Copies segments of a known index;
 * reads only changed files and those of segments that are not worth keeping. If the cache is not writable, the result
 * stays in memory.
 */
async function writeIndex(
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
    const note = Buffer.concat([bytesOf(table.keys), bytesOf(table.stamps), table.reasons])
    const places = segments.map(({ place }) => place)
    if (grown && this.append(encodeEnd({ note, places, sum: 0 }, PROJECT_TUNING))) grown.keep()
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
