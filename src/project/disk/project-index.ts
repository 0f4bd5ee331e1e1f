import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  type CacheKey,
  isSettled,
  type OpenedValue,
  openCached,
  type Stamp,
  stampOf,
  writeCached,
} from '../../machine/cache.ts'
import { readInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { normalizeText } from '../../text/lines.ts'
import { hashText, keyOf } from '../../text/values.ts'
import { LARGEST_FILE, type LeftOut, leftOutByText } from '../rules/candidates.ts'
import { documentOf } from '../rules/file-document.ts'
import type { ProjectTerms } from '../rules/rank-files.ts'
import { SavedTerms, type TermPostings, TermsBuilder, weighFile } from '../rules/terms-builder.ts'
import type { ListedFile } from './listing.ts'

// The index of a project in the cache: which files it was made from, with their stamps, then their terms. A question
// reads the first part and the few places of the second that its words need. Files that changed since are read anew and
// put over it; when they are many, the index is written again.

/** Raise it when the same files would give other terms. */
const VERSION = 2

export interface ProjectIndex extends ProjectTerms {
  leftOut: ReadonlyMap<LeftOut, number>
  close(): void
}

/** Of a path only its key is kept: see `keyOf`. */
type TableRow = readonly [key: number, stamp: Stamp | null, leftOut: LeftOut | null]

interface Saved {
  rows: readonly TableRow[]
  terms: SavedTerms
  close(): void
}

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

export function openIndex(machine: Machine, root: string, files: readonly ListedFile[], isFresh = false): ProjectIndex {
  const key: CacheKey = { kind: 'project', version: VERSION, name: [root] }
  const saved = isFresh ? undefined : openSaved(machine, key)
  const changed = saved === undefined ? files : changedSince(saved.rows, files)
  const bytes = changed.reduce((sum, { stat }) => sum + stat.size, 0)
  const all = files.reduce((sum, { stat }) => sum + stat.size, 0)
  const isSmall = changed.length <= FEW_FILES || bytes <= Math.max(FEW_BYTES, FEW_SHARE * all)
  if (saved !== undefined && isSmall) return putOver(root, saved, files, changed)
  saved?.close()
  return build(machine, key, root, files)
}

function changedSince(rows: readonly TableRow[], files: readonly ListedFile[]): ListedFile[] {
  const stamps = new Map(rows.map(([key, stamp]) => [key, stamp]))
  return files.filter(({ path, stat }) => {
    const stamp = stamps.get(keyOf(path))
    return stamp === undefined || stamp === null || !isSame(stamp, stampOf(stat))
  })
}

function isSame(a: Stamp, b: Stamp): boolean {
  return a.every((number, at) => number === b[at])
}

function build(machine: Machine, key: CacheKey, root: string, files: readonly ListedFile[]): ProjectIndex {
  const now = machine.now()
  const builder = new TermsBuilder()
  const rows = files.map(({ path, stat }, slot): TableRow => {
    const stamp = stampOf(stat)
    const read = readProjectText(root, path)
    if ('text' in read) builder.add(slot, documentOf(path, read.text))
    return [keyOf(path), isSettled(stamp, now) ? stamp : null, 'text' in read ? null : read.leftOut]
  })
  const terms = builder.encode()
  writeCached(machine, key, encode(rows, terms))
  const read = (from: number, length: number) => terms.subarray(from, from + length)
  return putOver(root, { rows, terms: new SavedTerms(read), close() {} }, files, [])
}

/** Files that are gone or changed lose their slot; changed and new ones get one behind the last. */
function putOver(
  root: string,
  saved: Saved,
  files: readonly ListedFile[],
  changed: readonly ListedFile[],
): ProjectIndex {
  const kept = new Map(files.map(({ path }) => [keyOf(path), path]))
  for (const { path } of changed) kept.delete(keyOf(path))
  const leftOut = new Map<LeftOut, number>()
  const count = (reason: LeftOut) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  const paths: (string | undefined)[] = saved.rows.map(([key, , reason]) => {
    const path = kept.get(key)
    if (path === undefined || reason === null) return path
    count(reason)
    return undefined
  })
  const over = new Map<string, { list: number[]; pieces: number[] }>()
  for (const { path } of changed) {
    const read = readProjectText(root, path)
    if ('leftOut' in read) {
      count(read.leftOut)
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
  const find = (term: string) => merge(saved.terms.find(term), over.get(term))
  return { paths, leftOut, find, close: () => saved.close() }
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

const HEAD = 8

function encode(rows: readonly TableRow[], terms: Uint8Array): Uint8Array {
  const table = new TextEncoder().encode(JSON.stringify(rows))
  const bytes = new Uint8Array(HEAD + table.length + terms.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, table.length, true)
  view.setUint32(4, hashBytes(table), true)
  bytes.set(table, HEAD)
  bytes.set(terms, HEAD + table.length)
  return bytes
}

function openSaved(machine: Machine, key: CacheKey): Saved | undefined {
  const opened = openCached(machine, key)
  if (opened === undefined) return undefined
  try {
    const rows = readTable(opened)
    if (rows !== undefined) return rows
  } catch {
    // Damaged: it is made anew.
  }
  opened.close()
  return undefined
}

function readTable(opened: OpenedValue): Saved | undefined {
  const head = opened.read(0, HEAD)
  if (head.length < HEAD) return undefined
  const view = new DataView(head.buffer, head.byteOffset, HEAD)
  const size = view.getUint32(0, true)
  const table = opened.read(HEAD, size)
  if (table.length !== size || hashBytes(table) !== view.getUint32(4, true)) return undefined
  const rows: unknown = JSON.parse(new TextDecoder().decode(table))
  if (!Array.isArray(rows)) return undefined
  const start = HEAD + size
  const terms = new SavedTerms((from, length) => opened.read(start + from, length))
  return { rows: rows as TableRow[], terms, close: () => opened.close() }
}

function hashBytes(bytes: Uint8Array): number {
  return hashText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))
}
