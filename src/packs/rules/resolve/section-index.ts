import { createRanker, loadRanker, type Ranker } from '../../../search/ranker.ts'
import { termsOf } from '../../../search/tokens.ts'
import { DEFAULT_TUNING, type Field, type Tuning } from '../../../search/tuning.ts'
import { frontmatterTitle } from '../../../text/headings.ts'
import { isRecord } from '../../../text/values.ts'
import { readGuide } from '../fence/guide.ts'
import { recordTexts } from '../graph/record-grounding.ts'
import type { PackManifest, PackWarning } from '../pack.ts'
import type { PackFiles } from '../pack-files.ts'
import { type Records, readRecords } from '../records/health.ts'
import { SOURCE_MAP_PATH } from '../records/source-map.ts'
import { pathWords, sectionsOf } from './choice.ts'
import { labelsOf } from './page-labels.ts'
import { isProse } from './reading.ts'
import { piecesOf } from './statements.ts'

/** A section of a view, page, slice or document, and how well it fits a text. */
export interface SectionHit {
  path: string
  /** Counted from 1, both included. */
  from: number
  to: number
  score: number
  /** Stems of the words that it was found by. */
  terms: readonly string[]
}

/**
 * Every section of a pack that can be chosen, however many there are. Made once for one state of the pack: a question
 * opens only the files it emits. Raw sources are no part of it.
 */
export interface SectionIndex {
  readonly size: number
  /** Best first. */
  rank(text: string, limit: number): SectionHit[]
  /** Questions and claims that the pack holds as records: they say what it is about, and are no sections. */
  rankRecords(text: string, limit: number): SectionHit[]
  /** How many sections hold a stem. */
  holders(term: string): number
  /** What is wrong with the indexes of the pack itself. */
  readonly warnings: readonly PackWarning[]
  save(): Uint8Array
}

const LAYERS = ['compiled', 'wiki', 'documents'] as const

const FIELDS: readonly Field[] = [
  { name: 'heading', weight: 2.5, norm: 0.5, length: 8 },
  { name: 'label', label: 'map and indexes', weight: 2, norm: 0.4, length: 10 },
  { name: 'body', weight: 1, norm: 0.6, length: 120, isLong: true },
]
// Sections are longer than descriptions: a word in one says less, a second time more. The last word of a question says as
// much as the first.
const TUNING: Tuning = { ...DEFAULT_TUNING, fields: FIELDS, pair: 0, saturation: 2.5, fade: 0 }
/** So many sections are looked at, of however many. */
export const MOST_HITS = 40

const OPTIONS = { silence: 0, tuning: TUNING }

/** Reads every file that can be chosen. */
export function buildSectionIndex(
  files: PackFiles,
  manifest: Partial<Pick<PackManifest, 'primaryOntology' | 'primaryAnswers'>> = {},
): SectionIndex {
  const { labels, warnings } = labelsOf(files)
  const hints = new Map<string, string>()
  const hint = (path: string, text: string) => hints.set(path, `${hints.get(path) ?? ''} ${text}`)
  for (const entry of readGuide(files)?.map ?? []) if (!entry.isDirectory) hint(entry.path, entry.hint)
  const records = readRecords(files)
  for (const [path, title] of splitTitles(records)) hint(path, title)
  const counts = new Map<string, number>()
  const documents = LAYERS.flatMap((layer) => files.list(layer))
    .filter(isChoosable)
    .flatMap((path) => {
      const file = files.read(path)
      if (file === undefined) return []
      const label = `${hints.get(path) ?? ''} ${labels.get(path) ?? ''}`
      return trailed(file.text, path).map(({ from, to, trail, text }) => {
        const heading = `${pathWords(path)} ${trail}`
        for (const term of new Set(termsOf(`${heading} ${text}`))) counts.set(term, (counts.get(term) ?? 0) + 1)
        return { id: `${from}-${to} ${path}`, name: '', fields: { heading, label, body: withoutTableTags(text) } }
      })
    })
  const noted = [
    ...recordTexts(manifest, files),
    ...records.claims.map(({ id, text }) => ({ path: SOURCE_MAP_PATH, text: `${id} ${text}` })),
  ].map(({ path, text }, at) => ({ id: `0-${at} ${path}`, name: '', fields: { body: text } }))
  const told = [...warnings, ...tellOnce(files.warnings)]
  return openIndex(createRanker([...documents, ...noted], OPTIONS), noted.length, counts, told)
}

