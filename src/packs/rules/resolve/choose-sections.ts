import { estimateTokens } from '../../../text/tokens.ts'
import { isContent, isProse, packSections } from '../pack.ts'
import { claimsOf, type FileHealth } from '../records/health.ts'
import { type Choice, chooseFile, chooseLines, pathWords, setsLimits, shapesVoice, takeLines } from './choice.ts'
import type { Reading } from './resolution.ts'
import type { SectionHit } from './section-documents.ts'
import { linesToShow } from './statements.ts'

/** The short views that every pack may have. */
const STANDARD_VIEWS = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md']

/** The room for sections, in tokens. The best section is given even if it is larger. */
const SECTION_ROOM = 2_600
const MOST_SECTIONS = 20
/** Sections below this share of the best score are noise. */
const CLOSE = 0.45
/** A page up to this size is given whole, in tokens: its sections explain each other. */
const SHORT_PAGE = 300

/**
 * The sections of a pack that say most about the task. Views and pages compete: a view that does not say it cannot
 * silence a page that does. Never text that a failed run made.
 */
export function chooseSections(reading: Reading, healthOf: (path: string) => FileHealth): Choice[] {
  const { hits, files, words, request } = reading
  const { text: typed } = request.task
  const ordered = hits
    .filter(({ from, path }) => from > 0 && !healthOf(path).isFailed)
    .map((hit) => ({ ...hit, score: hit.score * preference(reading, hit) }))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.from - b.from))
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

/** What goes with any part of the pack: its limits, and for a persona its voice. */
export function chooseCompanions(reading: Reading, healthOf: (path: string) => FileHealth): Choice[] {
  const { files, words, manifest } = reading
  const limits = files.list('compiled').filter((path) => isProse(path) && setsLimits(pathWords(path)))
  const voice = manifest.mode === 'persona' ? voiceOf(reading) : []
  const read = (paths: readonly string[], why: string) =>
    [...new Set(paths)].slice(0, MOST_SECTIONS).flatMap((path) => {
      const file = healthOf(path).isFailed ? undefined : files.read(path)
      return file === undefined || file.text.trim() === '' ? [] : [chooseFile(file, ruleFor(path), words, why)]
    })
  return [
    ...read(limits, 'sets limits'),
    ...read(
      voice.filter((path) => !limits.includes(path)),
      'shapes the voice',
    ),
    ...voiceSections(reading),
  ]
}

/** Views, and files that the context map names, whose name or hint is about a voice. */
function voiceOf({ files, guide }: Reading): string[] {
  const hintFor = (path: string) => guide.map.filter((entry) => entry.path === path).map(({ hint }) => hint)
  // A map cannot open raw sources, indexes and records.
  const mapped = guide.map.filter(({ layer, isDirectory }) => !isDirectory && /^(?:wiki|documents)$/.test(layer))
  return [...files.list('compiled'), ...mapped.map(({ path }) => path)].filter(
    (path) => isProse(path) && shapesVoice([pathWords(path), ...hintFor(path)].join(' ')),
  )
}

/** Sections of a persona's document that shape its voice, if no slice of it does. */
function voiceSections({ files, words, manifest }: Reading): Choice[] {
  const path = manifest.primaryDocument ?? files.list('documents').find(isProse)
  const hasSlices = files.list('compiled/splits').some(isProse)
  const file = manifest.mode === 'persona' && path !== undefined && !hasSlices ? files.read(path) : undefined
  if (file === undefined) return []
  return packSections(file.path, file.text)
    .filter(({ title }) => shapesVoice(title))
    .map((section) => chooseLines(file, section, 'section', words, 'shapes the voice'))
}

/** For a task that matches nothing: the short views. */
export function chooseDefaults(reading: Reading, healthOf: (path: string) => FileHealth): Choice[] {
  const { files, words } = reading
  const isUsable = (path: string) => isProse(path) && files.sizeOf(path) !== undefined && !healthOf(path).isFailed
  const views = STANDARD_VIEWS.filter(isUsable)
  const others = files.list('compiled').filter((path) => isUsable(path) && !path.startsWith('compiled/splits/'))
  const paths = views.length > 0 ? views : others.slice(0, 3)
  return paths.flatMap((path) => {
    const file = files.read(path)
    return file === undefined || file.text.trim() === '' ? [] : [chooseFile(file, 'view', words, 'standard view')]
  })
}

const MOST_PAGES = 4

/** For views that are out of date: the pages of their stale claims, or the page that says most about the task. */
export function choosePagesOfClaims(reading: Reading, healths: ReadonlyMap<string, FileHealth>): Choice[] {
  const { files, hits, words } = reading
  if (![...healths.values()].some(({ isStale }) => isStale)) return []
  const stale = claimsOf(healths).filter(({ status }) => status === 'stale')
  const named = stale.flatMap(({ compiledInto }) => compiledInto.map(({ path }) => path)).filter(isPage)
  const pages =
    named.length > 0
      ? named
      : hits
          .map(({ path }) => path)
          .filter(isPage)
          .slice(0, 1)
  return [...new Set(pages)].slice(0, MOST_PAGES).flatMap((path) => {
    const file = files.sizeOf(path) === undefined ? undefined : files.read(path)
    return file === undefined ? [] : [chooseFile(file, 'page', words, 'it has a claim that is out of date in a view')]
  })
}

function isPage(path: string): boolean {
  return path.startsWith('wiki/') && isContent(path)
}

/** Pages about what is disputed: those that disputed claims name, else those that match the task. */
export function chooseContradictions(reading: Reading, healths: ReadonlyMap<string, FileHealth>): Choice[] {
  const { files, hits, words, request } = reading
  const isDisputed = request.isDisputed || [...healths.values()].some((health) => health.isDisputed)
  if (!isDisputed) return []
  const pages = files.list('wiki/contradictions').filter(isProse)
  const claims = claimsOf(healths).filter(({ status }) => status === 'disputed')
  const named = claims.flatMap(({ compiledInto }) => compiledInto.map(({ path }) => path))
  const direct = pages.filter((path) => named.includes(path))
  const related = pages.filter((path) => hits.some((hit) => hit.path === path))
  const narrow = direct.length > 0 ? direct : related
  const chosen = narrow.length > 0 && !request.isDisputed ? narrow : pages
  return chosen.slice(0, MOST_PAGES).flatMap((path) => {
    const file = files.read(path)
    return file === undefined ? [] : [chooseFile(file, 'contradiction', words, 'a claim in play is disputed')]
  })
}
