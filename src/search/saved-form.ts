import type { Library } from './library.ts'
import { aligned, DamagedForm, Pages, pageCount, type ReadBytes, SUMS, sumOf, sumPages } from './saved-pages.ts'
import {
  type CompiledTerms,
  type DocumentRecord,
  type PostingList,
  SlotTable,
  type StoredSlots,
  TermIndex,
} from './term-index.ts'
import type { Tuning } from './tuning.ts'

// Layout, in 32-bit words: a header, the sums of all pages, then the pages with the sections below, one after the
// other. A reader with one task reads only the pages of its words and hits: with 10,000 entries a plan takes 55 ms of
// processor time instead of 352 (bare Node takes 25). The same library always gives the same bytes.

const MAGIC = 0x4b4e5252
/** Increase it whenever the same text would give other terms or impacts. */
const VERSION = 4
/** The words before the section sizes: magic, version, fingerprint, checksum of the header. */
const FIXED = 4

/** Sizes in the units of each section; all but the last two count words. */
const SECTIONS = [
  /** The document whose score a slot adds to. */
  'targets',
  /** Slots of redirected topics. */
  'given',
  /** Slots of documents that have negatives. */
  'excluding',
  /** The slot of each document, by id, and the end of its record. */
  'slots',
  'recordEnds',
  /** Where the terms of a bucket start; one more than there are buckets. */
  'buckets',
  /** For each term, by bucket: hash, end of its text, end of its list. */
  'terms',
  'postings',
  /** Code units of all terms. */
  'units',
  /** Document records as JSON. */
  'records',
] as const
type Section = (typeof SECTIONS)[number]
const PER_WORD: Partial<Record<Section, number>> = { units: 2, records: 4 }
const HEADER = FIXED + SECTIONS.length
const TERM = 3

