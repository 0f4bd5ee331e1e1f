import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  type CacheKey,
  isSettled,
  type OpenedValue,
  openCached,
  type Stamp,
  stampOf,
  sumOf,
  writeCached,
} from '../../machine/cache.ts'
import { readInside } from '../../machine/inside.ts'
import { cacheFolder, type Machine } from '../../machine/machine.ts'
import { normalizeText } from '../../text/lines.ts'
import { LARGEST_FILE, LEFT_OUT, type LeftOut, leftOutByText } from '../rules/candidates.ts'
import { documentOf } from '../rules/file-document.ts'
import type { ProjectTerms } from '../rules/rank-files.ts'
import { type ReadBytes, SavedTerms, type TermPostings, TermsBuilder, weighFile } from '../rules/terms-builder.ts'
import { NO_REASON } from './listed-paths.ts'
import type { ListedFile } from './listing.ts'
import { projectIndexKey } from './project-index-key.ts'

// The index of a project in the cache: which files it was made from, with their stamps, then their terms. A question
// reads the first part and the few places of the second that its words need. Files that changed since are read anew and
// put over it; when they are many, the index is written again. A process keeps what it has read for its next question.

export interface ProjectIndex extends ProjectTerms {
  leftOut: ReadonlyMap<LeftOut, number>
}

/** The files that the terms were made from, by slot. */
interface FileTable {
  /** Of a path only its key is kept: see `keyOf`. */
  keys: Float64Array
  /** NUMBERS of each; NaN for a file that had changed too recently to tell its next change. */
  stamps: Float64Array
  /** Why a file has no terms: a place in LEFT_OUT, or NO_REASON. */
  reasons: Uint8Array
}

interface Saved extends FileTable {
  slots: ReadonlyMap<number, number>
  terms: SavedTerms
  close(): void
}

const NUMBERS = 5

/** The text of a file of the project, or why it has none. */
function readProjectText(root: string, path: string): { text: string; bytes: Buffer } | { leftOut: LeftOut } {
  const { bytes } = readInside(root, path, { most: LARGEST_FILE })
  if (bytes === undefined) return { leftOut: 'unreadable' }
  if (bytes.includes(0) || !isUtf8(bytes)) return { leftOut: 'binary' }
  const text = normalizeText(bytes.toString('utf8'))
  const leftOut = leftOutByText(path, text)
  return leftOut === undefined ? { text, bytes } : { leftOut }
}

/** A file that is to be shown; undefined when it can no longer be read. */
export function readShown(root: string, path: string): { text: string; sha256: string } | undefined {
  const read = readProjectText(root, path)
  if (!('text' in read)) return undefined
  return { text: read.text, sha256: createHash('sha256').update(read.bytes).digest('hex') }
}

const FEW_FILES = 20
const FEW_BYTES = 256 * 1024
const FEW_SHARE = 0.02

/** Of one project: another one's takes its place. */
let held: { name: string; saved: Saved } | undefined

/** `isFresh`: what was saved is damaged. */
export function openIndex(machine: Machine, root: string, files: readonly ListedFile[], isFresh = false): ProjectIndex {
  const found = isFresh ? undefined : openSavedIndex(machine, root, files)
  if (found !== undefined) return found
  // Not held: the next question reads it from its file, of which it needs little.
  hold(nameOf(machine, root), undefined)
  return putOver(root, build(machine, projectIndexKey(root), root, files), files, [])
}

/** The index that is there, with what changed since put over it; undefined when it has to be built. */
export function openSavedIndex(machine: Machine, root: string, files: readonly ListedFile[]): ProjectIndex | undefined {
  const name = nameOf(machine, root)
  const saved = held?.name === name ? held.saved : openSaved(machine, projectIndexKey(root))
  if (saved === undefined) return undefined
  const changed = changedSince(saved, files)
  const bytes = changed.reduce((sum, { stat }) => sum + stat.size, 0)
  const all = files.reduce((sum, { stat }) => sum + stat.size, 0)
  const isSmall = changed.length <= FEW_FILES || bytes <= Math.max(FEW_BYTES, FEW_SHARE * all)
  if (!isSmall) {
    if (held?.saved !== saved) saved.close()
    return undefined
  }
  hold(name, saved)
  return putOver(root, saved, files, changed)
}

function nameOf(machine: Machine, root: string): string {
  return JSON.stringify([cacheFolder(machine), root])
}

function hold(name: string, saved: Saved | undefined): void {
  if (held !== undefined && held.saved !== saved) held.saved.close()
  held = saved && { name, saved }
}

function changedSince({ slots, stamps }: Saved, files: readonly ListedFile[]): ListedFile[] {
  return files.filter(({ key, stat }) => {
    const slot = slots.get(key)
    return slot === undefined || !isSame(stamps, slot * NUMBERS, stampOf(stat))
  })
}

function isSame(stamps: Float64Array, at: number, stamp: Stamp): boolean {
  for (let i = 0; i < NUMBERS; i++) if (stamps[at + i] !== stamp[i]) return false
  return true
}

