import type { RankDocument } from '../../../search/document.ts'
import type { Section } from '../../../text/cut.ts'
import { frontmatterTitle } from '../../../text/frontmatter-block.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { report } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { recordTexts } from '../graph.ts'
import { readGuide } from '../guide.ts'
import {
  isContent,
  isProse,
  type KnowledgePack,
  layerOf,
  normalizePackPath,
  type PackFiles,
  type PackWarning,
  packPathProblem,
  packSections,
  parsePackJson,
  SOURCE_MAP_PATH,
  shownText,
} from '../pack.ts'
import { readRecords } from '../records.ts'
import { countLines, pathWords } from './choose.ts'

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

const GROUP = 20

/** What the guide, `wiki/index.md` and the index files say about each file. */
export interface FileLabels {
  labels: ReadonlyMap<string, string>
  warnings: readonly PackWarning[]
}

/** The files with sections, by path. */
export function sectionFiles(files: Pick<PackFiles, 'list'>): string[] {
  return ['compiled', 'wiki', 'documents'].flatMap((layer) => files.list(layer)).filter(isContent)
}

/**
 * The sections of content files, and the questions and claims in the pack's records. A large pack is read in parts:
 * only the first has the records and the warnings about the whole.
 */
export function sectionDocuments(
  files: PackFiles,
  { root, manifest }: Pick<KnowledgePack, 'root' | 'manifest'>,
  { paths = sectionFiles(files), isFirst = true, said = labelsOf(files) } = {},
): { documents: RankDocument[]; warnings: PackWarning[] } {
  const known = isFirst ? 0 : files.warnings.length
  const document = (kept: Omit<KeptSection, 'root'>, fields: RankDocument['fields']): RankDocument => {
    const { path, from, to } = kept
    return { id: `${root}#${path}#${from}-${to}`, name: '', fields, kept: { root, ...kept } }
  }
  const documents = paths.flatMap((path) => {
    const file = files.read(path)
    if (file === undefined) return []
    const label = said.labels.get(path) ?? ''
    return withHeadings(file.text, path).map(({ from, to, trail, title, text }) =>
      document(
        { path, from, to, title },
        { heading: `${pathWords(path)} ${trail}`, label, text: withoutTableTags(text) },
      ),
    )
  })
  if (!isFirst) return { documents, warnings: files.warnings.slice(known) }
  const noted = [
    ...recordTexts(manifest, files),
    ...readRecords(files).claims.map(({ id, text }) => ({ path: SOURCE_MAP_PATH, text: `${id} ${text}` })),
  ]
  // Many in one document: thousands of short ones would make the words of the sections look rare.
  for (let at = 0; at * GROUP < noted.length; at++) {
    const group = noted.slice(at * GROUP, (at + 1) * GROUP)
    const text = group.map((each) => each.text).join('\n')
    documents.push(document({ path: group[0]!.path, from: 0, to: at, title: '' }, { text }))
  }
  return { documents, warnings: [...said.warnings, ...files.warnings] }
}

/** Merges equal warnings of many files: hundreds of them would leave no room for an answer. */
export function mergeAlike(warnings: readonly PackWarning[]): PackWarning[] {
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
    const isBare = level > 0 && section.text.split('\n').slice(height).join('').replace(ANCHOR, '').trim() === ''
    const trail = [whole, ...above].join(' ')
    const title = above.filter(Boolean).join(' > ') || whole
    return isBare && sections.length > 1 ? [] : piecesOf(section).map((piece) => ({ ...piece, trail, title }))
  })
}

/** A paragraph, list item, table row (also HTML) or block of code. */
export interface Statement {
  /** Counted from 1, both included. */
  from: number
  to: number
  text: string
  /** The header lines of its table. */
  head?: { from: number; to: number; text: string }
}

/** Indented lines belong to the statement above, up to this size in tokens. */
const LONG_STATEMENT = 200

