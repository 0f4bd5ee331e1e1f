import { asTyped, shareOf, type Task, type TaskWords, wordsIn } from '../../../search/task.ts'
import type { Section } from '../../../text/cut.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { compareText } from '../../../text/values.ts'
import type { Guide } from '../guide.ts'
import {
  type ContextPart,
  isContent,
  isProse,
  layerOf,
  type PackFile,
  type PackFiles,
  type PackManifest,
  type PackWarning,
  packSections,
} from '../pack.ts'
import { claimsOf, type FileHealth, type Records } from '../records.ts'
import { linesToShow, type SectionHit } from './sections.ts'

/** The question to one pack that passed its gates. */
export interface PackRequest {
  task: Task
  wantsCitations: boolean
  /** The caller wants more than the closest sections. */
  isDeep: boolean
  /** The pack is disputed: give its contradictions and the sources too. */
  isDisputed: boolean
  /** An ISO date: a page may be past the day of its review. */
  today: string
  /** The sections of the pack that match the task, best first. */
  hits: readonly SectionHit[]
  /** How rare a stem is among all sections that were asked, from near 0 to 1. */
  rarity: (term: string) => number
}

/** A pack and a task, with everything that is known before content is chosen. */
export interface Reading {
  manifest: PackManifest
  files: PackFiles
  guide: Guide
  records: Records
  request: PackRequest
  /** The words of the task without those of the pack's name. */
  words: TaskWords
  /** The same words, weighted by how rare they are. */
  rareWords: TaskWords
  hits: readonly SectionHit[]
}

/** Whether a pack has the document that it names as its primary one, or any document. */
export function hasDocument({ files, manifest: { primaryDocument } }: Reading): boolean {
  return primaryDocument === undefined
    ? files.list('documents').some(isProse)
    : files.sizeOf(primaryDocument) !== undefined
}

export interface Omission {
  path: string
  lines: ContextPart['lines']
  reason: 'budget'
  tokens: number
}

/** What one pack gives to a task. */
export interface PackResolution {
  /** Digest of the KNOWLEDGE.md; undefined if it could not be read. */
  entryDigest: string | undefined
  /** In the order of the wrapper; the guide is not among `selectedFiles`. */
  choices: readonly Choice[]
  sourceAnchors: readonly string[]
  /** Statements without a source, if the pack requires sources. */
  citationGaps: readonly { path: string; line: number }[]
  warnings: readonly PackWarning[]
  /** Gaps that the pack declares and the task asks about. */
  missing: readonly string[]
  /** A prepared answer of the pack settles the task. */
  isAnswered: boolean
  /** Digest of the source map, if there is one. */
  sourceMapDigest: string | undefined
  /** Ids of the claims that the chosen files rely on. */
  claims: readonly string[]
  /** The compile run of each chosen view. */
  runs: Readonly<Record<string, string>>
}

/** Why a part was chosen. */
export type Rule = 'guide' | 'view' | 'split' | 'section' | 'page' | 'contradiction' | 'ontology' | 'answer' | 'excerpt'

/** A chosen part, before the budget is applied. */
export interface Choice extends ContextPart {
  rule: Rule
  /** 0 to 1: the share of the task's words in it. */
  score: number
  /** The matching words of the task, or another reason. */
  why: string
  /** The files that it was made from. */
  sources: readonly { path: string; sha256: string; bytes: number }[]
}

/** Chooses a whole file. */
export function chooseFile(file: PackFile, rule: Rule, words: TaskWords, why?: string, task?: string): Choice {
  return chooseLines(file, { from: 1, to: countLines(file.text), text: file.text }, rule, words, why, task)
}

/** Chooses lines of a file. The default reason is the matching words. */
export function chooseLines(
  file: PackFile,
  { from, to, text }: Pick<Section, 'text' | 'to' | 'from'>,
  rule: Rule,
  words: TaskWords,
  why?: string,
  task = '',
): Choice {
  const found = asTyped(task, [...wordsIn(words, text)].slice(0, 6))
  return {
    path: file.path,
    layer: layerOf(file.path) ?? 'guide',
    lines: { from, to },
    text,
    rule,
    score: scoreOf(words, text),
    why: why ?? (found.length === 0 ? 'always read' : `speaks of ${found.join(', ')}`),
    sources: [{ path: file.path, sha256: file.sha256, bytes: file.bytes }],
  }
}

