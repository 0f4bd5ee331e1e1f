import { openSavedRanker, type Ranker } from '../../../search/ranker.ts'
import type { ReadBytes } from '../../../search/saved-pages.ts'
import { termsOf } from '../../../search/tokens.ts'
import { DEFAULT_TUNING, type Field, type Tuning } from '../../../search/tuning.ts'
import { isRecord } from '../../../text/values.ts'
import type { PackWarning } from '../pack.ts'

/** A section of a pack that matches a text. */
export interface SectionHit {
  path: string
  /** Counted from 1, both included. */
  from: number
  to: number
  score: number
  /** Stems of the matching words. */
  terms: readonly string[]
  /** Its headings, from the top one to its own; empty without headings. */
  title: string
}

/**
 * The search index of a pack's sections, without raw sources. Built once for each state of the pack, so that a question
 * opens only the files that it shows.
 */
export interface SectionIndex {
  readonly size: number
  /** Best first. */
  rank(text: string, limit: number): SectionHit[]
  /** Searches questions and claims in the pack's records: they tell what it is about, but are not sections. */
  rankRecords(text: string, limit: number): SectionHit[]
  /** How many sections contain a stem. */
  holders(term: string): number
  /** Problems of the pack's own index files. */
  readonly warnings: readonly PackWarning[]
  save(): Uint8Array
}

const FIELDS: readonly Field[] = [
  { name: 'heading', weight: 2.5, norm: 0.5, length: 8 },
  { name: 'label', label: 'map and indexes', weight: 2, norm: 0.4, length: 10 },
  { name: 'body', weight: 1, norm: 0.6, length: 120, isLong: true },
]
// Sections are longer than descriptions: one match says less, a repeated word says more. Late words of a question count
// as much as early ones.
const TUNING: Tuning = { ...DEFAULT_TUNING, fields: FIELDS, pair: 0, saturation: 2.5, fade: 0 }
/** The maximum number of sections that a resolution considers. */
export const MOST_HITS = 40

export const SECTION_RANKING = { silence: 0, tuning: TUNING }

/**
 * `records`: how many documents at the end of the ranker are records. `counts`: one line per stem with the number of
 * its sections. It is searched as text, because parsing it into a table takes longer than answering a question.
 */
export function openIndex(
  ranker: Ranker,
  records: number,
  counts: string,
  warnings: readonly PackWarning[],
): SectionIndex {
  // Choosing and reading a pack ask with the same task, so the last result is kept.
  let last: { text: string; limit: number; hits: SectionHit[] } | undefined
  const rankAll = (text: string, limit: number) => {
    if (last?.text !== text || last.limit < limit) last = { text, limit, hits: rankAnew(text, limit) }
    return last.hits.slice(0, limit)
  }
  const rankAnew = (text: string, limit: number) =>
    ranker.rank(text, { limit }).flatMap(({ id, score, why, kept }) => {
      const [, from, to, path] = /^(\d+)-(\d+) (.*)$/s.exec(id) ?? []
      if (path === undefined) return []
      const terms = why.flatMap(({ term }) => termsOf(term))
      return [{ path, from: Number(from), to: Number(to), score, terms, title: typeof kept === 'string' ? kept : '' }]
    })
  return {
    size: ranker.size - records,
    warnings,
    holders: (term) => {
      const at = counts.indexOf(`\n${term} `)
      return at === -1 ? 0 : Number.parseInt(counts.slice(at + term.length + 2), 10)
    },
    rank: (text, limit) =>
      rankAll(text, limit + records)
        .filter(({ from }) => from > 0)
        .slice(0, limit),
    rankRecords: (text, limit) =>
      records === 0
        ? []
        : rankAll(text, ranker.size)
            .filter(({ from }) => from === 0)
            .slice(0, limit),
    save() {
      const head = new TextEncoder().encode(JSON.stringify({ counts, records, warnings }))
      const body = ranker.save()
      // The ranker reads numbers in place, so it must start at a multiple of 8 bytes.
      const start = Math.ceil((4 + head.length) / 8) * 8
      const bytes = new Uint8Array(start + body.length)
      new DataView(bytes.buffer).setUint32(0, head.length)
      bytes.set(head, 4)
      bytes.set(body, start)
      return bytes
    },
  }
}

/**
 * Opens a saved index and reads it on demand. Undefined for another version. Later reads throw `DamagedForm` on damage.
 */
export function openSectionIndex(read: ReadBytes, size: number): SectionIndex | undefined {
  const first = read(0, 4)
  const length = new DataView(first.buffer, first.byteOffset).getUint32(0)
  const head: unknown = JSON.parse(new TextDecoder().decode(read(4, length)))
  const start = Math.ceil((4 + length) / 8) * 8
  const ranker = openSavedRanker((from, count) => read(start + from, count), size - start, undefined, SECTION_RANKING)
  if (
    ranker === null ||
    !isRecord(head) ||
    typeof head.counts !== 'string' ||
    !Array.isArray(head.warnings) ||
    typeof head.records !== 'number'
  ) {
    return undefined
  }
  return openIndex(ranker, head.records, head.counts, head.warnings)
}
