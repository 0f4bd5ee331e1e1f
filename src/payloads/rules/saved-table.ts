import { hashText, isRecord } from '../../text/values.ts'
import { assembleTable, type CompiledTable } from './dispatch-table.ts'
import { isUsable, type LoadoutEntry } from './loadout-index.ts'
import { TermIndex } from './term-index.ts'

// A compiled table as bytes: a JSON head, tables of numbers, then every entry as JSON, addressed by its offset.
// Opening it reads the head and the tables; an entry is read only when a task matches it.
const MAGIC = 'loadout-table-2\n'
const PREFIX = MAGIC.length + 16

/** Reads bytes of a stored table; returns fewer than requested at its end. */
export type ReadBytes = (from: number, length: number) => Uint8Array

/** The tables of numbers, in the order of the file. */
const TABLES = [
  'core',
  'keywordCounts',
  'costs',
  'keywordStarts',
  'keywordPositions',
  'patternStarts',
  'patternPositions',
  'checks',
  'offsets',
] as const

type Tables = Record<(typeof TABLES)[number], Uint32Array>

export function saveTable(table: CompiledTable, meta: unknown): Uint8Array[] {
  const encoder = new TextEncoder()
  const offsets = new Uint32Array(table.size + 1)
  const checks = new Uint32Array(table.size)
  const entries: Uint8Array[] = []
  for (let position = 0; position < table.size; position++) {
    const text = JSON.stringify(table.entryAt(position))
    const bytes = encoder.encode(text)
    entries.push(bytes)
    checks[position] = checkOf(text)
    offsets[position + 1] = offsets[position]! + bytes.length
  }
  const { buckets: keywords } = table.keywords
  const { buckets: patterns } = table.patterns
  const tables: Tables = {
    core: Uint32Array.from(table.core),
    keywordCounts: table.keywordCounts,
    costs: table.costs,
    keywordStarts: keywords.starts,
    keywordPositions: keywords.positions,
    patternStarts: patterns.starts,
    patternPositions: patterns.positions,
    checks,
    offsets,
  }
  const inOrder = TABLES.map((name) => tables[name])
  const lengths = inOrder.map(({ length }) => length)
  const longestRuns = [keywords.longestRun, patterns.longestRun]
  const text = JSON.stringify({ meta, longestRuns, lengths, sum: sumOf(inOrder) })
  const head = encoder.encode(text)
  const prefix = encoder.encode(MAGIC + hex(head.length) + hex(hashText(text)))
  return [prefix, head, ...inOrder.map(bytesOf), ...entries]
}

export interface SavedHead {
  meta: unknown
  lengths: number[]
  longestRuns: number[]
  sum: number
  tablesFrom: number
}

/** The stored head, if these are the bytes of a table. Cheap: shows whether the rest is worth reading. */
export function readHead(read: ReadBytes): SavedHead | undefined {
  const prefix = new TextDecoder().decode(read(0, PREFIX))
  if (!prefix.startsWith(MAGIC)) return undefined
  const length = Number.parseInt(prefix.slice(MAGIC.length, MAGIC.length + 8), 16)
  const text = new TextDecoder().decode(read(PREFIX, Number.isNaN(length) ? 0 : length))
  if (prefix.slice(MAGIC.length + 8) !== hex(hashText(text))) return undefined
  const json: unknown = JSON.parse(text)
  if (!isRecord(json) || !isNumberList(json.lengths, TABLES.length) || !isNumberList(json.longestRuns, 2))
    return undefined
  if (typeof json.sum !== 'number') return undefined
  const { meta, lengths, longestRuns, sum } = json
  return { meta, lengths, longestRuns, sum, tablesFrom: PREFIX + length }
}