/** The share of the task's words in a text, with three decimals. */
function scoreOf(words: TaskWords, text: string): number {
  return Math.round(shareOf(words, wordsIn(words, text)) * 1000) / 1000
}

/** The words of a file name: `wiki/entities/k4-handset.md` → `k4 handset`. */
export function pathWords(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/^\d+[_-]/, '')
    .replace(/[_\-.]+/g, ' ')
}

/** The share of the task's words in a text. Ignores the paths of sources. */
export function matchedShare(words: TaskWords, text: string): number {
  return shareOf(words, wordsIn(words, text.replace(/\[source:[^\]]*\]/g, '')))
}

/** The least share of the task's words in a text about it. */
const LEAST = 0.3

/** Whether a text is about the task. Any text is, if the task has only everyday words. */
export function isAbout(
  { words, rareWords }: { words: TaskWords; rareWords: TaskWords },
  text: string,
  least = LEAST,
): boolean {
  return [...words.values()].every((weight) => weight < 1) || matchedShare(rareWords, text) >= least
}

/** Counts lines; a line end at the end does not start a new one. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** Lines of a text, with their line ends. */
export function takeLines(text: string, { from, to }: { from: number; to: number }): string {
  return text
    .split(/(?<=\n)/)
    .slice(from - 1, to)
    .join('')
}

/** Whether a title announces limits. Such sections are kept: the rest would be unsafe without them. */
export function setsLimits(title: string): boolean {
  return /bound|limit|taboo|constraint|forbidden|prohibit|never|must not|\u8fb9\u754c|\u7981\u5fcc|\u9650\u5236|\u7ea6\u675f/i.test(
    title,
  )
}

/** Whether a file name or a heading of these texts announces limits. */
export function announcesLimits(files: PackFiles, texts: readonly { path: string; text: string }[]): boolean {
  const names = ['compiled', 'documents', 'wiki'].flatMap((folder) => files.list(folder))
  return (
    names.some(setsLimits) ||
    texts.some(({ path, text }) => packSections(path, text).some(({ title }) => setsLimits(title)))
  )
}

/** Whether a title is about the voice of a persona. */
function shapesVoice(title: string): boolean {
  return /voice|tone|value|taboo|persona|style|character|boundar|\u8bed\u6c14|\u98ce\u683c|\u7981\u5fcc|\u4ef7\u503c/i.test(
    title,
  )
}

/** The short views that every pack may have. */
const STANDARD_VIEWS = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md']

/** The room for sections, in tokens. The best section is given even if it is larger. */
const SECTION_ROOM = 2_600
const MOST_SECTIONS = 20
/** Sections below this share of the best score are noise. */
const CLOSE = 0.45
/** A page that is not current loses to any that says about as much. */
const OLD = 0.4
/** A page up to this size is given whole, in tokens: its sections explain each other. */
const SHORT_PAGE = 300

/**
 * The sections of a pack that say most about the task. Views and pages compete: a view that does not say it cannot
 * silence a page that does. Never text that a failed run made.
 */