/** The statements of a section, without its heading and empty lines. */
export function statementsOf({ text, from: firstLine, height }: Section): Statement[] {
  const lines = text.split('\n')
  const found: Statement[] = []
  let fence: string | undefined
  let open: Statement | undefined
  let blank = 0
  let head: Statement['head']
  const close = () => {
    if (open !== undefined && isHtmlRow(open)) {
      if (!/<td\b/i.test(open.text)) head = open
      else found.push({ ...open, head })
    } else if (open !== undefined) found.push(open)
    open = undefined
    blank = 0
  }
  lines.forEach((line, at) => {
    const number = firstLine + at
    const extend = () => {
      open =
        open === undefined
          ? { from: number, to: number, text: line }
          : { ...open, to: number, text: `${open.text}${'\n'.repeat(blank + 1)}${line}` }
      blank = 0
    }
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      extend()
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return
    }
    const isBlank = line.trim() === ''
    const isRow = /^\s*\|/.test(line)
    if (!isRow && (isBlank || /<table\b/i.test(line))) head = undefined
    if (at < height) close()
    else if (isBlank) {
      if (open !== undefined) blank++
    } else if (isRow) {
      close()
      const next = lines[at + 1] ?? ''
      if (isRule(next)) head = { from: number, to: number + 1, text: `${line}\n${next}` }
      else if (!isRule(line)) found.push({ from: number, to: number, text: line, head })
    } else {
      const isItem = /^\s*(?:(?:[-*+]|\d+[.)])\s|<tr\b)/i.test(line)
      const isBelow = () => /^(?: {2,}|\t)/.test(line) && estimateTokens(open?.text ?? '') < LONG_STATEMENT
      if (isItem || (blank > 0 && !isBelow())) close()
      if (mark !== undefined) fence = mark
      extend()
    }
  })
  close()
  return found
}

function isHtmlRow({ text }: Pick<Statement, 'text'>): boolean {
  return /^\s*<tr\b/i.test(text)
}

/** The line below a table header, such as `|---|---|`. */
function isRule(line: string): boolean {
  return /^\s*\|[\s|:-]*-[\s|:-]*$/.test(line)
}

/** A section up to this size is one piece, in tokens. */
const LARGE = 600
/** The size of the pieces of a larger section, in tokens. */
const PIECE = 300

export interface Stretch {
  from: number
  to: number
  text: string
}

/** Cuts a section into the pieces that are ranked: the whole section, or groups of statements. */
export function piecesOf(section: Section): Stretch[] {
  if (estimateTokens(section.text) <= LARGE) return [section]
  const pieces: Stretch[] = []
  let room = 0
  for (const { from, to, text } of statementsOf(section)) {
    const cost = estimateTokens(text)
    const last = pieces.at(-1)
    if (last === undefined || cost > room) {
      pieces.push({ from, to, text })
      room = PIECE - cost
    } else {
      pieces[pieces.length - 1] = { from: last.from, to, text: `${last.text}\n${text}` }
      room -= cost
    }
  }
  return pieces
}

/** The lines to show for pieces of a section: with its heading, and with the headers of their tables. */
export function linesToShow(section: Section, pieces: readonly Pick<Stretch, 'from' | 'to'>[]): Stretch[] {
  if (pieces.length === 0) return []
  const kept = new Set<number>()
  const keep = ({ from, to }: Pick<Stretch, 'from' | 'to'>) => {
    for (let line = from; line <= to; line++) kept.add(line)
  }
  keep({ from: section.from, to: section.from + section.height - 1 })
  pieces.forEach(keep)
  for (const { from, head } of statementsOf(section)) {
    if (head !== undefined && kept.has(from)) keep(head)
  }
  return stretches(section, kept)
}

/** Joins kept lines that follow each other. Keeps empty lines between them. */
function stretches(section: Stretch, kept: ReadonlySet<number>): Stretch[] {
  const lines = section.text.split(/(?<=\n)/).slice(0, countLines(section.text))
  const found: Stretch[] = []
  let blank = ''
  lines.forEach((line, at) => {
    const number = section.from + at
    const last = found.at(-1)
    const isNext = last !== undefined && last.to + countLines(blank) + 1 === number
    if (!kept.has(number)) {
      if (isNext && line.trim() === '') blank += line
      return
    }
    if (isNext) found[found.length - 1] = { from: last.from, to: number, text: last.text + blank + line }
    else found.push({ from: number, to: number, text: line })
    blank = ''
  })
  return found
}

