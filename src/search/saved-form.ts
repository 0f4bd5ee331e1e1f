import type { CompiledLibrary } from './library.ts'
import type { CompiledTerms, DocumentRecord, PostingList, SlotTable, TermIndex } from './term-index.ts'
import type { Tuning } from './tuning.ts'

// Layout, in 32-bit words: header, ends of terms, ends of lists, posting lists, then the code units of all terms (two
// to a word) and the document records as JSON. The same library gives the same bytes, however it came about.

const MAGIC = 0x4b4e5252
/** To be raised whenever the same text would give other terms or impacts than before. */
const VERSION = 1
const HEADER = 8

export function encodeIndex(slots: SlotTable, index: TermIndex, fingerprint: number): Uint8Array {
  const records = slots.records()
  const lists = collectLists(index, renumber(records, slots.targets.length))
  const text = lists.map(({ term }) => term).join('')
  const meta = new TextEncoder().encode(JSON.stringify(records.map(({ slot: _, ...record }) => record)))
  const postings = lists.reduce((sum, { list }) => sum + list.length, 0)
  const header = Uint32Array.of(MAGIC, VERSION, fingerprint, 0, lists.length, postings, text.length, meta.length)
  const bytes = new Uint8Array(sizeOf(header) * 4)
  const parts = sections(bytes, header)
  fillLists(parts, lists)
  for (let i = 0; i < text.length; i++) parts.units[i] = text.charCodeAt(i)
  parts.meta.set(meta)
  const view = new Uint32Array(bytes.buffer)
  view.set(header)
  view[3] = checksum(bytes)
  return bytes
}

/** Null when the bytes are of another version or tuning, cut, or damaged: the caller compiles again. */
export function decodeIndex(saved: Uint8Array, fingerprint: number): CompiledLibrary | null {
  if (saved.length < HEADER * 4 || saved.length % 4 !== 0) return null
  const bytes = saved.byteOffset % 4 === 0 ? saved : saved.slice()
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER)
  if (header[0] !== MAGIC || header[1] !== VERSION || header[2] !== fingerprint) return null
  if (bytes.length !== sizeOf(header) * 4 || header[3] !== checksum(bytes)) return null
  const parts = sections(bytes, header)
  const records: unknown = JSON.parse(new TextDecoder().decode(parts.meta))
  return Array.isArray(records) && records.every(isRecord) ? { records, terms: savedTerms(parts) } : null
}

function sizeOf(header: Uint32Array): number {
  const [terms = 0, postings = 0, units = 0, meta = 0] = header.subarray(4)
  return HEADER + 2 * terms + postings + words(units, 2) + words(meta, 4)
}

interface Sections {
  readonly termEnds: Uint32Array
  readonly listEnds: Uint32Array
  readonly postings: Uint32Array
  readonly units: Uint16Array
  readonly meta: Uint8Array
}

function sections(bytes: Uint8Array, header: Uint32Array): Sections {
  const [terms = 0, length = 0, units = 0, meta = 0] = header.subarray(4)
  let at = bytes.byteOffset + HEADER * 4
  const take = (length: number) => {
    const section = new Uint32Array(bytes.buffer, at, length)
    at += length * 4
    return section
  }
  const [termEnds, listEnds, postings] = [take(terms), take(terms), take(length)] as const
  const unitSection = new Uint16Array(bytes.buffer, at, units)
  const metaSection = new Uint8Array(bytes.buffer, at + words(units, 2) * 4, meta)
  return { termEnds, listEnds, postings, units: unitSection, meta: metaSection }
}

interface TermList {
  readonly term: string
  readonly list: PostingList
}

function collectLists(index: TermIndex, renumbered: Renumbered): TermList[] {
  const lists: TermList[] = []
  for (const term of index.terms()) {
    const list = renumberList(index.find(term)!, renumbered)
    if (list.length > 0) lists.push({ term, list })
  }
  return lists
}

/** Old slot → the slot it gets when documents are added again by id; -1 for slots of removed documents. */
interface Renumbered {
  readonly slots: Int32Array
  /** Documents were added by id: every list is in order already. */
  readonly keepsOrder: boolean
}

function renumberList(list: PostingList, { slots, keepsOrder }: Renumbered): PostingList {
  const result = new Uint32Array(list.length)
  let end = 0
  for (let i = 0; i < list.length; i += 2) {
    const slot = slots[list[i]!]!
    if (slot < 0) continue
    result[end++] = slot
    result[end++] = list[i + 1]!
  }
  return keepsOrder ? result.subarray(0, end) : sortPostings(result.subarray(0, end))
}

function sortPostings(list: Uint32Array): Uint32Array {
  const places = Array.from({ length: list.length / 2 }, (_, i) => 2 * i).sort((a, b) => list[a]! - list[b]!)
  return Uint32Array.from(places.flatMap((place) => [list[place]!, list[place + 1]!]))
}

function renumber(records: ReturnType<SlotTable['records']>, size: number): Renumbered {
  const slots = new Int32Array(size).fill(-1)
  let next = 0
  let last = -1
  let keepsOrder = true
  for (const { slot, redirects } of records) {
    keepsOrder &&= slot > last
    last = slot
    for (let i = 0; i <= redirects.length; i++) slots[slot + i] = next++
  }
  return { slots, keepsOrder }
}

function fillLists({ termEnds, listEnds, postings }: Sections, lists: readonly TermList[]): void {
  let unit = 0
  let posting = 0
  lists.forEach(({ term, list }, i) => {
    postings.set(list, posting)
    termEnds[i] = unit += term.length
    listEnds[i] = posting += list.length
  })
}

function savedTerms({ termEnds, listEnds, postings, units }: Sections): CompiledTerms {
  const termAt = (i: number) => String.fromCharCode(...units.subarray(i === 0 ? 0 : termEnds[i - 1]!, termEnds[i]!))
  const listAt = (i: number) => postings.subarray(i === 0 ? 0 : listEnds[i - 1]!, listEnds[i]!)
  return {
    terms: () => Array.from(termEnds, (_, i) => termAt(i)),
    find: (term) => {
      let low = 0
      let high = termEnds.length - 1
      while (low <= high) {
        const middle = (low + high) >>> 1
        const order = compareUnits(units, middle === 0 ? 0 : termEnds[middle - 1]!, termEnds[middle]!, term)
        if (order === 0) return listAt(middle)
        if (order < 0) low = middle + 1
        else high = middle - 1
      }
      return undefined
    },
  }
}

function compareUnits(units: Uint16Array, start: number, end: number, term: string): number {
  const shared = Math.min(end - start, term.length)
  for (let i = 0; i < shared; i++) {
    const difference = units[start + i]! - term.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return end - start - term.length
}

function isRecord(value: unknown): value is DocumentRecord {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}

/** FNV-1a over 32-bit words, leaving out the word that holds the checksum itself. */
function checksum(bytes: Uint8Array): number {
  const view = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
  let hash = 0x811c9dc5
  for (let i = 0; i < view.length; i++) if (i !== 3) hash = Math.imul(hash ^ view[i]!, 0x01000193)
  return hash >>> 0
}

function words(count: number, perWord: number): number {
  return Math.ceil(count / perWord)
}

/** A saved form made with other numbers is stale. */
export function fingerprint(tuning: Tuning): number {
  const text = JSON.stringify(tuning)
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