export function chooseSections(reading: Reading, healthOf: (path: string) => FileHealth): Choice[] {
  const { hits, files, words, request, records } = reading
  const { text: typed } = request.task
  const isFailed = (path: string) => records.governing.get(path)?.status === 'failed' && healthOf(path).isFailed
  const inOrder = (some: SectionHit[]) =>
    some.sort((a, b) => b.score - a.score || compareText(a.path, b.path) || a.from - b.from)
  const usable = inOrder(
    hits
      .filter(({ from, path }) => from > 0 && !isFailed(path))
      .map((hit) => ({ ...hit, score: hit.score * preference(reading, hit) })),
  )
  const close = usable.filter(({ score }) => score >= CLOSE * (usable[0]?.score ?? 0))
  // Only pages that may be given are asked for their age.
  const ordered = inOrder(close.map((hit) => (healthOf(hit.path).age ? { ...hit, score: OLD * hit.score } : hit)))
  const top = ordered[0]?.score ?? 0
  const taken = new Map<string, SectionHit[] | 'whole'>()
  const said: string[] = []
  let left = request.isDeep ? 2 * SECTION_ROOM : SECTION_ROOM
  let count = 0
  for (const hit of ordered) {
    const file = files.read(hit.path)
    const others = taken.get(hit.path) ?? []
    if (count === MOST_SECTIONS || hit.score < CLOSE * top) break
    if (file === undefined || others === 'whole') continue
    const isWhole = !hit.path.startsWith('documents/') && estimateTokens(file.text) <= SHORT_PAGE
    const text = isWhole ? file.text : takeLines(file.text, hit)
    const cost = estimateTokens(text)
    if ((cost > left && count > 0) || said.some((other) => other.includes(flat(text)))) continue
    left -= cost
    count++
    said.push(flat(text))
    taken.set(hit.path, isWhole ? 'whole' : [...others, hit])
  }
  return [...taken].flatMap(([path, pieces]) => {
    const file = files.read(path)
    if (file === undefined) return []
    const rule = ruleFor(path)
    // The budget takes the best first, whatever the order of the files.
    const scored = (choice: Choice, own: readonly SectionHit[]): Choice => {
      const best = Math.max(...own.map(({ score }) => score))
      return { ...choice, score: Math.round((1000 * best) / top) / 1000 }
    }
    if (pieces === 'whole') {
      const own = ordered.filter((hit) => hit.path === path)
      return [scored(chooseFile(file, rule, words, undefined, typed), own)]
    }
    return packSections(path, file.text).flatMap((section) => {
      const own = pieces.filter(({ from, to }) => section.from <= from && to <= section.to)
      return linesToShow(section, own).map((stretch) => {
        const hits = own.filter(({ from, to }) => from <= stretch.to && stretch.from <= to)
        return scored(chooseLines(file, stretch, rule, words, undefined, typed), hits.length > 0 ? hits : own)
      })
    })
  })
}