/** A table over stored bytes. Throws for damage; calls `repair` for an entry that turns out to be damaged later. */
export function openTable(
  head: SavedHead,
  read: ReadBytes,
  repair?: (position: number) => LoadoutEntry,
): CompiledTable {
  const { tables, end } = readTables(head, read)
  const stored = entryReader(tables, end, read)
  const entryAt = (position: number) => stored(position) ?? repair?.(position) ?? fail()
  const [keywordRun = 0, patternRun = 0] = head.longestRuns
  const { keywordStarts, keywordPositions, patternStarts, patternPositions } = tables
  return assembleTable({
    size: tables.offsets.length - 1,
    core: [...tables.core],
    keywordCounts: tables.keywordCounts,
    costs: tables.costs,
    keywords: TermIndex.restore('every', (position) => entryAt(position).keywords, {
      mask: keywordStarts.length - 2,
      starts: keywordStarts,
      positions: keywordPositions,
      longestRun: keywordRun,
    }),
    patterns: TermIndex.restore('some', (position) => entryAt(position).patterns ?? [], {
      mask: patternStarts.length - 2,
      starts: patternStarts,
      positions: patternPositions,
      longestRun: patternRun,
    }),
    entryAt,
  })
}

function readTables({ lengths, sum, tablesFrom }: SavedHead, read: ReadBytes): { tables: Tables; end: number } {
  const total = lengths.reduce((length, each) => length + each, 0)
  const bytes = read(tablesFrom, total * 4)
  if (bytes.length !== total * 4) throw new Error('the stored table ends early')
  // In place if the bytes are aligned: this is most of what a start reads.
  const isAligned = bytes.byteOffset % 4 === 0
  const numbers = isAligned ? new Uint32Array(bytes.buffer, bytes.byteOffset, total) : copyNumbers(bytes, total)
  let from = 0
  const inOrder = lengths.map((length) => {
    from += length
    return numbers.subarray(from - length, from)
  })
  if (sumOf(inOrder) !== sum) throw new Error('the stored table is damaged')
  const tables = Object.fromEntries(TABLES.map((name, at) => [name, inOrder[at]])) as Tables
  return { tables, end: tablesFrom + total * 4 }
}

function fail(): never {
  throw new Error('the stored table is damaged')
}

/** Returns undefined for a damaged entry. */
function entryReader({ offsets, checks }: Tables, start: number, read: ReadBytes) {
  const decoder = new TextDecoder()
  const known = new Map<number, LoadoutEntry>()
  return (position: number): LoadoutEntry | undefined => {
    const remembered = known.get(position)
    if (remembered !== undefined) return remembered
    const from = offsets[position]!
    const text = decoder.decode(read(start + from, offsets[position + 1]! - from))
    const entry = checkOf(text) === checks[position] ? parseEntry(text) : undefined
    if (entry !== undefined) known.set(position, entry)
    return entry
  }
}

function parseEntry(text: string): LoadoutEntry | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isUsable(json) ? json : undefined
  } catch {
    return undefined
  }
}

function copyNumbers(bytes: Uint8Array, length: number): Uint32Array {
  const numbers = new Uint32Array(length)
  bytesOf(numbers).set(bytes)
  return numbers
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}

const STRIDE = 61

/**
 * A checksum for real damage: a truncated file or a lost block. Reads one word per block, because each start checks it.
 */
function sumOf(tables: readonly Uint32Array[]): number {
  let sum = 0x811c9dc5
  for (const table of tables) {
    for (let at = 0; at < table.length; at += STRIDE) sum = Math.imul(sum ^ table[at]!, 0x01000193)
  }
  return sum >>> 0
}

const LETTER_STRIDE = 16

/** A checksum for one entry: a damaged entry is no longer JSON or has another length. */
function checkOf(text: string): number {
  let sum = text.length
  for (let at = 0; at < text.length; at += LETTER_STRIDE) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return sum >>> 0
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

function isNumberList(value: unknown, length: number): value is number[] {
  return Array.isArray(value) && value.length === length && value.every((item) => Number.isInteger(item) && item >= 0)
}