/** Only for matching; never shown. */
export function labelsOf(files: PackFiles): FileLabels {
  const labels = new Map<string, string>()
  const add = (path: string, label: string) => labels.set(path, `${labels.get(path) ?? ''} ${label}`)
  for (const { path, hint, isDirectory } of readGuide(files)?.map ?? []) if (!isDirectory) add(path, hint)
  const directory = files.sizeOf(DIRECTORY_PAGE) === undefined ? undefined : files.read(DIRECTORY_PAGE)
  for (const line of directory?.text.split('\n') ?? []) {
    if (!line.includes('[')) continue
    for (const [, label = '', target = ''] of line.matchAll(/\[([^\]\n]{0,200})\]\(([^)\s]{1,300})\)/g)) {
      const path = pageBehind(target.replace(/#.*$/, ''))
      if (path !== undefined) add(path, `${label} ${line.slice(0, 400)}`)
    }
    for (const [, target = ''] of line.matchAll(/\[\[([^\]|#\n]{1,200})[^\]\n]{0,200}\]\]/g)) {
      add(`wiki/${target.trim().replace(/(?:\.md)?$/, '.md')}`, target)
    }
  }
  const warnings: PackWarning[] = []
  const indexes = files
    .list('indexes')
    .filter((path) => path.endsWith('.json') && path !== SOURCE_MAP_PATH && (files.sizeOf(path) ?? 0) <= LARGEST_INDEX)
  let left = MOST_NOMINATIONS
  for (const index of indexes.slice(0, MOST_INDEXES)) {
    const file = files.read(index)
    const { value, problem } = file === undefined ? {} : parsePackJson(file)
    if (problem !== undefined) {
      warnings.push(report('pack.field/record', { problem: shownText(problem) }, { path: index }))
    }
    for (const { path, text } of nominations(value)) {
      if (left-- <= 0) break
      const refusal = packPathProblem(path)
      if (refusal !== undefined) {
        warnings.push(report('PATH_ESCAPE/pack-index', { refusal }, { path: index }))
      } else if (files.sizeOf(path) === undefined) {
        warnings.push(report('source.absent/dangling-files', {}, { path: index }))
      } else add(normalizePackPath(path), text)
    }
  }
  return { labels, warnings }
}

export const DIRECTORY_PAGE = 'wiki/index.md'
const MOST_INDEXES = 4
const MOST_NOMINATIONS = 20_000
const LARGEST_INDEX = 1024 * 1024

/** Resolves a link of `wiki/index.md`; undefined if it leads out of the wiki. */
function pageBehind(target: string): string | undefined {
  if (!isProse(target) || /^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined
  const segments = ['wiki']
  for (const segment of target.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  const path = normalizePackPath(segments.join('/'))
  return path.startsWith('wiki/') && packPathProblem(path) === undefined ? path : undefined
}

/** Objects with a path in them, and keys that are paths: `{ "wiki/a.md": ["words"] }`. */
function* nominations(value: unknown): Generator<{ path: string; text: string }> {
  const textsOf = (item: unknown) => [item].flat().filter((text): text is string => typeof text === 'string')
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (Array.isArray(next)) waiting.push(...next.slice(0, MOST_NOMINATIONS))
    if (!isRecord(next)) continue
    const texts = Object.values(next).flatMap((item) => textsOf(item).slice(0, 100))
    for (const path of texts.filter(looksLikePath)) {
      const others = texts.filter((text) => text !== path)
      yield { path, text: others.join(' ').slice(0, 1000) }
    }
    for (const [key, item] of Object.entries(next)) {
      if (looksLikePath(key)) yield { path: key, text: textsOf(item).slice(0, 100).join(' ').slice(0, 1000) }
      if (typeof item === 'object') waiting.push(item)
    }
  }
}

/** A file of a layer, or a path that leads out of the pack. */
function looksLikePath(text: string): boolean {
  if (text.length > 300 || !(isProse(text) || /\.json$/i.test(text))) return false
  return packPathProblem(text) !== undefined || layerOf(text) !== undefined
}