export function encodeIndex({ slots: table, index }: Library, fingerprint: number): Uint8Array {
  const records = table.records()
  const renumbered = renumber(records, table.targets.length)
  const lists = intoBuckets(collectLists(index, renumbered))
  const encoded = records.map(({ slot: _, ...record }) => new TextEncoder().encode(JSON.stringify(record)))
  const newSlot = (slot: number) => renumbered.slots[slot]!
  const given = records.flatMap(({ slot, redirects }) => redirects.map((_, i) => newSlot(slot + 1 + i)))
  const targets = new Uint32Array(renumbered.size)
  renumbered.slots.forEach((slot, old) => {
    const target = table.targets[old]!
    if (slot >= 0) targets[slot] = target < 0 ? NOWHERE : newSlot(target)
  })
  const words: Record<Exclude<Section, 'units' | 'records'>, ArrayLike<number>> = {
    targets,
    given,
    excluding: records.filter(({ negatives }) => negatives.length > 0).map(({ slot }) => newSlot(slot)),
    slots: records.map(({ slot }) => newSlot(slot)),
    recordEnds: endsOf(encoded.map(({ length }) => length)),
    ...termSections(lists),
  }
  const text = lists.terms.map(({ term }) => term).join('')
  const sizes = SECTIONS.map((name) => {
    if (name === 'units') return text.length
    return name === 'records' ? encoded.reduce((sum, { length }) => sum + length, 0) : words[name].length
  })
  const header = Uint32Array.of(MAGIC, VERSION, fingerprint, 0, ...sizes)
  const places = placesOf(header)
  const body = new Uint8Array(places.end * 4)
  const view = new Uint32Array(body.buffer)
  for (const name of SECTIONS) if (name !== 'units' && name !== 'records') view.set(words[name], places.at[name])
  const units = new Uint16Array(body.buffer, places.at.units * 4, text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  let end = places.at.records * 4
  for (const record of encoded) {
    body.set(record, end)
    end += record.length
  }
  return assemble(header, body)
}

function assemble(header: Uint32Array, body: Uint8Array): Uint8Array {
  const sums = sumPages(body)
  const head = new Uint32Array(HEADER + sums.length)
  head.set(header)
  head[3] = sumOf(header)
  head.set(sums, HEADER)
  const bytes = new Uint8Array(head.byteLength + body.length)
  bytes.set(new Uint8Array(head.buffer))
  bytes.set(body, head.byteLength)
  return bytes
}

/** Null when the bytes have another version or tuning, are truncated, or damaged: the caller compiles again. */
export function decodeIndex(saved: Uint8Array, fingerprint: number): SavedLibrary | null {
  const bytes = aligned(saved)
  return openIndex((from, length) => bytes.subarray(from, from + length), bytes.length, fingerprint, true)
}

/** `decodeIndex` for stored bytes, which are read on demand. Damage found later throws DamagedForm. */
export function openIndex(
  read: ReadBytes,
  size: number,
  fingerprint: number,
  isWhollyChecked = false,
): SavedLibrary | null {
  try {
    const header = wordsOf(read(0, HEADER * 4)).slice()
    if (header.length !== HEADER || header[0] !== MAGIC) return null
    const sum = header[3]
    header[3] = 0
    if (sumOf(header) !== sum) return null
    if (header[1] !== VERSION || header[2] !== fingerprint) return null
    const places = placesOf(header)
    const headSize = HEADER + SUMS * pageCount(places.end * 4)
    if (size !== (headSize + places.end) * 4) return null
    const sums = wordsOf(read(HEADER * 4, (headSize - HEADER) * 4))
    const pages = new Pages(read, headSize * 4, places.end * 4, sums)
    if (isWhollyChecked) pages.checkAll()
    const slots = new SlotTable(savedSlots(pages, places))
    return { slots, index: new TermIndex(savedTerms(pages, places)), isWhole: () => isWhole(pages) }
  } catch (error) {
    if (error instanceof DamagedForm) return null
    throw error
  }
}

/** A library whose parts are read on demand. */
export interface SavedLibrary extends Library {
  /** Reads everything, and compares it with its checksums. */
  isWhole(): boolean
}

function isWhole(pages: Pages): boolean {
  try {
    pages.checkAll()
    return true
  } catch (error) {
    if (error instanceof DamagedForm) return false
    throw error
  }
}

interface Places {
  /** Where each section starts. */
  readonly at: Readonly<Record<Section, number>>
  readonly size: Readonly<Record<Section, number>>
  readonly end: number
}

function placesOf(header: Uint32Array): Places {
  const at: Partial<Record<Section, number>> = {}
  const size: Partial<Record<Section, number>> = {}
  let end = 0
  SECTIONS.forEach((name, i) => {
    at[name] = end
    size[name] = header[FIXED + i]!
    end += Math.ceil(size[name] / (PER_WORD[name] ?? 1))
  })
  return { at: at as Places['at'], size: size as Places['size'], end }
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset } = aligned(bytes)
  return new Uint32Array(buffer, byteOffset, bytes.length >>> 2)
}

interface TermList {
  readonly term: string
  readonly hash: number
  readonly list: PostingList
}

function collectLists(index: TermIndex, renumbered: Renumbered): TermList[] {
  const lists: TermList[] = []
  for (const term of index.terms()) {
    const list = renumberList(index.find(term)!, renumbered)
    if (list.length > 0) lists.push({ term, hash: hashOf(term), list })
  }
  return lists
}

/** Old slot → its slot after documents are added again by id; -1 for slots of removed documents. */
interface Renumbered {
  readonly slots: Int32Array
  readonly size: number
  /** Documents were added by id, so every list is already sorted. */
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
  return { slots, size: next, keepsOrder }
}

interface Buckets {
  readonly terms: readonly TermList[]
  readonly starts: Uint32Array
}

/** Terms by bucket, and in order within each. There are at least as many buckets as terms. */
function intoBuckets(lists: readonly TermList[]): Buckets {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, lists.length)))
  const starts = new Uint32Array(count + 1)
  for (const { hash } of lists) starts[(hash & (count - 1)) + 1]!++
  for (let bucket = 0; bucket < count; bucket++) starts[bucket + 1]! += starts[bucket]!
  const places = starts.slice()
  const terms = new Array<TermList>(lists.length)
  for (const each of lists) terms[places[each.hash & (count - 1)]!++] = each
  return { terms, starts }
}