/** The same trouble in many files is one warning: hundreds of them would leave no room for an answer. */
function tellOnce(warnings: readonly PackWarning[]): PackWarning[] {
  const alike = new Map<string, PackWarning[]>()
  for (const warning of warnings) {
    const key = `${warning.code} ${warning.message}`
    const known = alike.get(key)
    if (known === undefined) alike.set(key, [warning])
    else known.push(warning)
  }
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? []
    const files = others.length === 1 ? '1 other file' : `${others.length} other files`
    return { ...first, message: `${first.message}; the same in ${files}` }
  })
}

/** The tags of an HTML table are many, and say nothing. */
function withoutTableTags(text: string): string {
  return /<t[dhr]\b/i.test(text) ? text.replace(/<\/?[a-z][^<>]*>/gi, ' ') : text
}

function isChoosable(path: string): boolean {
  return isProse(path) && path !== 'wiki/index.md' && path !== 'wiki/log.md'
}

/** Sections with the title and the headings they stand below. One that is nothing but a heading says nothing. */
function trailed(text: string, path: string) {
  const above: string[] = []
  const title = frontmatterTitle(text)
  const sections = sectionsOf(text, path)
  return sections.flatMap((section) => {
    const { level, height } = section
    above.length = Math.max(0, Math.min(above.length, level - 1))
    while (above.length < level - 1) above.push('')
    if (level > 0) above.push(section.heading)
    const isBare = level > 0 && section.text.split('\n').slice(height).join('').trim() === ''
    const trail = [title, ...above].join(' ')
    return isBare && sections.length > 1 ? [] : piecesOf(section, path).map((piece) => ({ ...piece, trail }))
  })
}

/** The titles that a pack's records give to its slices. */
function splitTitles({ sections, runs }: Records): Map<string, string> {
  const titles = new Map<string, string>()
  for (const { title, compiledInto } of sections) for (const { path } of compiledInto) titles.set(path, title)
  for (const { run } of runs) {
    for (const { path, title } of run.chapters) if (path !== undefined) titles.set(path, title)
  }
  return titles
}

function openIndex(
  ranker: Ranker,
  records: number,
  counts: ReadonlyMap<string, number>,
  warnings: readonly PackWarning[],
): SectionIndex {
  // A pack is chosen and then read by the same task: it is ranked once.
  let last: { text: string; limit: number; hits: SectionHit[] } | undefined
  const rankAll = (text: string, limit: number) => {
    if (last?.text !== text || last.limit < limit) last = { text, limit, hits: rankAnew(text, limit) }
    return last.hits.slice(0, limit)
  }
  const rankAnew = (text: string, limit: number) =>
    ranker.rank(text, { limit }).flatMap(({ id, score, why }) => {
      const [, from, to, path] = /^(\d+)-(\d+) (.*)$/s.exec(id) ?? []
      if (path === undefined) return []
      return [{ path, from: Number(from), to: Number(to), score, terms: why.flatMap(({ term }) => termsOf(term)) }]
    })
  return {
    size: ranker.size - records,
    warnings,
    holders: (term) => counts.get(term) ?? 0,
    rank: (text, limit) =>
      rankAll(text, Math.max(limit, MOST_HITS) + records)
        .filter(({ from }) => from > 0)
        .slice(0, limit),
    rankRecords: (text, limit) =>
      records === 0
        ? []
        : rankAll(text, ranker.size)
            .filter(({ from }) => from === 0)
            .slice(0, limit),
    save() {
      const head = new TextEncoder().encode(JSON.stringify({ counts: [...counts], records, warnings }))
      const body = ranker.save()
      // The ranker reads numbers in place, so it starts on a boundary of eight.
      const start = Math.ceil((4 + head.length) / 8) * 8
      const bytes = new Uint8Array(start + body.length)
      new DataView(bytes.buffer).setUint32(0, head.length)
      bytes.set(head, 4)
      bytes.set(body, start)
      return bytes
    },
  }
}

/** Undefined when the bytes are of another version or damaged. */
export function loadSectionIndex(bytes: Uint8Array): SectionIndex | undefined {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)))
  const ranker = loadRanker(bytes.slice(Math.ceil((4 + length) / 8) * 8), OPTIONS)
  if (
    ranker === null ||
    !isRecord(head) ||
    !Array.isArray(head.counts) ||
    !Array.isArray(head.warnings) ||
    typeof head.records !== 'number'
  ) {
    return undefined
  }
  return openIndex(ranker, head.records, new Map(head.counts), head.warnings)
}
