import type { RankDocument } from '../../../search/document.ts'
import { DEFAULT_TUNING, type Field, type Tuning } from '../../../search/tuning.ts'
import { frontmatterTitle } from '../../../text/frontmatter-block.ts'
import { readGuide } from '../fence/guide.ts'
import { recordTexts } from '../graph.ts'
import {
  isContent,
  type KnowledgePack,
  type PackFiles,
  type PackWarning,
  packSections,
  SOURCE_MAP_PATH,
} from '../pack.ts'
import { type Records, readRecords } from '../records/health.ts'
import { pathWords } from './choice.ts'
import { labelsOf } from './page-labels.ts'
import { piecesOf } from './statements.ts'

/** What the ranker stores with a section, or with a record if `from` is 0. */
export interface KeptSection {
  /** The folder of its pack. */
  root: string
  path: string
  /** Counted from 1, both included. */
  from: number
  to: number
  /** Its headings, from the top one to its own; empty without headings. */
  title: string
}

/** A section of a pack that matches a task. */
export interface SectionHit extends KeptSection {
  score: number
  /** 0 to 1: how likely it is that the task needs it. */
  confidence: number
  /** Stems of the matching words. */
  terms: readonly string[]
}

const SECTION_FIELDS: readonly Field[] = [
  { name: 'heading', weight: 1.6, norm: 0.5, length: 8 },
  { name: 'label', label: 'map and indexes', weight: 1.3, norm: 0.4, length: 10 },
  {
    name: 'text',
    weight: 0.64,
    norm: 0.9,
    length: 120,
    paired: 0,
    isLong: true,
  },
]

/**
 * Ranks sections. A section is longer than a description: one match says less, a
 * repeated word says more, and a word that most sections have says little. Late words of a question count as much as
 * early ones.
 */
export const PACK_TUNING: Tuning = {
  ...DEFAULT_TUNING,
  fields: SECTION_FIELDS,
  pair: 0,
  backgroundSize: 10,
  fade: 0,
}

const GROUP = 20

/** The sections of all content files, and the questions and claims in the pack's records. */
export function sectionDocuments(
  files: PackFiles,
  { root, manifest }: Pick<KnowledgePack, 'root' | 'manifest'>,
): { documents: RankDocument[]; warnings: PackWarning[] } {
  const { labels, warnings } = labelsOf(files)
  const hints = new Map<string, string>()
  const hint = (path: string, text: string) => hints.set(path, `${hints.get(path) ?? ''} ${text}`)
  for (const entry of readGuide(files)?.map ?? []) if (!entry.isDirectory) hint(entry.path, entry.hint)
  const records = readRecords(files)
  for (const [path, title] of splitTitles(records)) hint(path, title)
  const document = (kept: Omit<KeptSection, 'root'>, fields: RankDocument['fields']): RankDocument => {
    const { path, from, to } = kept
    return { id: `${root}#${path}#${from}-${to}`, name: '', ...(fields && { fields }), kept: { root, ...kept } }
  }
  const sections = ['compiled', 'wiki', 'documents']
    .flatMap((layer) => files.list(layer))
    .filter(isContent)
    .flatMap((path) => {
      const file = files.read(path)
      if (file === undefined) return []
      const label = `${hints.get(path) ?? ''} ${labels.get(path) ?? ''}`
      return withHeadings(file.text, path).map(({ from, to, trail, title, text }) =>
        document(
          { path, from, to, title },
          { heading: `${pathWords(path)} ${trail}`, label, text: withoutTableTags(text) },
        ),
      )
    })
  const noted = [
    ...recordTexts(manifest, files),
    ...records.claims.map(({ id, text }) => ({ path: SOURCE_MAP_PATH, text: `${id} ${text}` })),
  ]
  // Many in one document: thousands of short ones would make the words of the sections look rare.
  const groups = Array.from({ length: Math.ceil(noted.length / GROUP) }, (_, at) =>
    noted.slice(at * GROUP, (at + 1) * GROUP),
  )
  const recorded = groups.map((group, at) =>
    document(
      { path: group[0]?.path ?? '', from: 0, to: at, title: '' },
      { text: group.map(({ text }) => text).join('\n') },
    ),
  )
  return { documents: [...sections, ...recorded], warnings: [...warnings, ...mergeAlike(files.warnings)] }
}

/** Merges equal warnings of many files: hundreds of them would leave no room for an answer. */
function mergeAlike(warnings: readonly PackWarning[]): PackWarning[] {
  const alike = new Map<string, PackWarning[]>()
  for (const warning of warnings) {
    const key = `${warning.code} ${warning.message}`
    alike.set(key, [...(alike.get(key) ?? []), warning])
  }
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? []
    const more = others.length === 1 ? '1 other file' : `${others.length} other files`
    return { ...first, message: `${first.message}; the same in ${more}` }
  })
}

/** Removes the tags of HTML tables, which carry no meaning. */
function withoutTableTags(text: string): string {
  return /<t[dhr]\b/i.test(text) ? text.replace(/<\/?[a-z][^<>]*>/gi, ' ') : text
}

/** A link target in a heading: `<a name="restart"></a>`. */
const ANCHOR = /<\/?a(?:\s[^<>]*)?>/gi

/** Sections with their title and the headings above them. Skips sections without text below the heading. */
function withHeadings(text: string, path: string) {
  const above: string[] = []
  const whole = frontmatterTitle(text)
  const sections = packSections(path, text)
  return sections.flatMap((section) => {
    const { level, height } = section
    above.length = Math.max(0, Math.min(above.length, level - 1))
    while (above.length < level - 1) above.push('')
    if (level > 0) above.push(section.title.replace(ANCHOR, '').trim())
    const isBare = level > 0 && section.text.split('\n').slice(height).join('').trim() === ''
    const trail = [whole, ...above].join(' ')
    const title = above.filter(Boolean).join(' > ') || whole
    return isBare && sections.length > 1 ? [] : piecesOf(section).map((piece) => ({ ...piece, trail, title }))
  })
}

/** Titles of slices, from the pack's records. */
function splitTitles({ sections, runs }: Records): Map<string, string> {
  const titles = new Map<string, string>()
  for (const { title, compiledInto } of sections) for (const { path } of compiledInto) titles.set(path, title)
  for (const { run } of runs) {
    for (const { path, title } of run.chapters) if (path !== undefined) titles.set(path, title)
  }
  return titles
}