function termSections({ terms, starts }: Buckets): Record<'buckets' | 'terms' | 'postings', Uint32Array> {
  const entries = new Uint32Array(TERM * terms.length)
  const postings = new Uint32Array(terms.reduce((sum, { list }) => sum + list.length, 0))
  let unit = 0
  let posting = 0
  terms.forEach(({ term, hash, list }, i) => {
    postings.set(list, posting)
    entries[TERM * i] = hash
    entries[TERM * i + 1] = unit += term.length
    entries[TERM * i + 2] = posting += list.length
  })
  return { buckets: starts, terms: entries, postings }
}

function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0
  return Uint32Array.from(lengths, (length) => (end += length))
}

// A task asks for the same term several times.
const MOST_FOUND = 4096

function savedTerms(pages: Pages, { at, size }: Places): CompiledTerms {
  const count = size.terms / TERM
  const found = new Map<string, PostingList | undefined>()
  const endOf = (term: number, what: 1 | 2) => (term < 0 ? 0 : pages.words(at.terms + TERM * term + what, 1)[0]!)
  const textOf = (term: number) => {
    const start = endOf(term - 1, 1)
    return pages.units(at.units * 4 + 2 * start, endOf(term, 1) - start)
  }
  const look = (term: string): PostingList | undefined => {
    const hash = hashOf(term)
    const [from = 0, to = 0] = pages.words(at.buckets + (hash & (size.buckets - 2)), 2)
    for (let entry = from; entry < to; entry++) {
      if (pages.words(at.terms + TERM * entry, 1)[0] !== hash || !isSpelled(textOf(entry), term)) continue
      const start = endOf(entry - 1, 2)
      return pages.words(at.postings + start, endOf(entry, 2) - start)
    }
    return undefined
  }
  return {
    terms: () => Array.from({ length: count }, (_, term) => String.fromCharCode(...textOf(term))),
    find: (term) => {
      if (found.has(term)) return found.get(term)
      if (found.size >= MOST_FOUND) found.clear()
      const list = look(term)
      found.set(term, list)
      return list
    },
  }
}

const NOWHERE = 0xffffffff

function savedSlots(pages: Pages, { at, size }: Places): StoredSlots {
  const documents = size.slots
  const { buffer, byteOffset } = pages.words(at.targets, size.targets)
  const known = new Map<number, DocumentRecord>()
  const wordAt = (section: Section, i: number) => pages.words(at[section] + i, 1)[0]!
  const read = (document: number): DocumentRecord => {
    let record = known.get(document)
    if (record === undefined) {
      const start = document === 0 ? 0 : wordAt('recordEnds', document - 1)
      const bytes = pages.bytes(at.records * 4 + start, wordAt('recordEnds', document) - start)
      record = parseRecord(bytes)
      known.set(document, record)
    }
    return record
  }
  /** The first document that does not sort before the searched one. */
  const search = (isBefore: (document: number) => boolean) => {
    let [low, high] = [0, documents]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(middle)) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    size: documents,
    // NOWHERE equals -1 read as a signed number.
    targets: new Int32Array(buffer, byteOffset, size.targets),
    given: pages.words(at.given, size.given),
    excluding: pages.words(at.excluding, size.excluding),
    recordAt: (slot) => read(search((document) => wordAt('slots', document) < slot)),
    slotOf: (id) => {
      const document = search((each) => read(each).id < id)
      return document < documents && read(document).id === id ? wordAt('slots', document) : undefined
    },
    records: () => Array.from({ length: documents }, (_, document) => read(document)),
  }
}

function parseRecord(bytes: Uint8Array): DocumentRecord {
  try {
    // Loadout wrote these bytes, and their page was verified.
    return JSON.parse(new TextDecoder().decode(bytes)) as DocumentRecord
  } catch {
    throw new DamagedForm('a record is damaged')
  }
}

function isSpelled(units: Uint16Array, term: string): boolean {
  if (units.length !== term.length) return false
  for (let i = 0; i < term.length; i++) if (units[i] !== term.charCodeAt(i)) return false
  return true
}

function hashOf(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** A saved form with another tuning is stale. */
export function fingerprint(tuning: Tuning): number {
  return hashOf(JSON.stringify(tuning))
}
