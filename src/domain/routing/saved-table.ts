import { isRecord } from '../shared/record.ts'
import { assembleTable, type CompiledTable } from './dispatch-table.ts'
import type { LoadoutEntry } from './entry.ts'
import { isUsable } from './loadout-index.ts'
import { TermIndex } from './term-index.ts'

// A compiled table as bytes: a JSON head, tables of numbers, then every entry as JSON, found by its offset.
// Opening it reads the head and the tables; an entry is read only when a task hits it.
const MAGIC = 'loadout-table-1\n'
const PREFIX = MAGIC.length + 8

/** Bytes of a stored table; fewer than asked for where it ends. */
export type ReadBytes = (from: number, length: number) => Uint8Array

export function saveTable(table: CompiledTable, meta: unknown): Uint8Array[] {
  const encoder = new TextEncoder()
  const offsets = new Uint32Array(table.size + 1)
  const entries: Uint8Array[] = []
  for (let position = 0; position < table.size; position++) {
    const bytes = encoder.encode(JSON.stringify(table.entryAt(position)))
    entries.push(bytes)
    offsets[position + 1] = offsets[position]! + bytes.length
  }
  const { buckets: keywords } = table.keywords
  const { buckets: patterns } = table.patterns
  const tables = [
    Uint32Array.from(table.core),
    table.keywordCounts,
    table.costs,
    keywords.starts,
    keywords.positions,
    patterns.starts,
    patterns.positions,
    offsets,
  ]
  const longestRuns = [keywords.longestRun, patterns.longestRun]
  const head = encoder.encode(JSON.stringify({ meta, longestRuns, lengths: tables.map(({ length }) => length) }))
  const prefix = encoder.encode(MAGIC + head.length.toString(16).padStart(8, '0'))
  return [prefix, head, ...tables.map(bytesOf), ...entries]
}

/** The stored head, if these are the bytes of a table. Cheap: it tells whether the rest is worth reading. */
export function readHead(read: ReadBytes): SavedHead | undefined {
  const prefix = new TextDecoder().decode(read(0, PREFIX))
  if (!prefix.startsWith(MAGIC)) return undefined
  const length = Number.parseInt(prefix.slice(MAGIC.length), 16)
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(read(PREFIX, length)))
    if (!isRecord(json) || !isNumberList(json.lengths, 8) || !isNumberList(json.longestRuns, 2)) return undefined
    return { meta: json.meta, lengths: json.lengths, longestRuns: json.longestRuns, tablesFrom: PREFIX + length }
  } catch {
    return undefined
  }
}

export interface SavedHead {
  meta: unknown
  lengths: number[]
  longestRuns: number[]
  tablesFrom: number
}

/** A table over stored bytes. Damage shows as an error here or when an entry is read; then compile anew. */
export function openTable(head: SavedHead, read: ReadBytes): CompiledTable {
  const total = head.lengths.reduce((sum, length) => sum + length, 0)
  const bytes = read(head.tablesFrom, total * 4)
  if (bytes.length !== total * 4) throw new Error('the stored table ends early')
  const numbers = new Uint32Array(total)
  bytesOf(numbers).set(bytes)
  let from = 0
  const [core, keywordCounts, costs, keywordStarts, keywordPositions, patternStarts, patternPositions, offsets] =
    head.lengths.map((length) => {
      from += length
      return numbers.subarray(from - length, from)
    }) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array]
  const entryAt = entryReader(offsets, head.tablesFrom + total * 4, read)
  const restore = (
    rule: 'every' | 'some',
    list: 'keywords' | 'patterns',
    starts: Uint32Array,
    positions: Uint32Array,
  ) =>
    TermIndex.restore(rule, (position) => entryAt(position)[list] ?? [], {
      mask: starts.length - 2,
      starts,
      positions,
      longestRun: head.longestRuns[rule === 'every' ? 0 : 1]!,
    })
  return assembleTable({
    size: offsets.length - 1,
    core: [...core],
    keywordCounts,
    costs,
    keywords: restore('every', 'keywords', keywordStarts, keywordPositions),
    patterns: restore('some', 'patterns', patternStarts, patternPositions),
    entryAt,
  })
}

function entryReader(offsets: Uint32Array, start: number, read: ReadBytes): (position: number) => LoadoutEntry {
  const decoder = new TextDecoder()
  const known = new Map<number, LoadoutEntry>()
  return (position) => {
    const remembered = known.get(position)
    if (remembered !== undefined) return remembered
    const from = offsets[position]!
    const entry: unknown = JSON.parse(decoder.decode(read(start + from, offsets[position + 1]! - from)))
    if (!isUsable(entry)) throw new Error('the stored table holds no entry there')
    known.set(position, entry)
    return entry
  }
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

function isNumberList(value: unknown, length: number): value is number[] {
  return Array.isArray(value) && value.length === length && value.every((item) => Number.isInteger(item) && item >= 0)
}