function flat(text: string): string {
  return text.replace(/^#.*$/gm, '').replace(/\s+/g, ' ').trim()
}

function isView(path: string): boolean {
  return path.startsWith('compiled/')
}

function ruleFor(path: string): Choice['rule'] {
  if (path.startsWith('compiled/splits/')) return 'split'
  return path.startsWith('compiled/') ? 'view' : path.startsWith('documents/') ? 'section' : 'page'
}

/** A small preference for what a profile reads first, so that it wins among equals and silences nothing better. */
function preference({ manifest, guide }: Reading, { path }: SectionHit): number {
  // They say what is open or contradicted, and state no fact.
  if (/^wiki\/(?:open-questions|contradictions)\//.test(path)) return 0.5
  const isMapped = guide.map.some((entry) =>
    entry.isDirectory ? path.startsWith(`${entry.path.replace(/\/$/, '')}/`) : entry.path === path,
  )
  const isFirst = manifest.profile === 'hybrid' && guide.map.length > 0 ? isMapped : isView(path)
  return isFirst ? 1.2 : path === manifest.primaryDocument ? 1.1 : 1
}

/** Chooses whole files that are not empty, each once. */
function chooseFiles({ files, words }: Reading, paths: readonly string[], why: string, rule?: Rule): Choice[] {
  return [...new Set(paths)].flatMap((path) => {
    const file = files.sizeOf(path) === undefined ? undefined : files.read(path)
    const isEmpty = file === undefined || file.text.trim() === ''
    return isEmpty ? [] : [chooseFile(file, rule ?? ruleFor(path), words, why)]
  })
}

/** What goes with any part of the pack: its limits, and for a persona its voice. */
export function chooseCompanions(reading: Reading, healthOf: (path: string) => FileHealth): Choice[] {
  const { files, words, manifest, guide } = reading
  const isUsable = (path: string) => isProse(path) && !healthOf(path).isFailed
  const limits = files.list('compiled').filter((path) => setsLimits(pathWords(path)) && isUsable(path))
  const chosen = chooseFiles(reading, limits.slice(0, MOST_SECTIONS), 'sets limits')
  if (manifest.mode !== 'persona') return chosen
  // Views, and files that the context map names, whose name or hint is about a voice. A map cannot open raw sources.
  const mapped = guide.map.filter(({ layer, isDirectory }) => !isDirectory && /^(?:wiki|documents)$/.test(layer))
  const hints = (path: string) => guide.map.filter((entry) => entry.path === path).map(({ hint }) => hint)
  const voice = [...files.list('compiled'), ...mapped.map(({ path }) => path)]
    .filter((path) => shapesVoice([pathWords(path), ...hints(path)].join(' ')) && isUsable(path))
    .filter((path) => !limits.includes(path))
  // Sections of its document, if there are no slices of it.
  const path = manifest.primaryDocument ?? files.list('documents').find(isProse)
  const document = path === undefined || files.list('compiled/splits').some(isProse) ? undefined : files.read(path)
  const sections = document === undefined ? [] : packSections(document.path, document.text)
  return [
    ...chosen,
    ...chooseFiles(reading, voice.slice(0, MOST_SECTIONS), 'shapes the voice'),
    ...sections
      .filter(({ title }) => shapesVoice(title))
      .map((section) => chooseLines(document!, section, 'section', words, 'shapes the voice')),
  ]
}

/** For a task that matches nothing: the short views. */
export function chooseDefaults(reading: Reading, healthOf: (path: string) => FileHealth): Choice[] {
  const { files } = reading
  const isUsable = (path: string) => isProse(path) && files.sizeOf(path) !== undefined && !healthOf(path).isFailed
  const views = STANDARD_VIEWS.filter(isUsable)
  const others = files.list('compiled').filter((path) => isUsable(path) && !path.startsWith('compiled/splits/'))
  return chooseFiles(reading, views.length > 0 ? views : others.slice(0, 3), 'standard view', 'view')
}

const MOST_PAGES = 4

/** For views that are out of date: the pages of their stale claims, or the page that says most about the task. */
export function choosePagesOfClaims(reading: Reading, healths: ReadonlyMap<string, FileHealth>): Choice[] {
  if (![...healths.values()].some(({ isStale }) => isStale)) return []
  const isPage = (path: string) => path.startsWith('wiki/') && isContent(path)
  const stale = claimsOf(healths).filter(({ status }) => status === 'stale')
  const named = [...new Set(stale.flatMap(({ compiledInto }) => compiledInto).filter(isPage))]
  const first = reading.hits.map(({ path }) => path).find(isPage)
  const pages = named.length > 0 ? named.slice(0, MOST_PAGES) : first === undefined ? [] : [first]
  return chooseFiles(reading, pages, 'it has a claim that is out of date in a view', 'page')
}

/** Pages about what is disputed: those that disputed claims name, else those that match the task. */
export function chooseContradictions(reading: Reading, healths: ReadonlyMap<string, FileHealth>): Choice[] {
  const { files, hits, request } = reading
  const isDisputed = request.isDisputed || [...healths.values()].some((health) => health.isDisputed)
  if (!isDisputed) return []
  const pages = files.list('wiki/contradictions').filter(isProse)
  const claims = claimsOf(healths).filter(({ status }) => status === 'disputed')
  const named = claims.flatMap(({ compiledInto }) => compiledInto)
  const direct = pages.filter((path) => named.includes(path))
  const related = pages.filter((path) => hits.some((hit) => hit.path === path))
  const narrow = direct.length > 0 ? direct : related
  const chosen = narrow.length > 0 && !request.isDisputed ? narrow : pages
  return chooseFiles(reading, chosen.slice(0, MOST_PAGES), 'a claim in play is disputed', 'contradiction')
}