function build(machine: Machine, key: CacheKey, root: string, files: readonly ListedFile[]): Saved {
  const now = machine.now()
  const builder = new TermsBuilder()
  const table: FileTable = {
    keys: Float64Array.from(files, (file) => file.key),
    stamps: new Float64Array(files.length * NUMBERS).fill(Number.NaN),
    reasons: new Uint8Array(files.length).fill(NO_REASON),
  }
  files.forEach(({ path, stat }, slot) => {
    const stamp = stampOf(stat)
    if (isSettled(stamp, now)) table.stamps.set(stamp, slot * NUMBERS)
    const read = readProjectText(root, path)
    if ('text' in read) builder.add(slot, documentOf(path, read.text))
    else table.reasons[slot] = LEFT_OUT.indexOf(read.leftOut)
  })
  const terms = builder.encode()
  writeCached(machine, key, encode(table, terms))
  return toSaved(
    table,
    (from, length) => terms.subarray(from, from + length),
    () => {},
  )
}

function toSaved(table: FileTable, read: ReadBytes, close: () => void): Saved {
  const slots = new Map<number, number>()
  table.keys.forEach((key, slot) => void slots.set(key, slot))
  return { ...table, slots, terms: new SavedTerms(read), close }
}

/** Files that are gone or changed lose their slot; changed and new ones get one behind the last. */
function putOver(
  root: string,
  saved: Saved,
  files: readonly ListedFile[],
  changed: readonly ListedFile[],
): ProjectIndex {
  const leftOut = new Map<LeftOut, number>()
  const count = (reason: LeftOut) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  const paths = new Array<string | undefined>(saved.keys.length).fill(undefined)
  const isChanged = new Set(changed)
  for (const file of files) {
    const slot = isChanged.has(file) ? undefined : saved.slots.get(file.key)
    if (slot === undefined) continue
    const reason = LEFT_OUT[saved.reasons[slot]!]
    if (reason === undefined) paths[slot] = file.path
    else count(reason)
  }
  const changedPaths = new Map(changed.map(({ key, path }) => [key, path]))
  const over = new Map<string, { list: number[]; pieces: number[] }>()
  for (const { path, key } of changed) {
    const read = readProjectText(root, path)
    if ('leftOut' in read) {
      count(read.leftOut)
      changedPaths.delete(key)
      continue
    }
    const slot = paths.push(path) - 1
    weighFile(documentOf(path, read.text), (term, packed, pieces) => {
      const found = over.get(term)
      if (found === undefined) over.set(term, { list: [slot, packed], pieces: [pieces] })
      else {
        found.list.push(slot, packed)
        found.pieces.push(pieces)
      }
    })
  }
  const pathOf = (key: number) => changedPaths.get(key) ?? paths[saved.slots.get(key) ?? -1]
  return { paths, pathOf, leftOut, find: (term) => merge(saved.terms.find(term), over.get(term)) }
}

function merge(
  base: TermPostings | undefined,
  over: { list: number[]; pieces: number[] } | undefined,
): TermPostings | undefined {
  if (over === undefined) return base
  return {
    list: Uint32Array.from([...(base?.list ?? []), ...over.list]),
    pieces: Uint32Array.from([...(base?.pieces ?? []), ...over.pieces]),
  }
}

// Two numbers: the files and the sum of the table; then keys, stamps and reasons, then the terms.
const HEAD = 8
const ROW = 8 + 8 * NUMBERS + 1

function encode({ keys, stamps, reasons }: FileTable, terms: Uint8Array): Uint8Array {
  const bytes = (array: Float64Array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const table = Buffer.concat([bytes(keys), bytes(stamps), reasons])
  const head = Uint32Array.of(keys.length, sumOf(table))
  return Buffer.concat([new Uint8Array(head.buffer), table, terms])
}

function openSaved(machine: Machine, key: CacheKey): Saved | undefined {
  const opened = openCached(machine, key)
  if (opened === undefined) return undefined
  try {
    const saved = readTable(opened)
    if (saved !== undefined) return saved
  } catch {
    // Damaged: it is made anew.
  }
  opened.close()
  return undefined
}

function readTable(opened: OpenedValue): Saved | undefined {
  const head = opened.read(0, HEAD)
  if (head.length < HEAD) return undefined
  const [count = 0, sum] = new Uint32Array(head.buffer, head.byteOffset, 2)
  if (HEAD + count * ROW > opened.size) return undefined
  const table = opened.read(HEAD, count * ROW)
  if (table.length !== count * ROW || sumOf(table) !== sum) return undefined
  const { buffer, byteOffset } = table
  const keys = new Float64Array(buffer, byteOffset, count)
  const stamps = new Float64Array(buffer, byteOffset + keys.byteLength, count * NUMBERS)
  const reasons = new Uint8Array(buffer, byteOffset + keys.byteLength + stamps.byteLength, count)
  const start = HEAD + count * ROW
  const read = (from: number, length: number) => opened.read(start + from, length)
  return toSaved({ keys, stamps, reasons }, read, () => opened.close())
}
