import type { PackWarning } from '../pack.ts'
import type { FileHealth } from '../records/health.ts'
import type { Claim } from '../records/source-map.ts'
import { createMention, shareOf, withoutWords, wordsIn } from '../task-words.ts'
import { chooseFile, pathWords, speaksOf } from './choice.ts'
import { chooseSections, documentPaths } from './documents.ts'
import type { Reading } from './reading.ts'
import type { Choice, Escalation } from './resolution.ts'
import { findPages, linksOf, wikiPages } from './wiki-pages.ts'

/** Below this share of the task's words the views do not answer it. */
export const SUFFICIENT = 0.6

// Comparing and asking for causes takes more than a short view says.
const MANY_SIDED =
  /\b(?:compar\w*|versus|vs\.?|differen(?:ce|t|ces) between|better than|trade-?offs?|relat(?:ion|ionship)s? between|because of|root cause|why|lead to|depends? on|in detail|step by step|everything about)\b|\u6bd4\u8f83|\u5bf9\u6bd4|\u533a\u522b|\u4e3a\u4ec0\u4e48|\u539f\u56e0|\u5173\u7cfb/i

/** Why what was chosen so far is not enough. Empty when it is. */
export function findEscalations(
  reading: Reading,
  views: readonly Choice[],
  healths: ReadonlyMap<string, FileHealth>,
): Escalation[] {
  const { request, words } = reading
  const reasons: Escalation[] = []
  const all = [...healths.values()]
  if (all.some(({ isFailed }) => isFailed)) reasons.push('failed-run')
  if (views.length === 0) reasons.push('no-view')
  if (all.some(({ isStale }) => isStale)) reasons.push('stale')
  if (request.mustEscalate || all.some(({ isDisputed }) => isDisputed)) reasons.push('disputed')
  if (views.length > 0 && shareOf(words, coveredWords(reading, views)) < SUFFICIENT) reasons.push('insufficient')
  if (request.isDeep || MANY_SIDED.test(request.task) || joinsPages(reading)) reasons.push('multi-hop')
  if (mappedPages(reading).length > 0) reasons.push('map')
  return reasons
}

function coveredWords({ words }: Reading, choices: readonly Choice[]): Set<string> {
  return wordsIn(words, choices.map(({ part }) => part.text).join('\n'))
}

/** Whether the task names two pages that one link joins. Names are compared first; only then are pages opened. */
function joinsPages(reading: Reading): boolean {
  const { words, files } = reading
  const seen = new Set<string>()
  const named: string[] = []
  const mentions = createMention(words)
  for (const path of wikiPages(reading)) {
    if (!/^wiki\/(?:entities|concepts)\//.test(path) || !mentions(path)) continue
    const found = wordsIn(words, pathWords(path))
    const isWhole = found.size > 0 && found.size >= wordCount(pathWords(path))
    if (!isWhole || [...found].every((word) => seen.has(word))) continue
    for (const word of found) seen.add(word)
    named.push(path)
    if (named.length === 3) break
  }
  if (named.length < 2) return false
  return named.some((path) => {
    const file = files.read(path)
    return file !== undefined && linksOf(file).some((link) => link.path !== path && named.includes(link.path))
  })
}

function wordCount(text: string): number {
  return text.split(' ').filter((word) => word !== '').length
}

/** Pages and documents that the map names for this task. */
function mappedPages({ guide, words, files }: Reading): string[] {
  return guide.map
    .filter(({ layer, isDirectory }) => (layer === 'wiki' || layer === 'documents') && !isDirectory)
    .filter(({ path, hint }) => path !== 'wiki/index.md' && speaksOf(words, hint) && files.sizeOf(path) !== undefined)
    .map(({ path }) => path)
}

const MOST_PAGES = 5
/** How sure the ranker has to be that a page is about a claim. */
const CLEARLY_ABOUT = 0.3
/** Of many claims that are out of date, those that the task is most about. */
const MOST_CLAIMS = 8
const MOST_LINKED = 2
const MOST_CONTRADICTIONS = 4

/** Pages and sections beyond the views, each for one of the reasons. */
export function chooseDeeper(
  reading: Reading,
  reasons: readonly Escalation[],
  views: readonly Choice[],
  healths: ReadonlyMap<string, FileHealth>,
): { choices: Choice[]; warnings: PackWarning[] } {
  const chosen = new Map<string, Choice[]>(views.map((view) => [view.part.path, [view]]))
  const added: Choice[] = []
  const warnings: PackWarning[] = []
  const add = (path: string, rule: Choice['rule'], why: string) => {
    if (chosen.has(path)) return
    const file = reading.files.read(path)
    if (file === undefined || file.text.trim() === '') return
    const choice = chooseFile(file, rule, reading.words, why)
    chosen.set(path, [choice])
    added.push(choice)
  }
  if (reasons.includes('disputed')) {
    for (const path of contradictions(reading, healths)) add(path, 'contradiction', 'a claim in play is disputed')
  }
  for (const path of pagesOfClaims(reading, healths)) add(path, 'page', 'it holds a claim that a view has out of date')
  for (const path of mappedPages(reading)) {
    if (path.startsWith('wiki/')) add(path, 'map', 'the map names it for this task')
  }
  const found = relatedPages(reading, reasons, views)
  warnings.push(...found.warnings)
  for (const path of found.paths) add(path, 'page', 'it is about the task')
  for (const path of linkedPages(reading, added)) add(path, 'linked-page', 'a chosen page links to it')
  const sections = documentPaths(reading)
    .filter((path) => !chosen.has(path))
    .slice(0, 2)
    .flatMap((path) => chooseSections(reading, path, 'section'))
    .filter((choice) => tellsMore(reading, choice, [...views, ...added], reasons))
  return { choices: [...added, ...sections], warnings }
}

/** The views as such cannot be relied on, or the task is larger than they are. */
function isWideReason(reason: Escalation): boolean {
  return reason !== 'insufficient' && reason !== 'map'
}

/** Which pages fit the task. When words were missing, only pages that hold one of those. */
function relatedPages(
  reading: Reading,
  reasons: readonly Escalation[],
  views: readonly Choice[],
): { paths: string[]; warnings: readonly PackWarning[] } {
  const isWide = reasons.some(isWideReason)
  if (!isWide && !reasons.includes('insufficient')) return { paths: [], warnings: [] }
  const { paths, warnings } = findPages(reading, reading.request.task, MOST_PAGES, 0)
  const wanted = isWide ? reading.words : withoutWords(reading.words, coveredWords(reading, views))
  const fitting = paths.filter((path) => {
    if (/^wiki\/(?:open-questions|contradictions)\//.test(path)) return false
    return speaksOf(wanted, `${pathWords(path)} ${reading.files.read(path)?.text ?? ''}`)
  })
  return { paths: fitting, warnings }
}

/** One hop from the chosen pages: what holds words of the task that no chosen page holds by name. */
function linkedPages(reading: Reading, choices: readonly Choice[]): string[] {
  const pages = choices.filter(({ part }) => part.layer === 'wiki')
  const rest = withoutWords(reading.words, wordsIn(reading.words, pages.map(({ part }) => part.text).join('\n')))
  if (rest.size === 0) return []
  const linked = pages.flatMap(({ part }) => linksOf(part))
  const fitting = linked.filter(({ path, label }) => speaksOf(rest, `${pathWords(path)} ${label}`))
  return [...new Set(fitting.map(({ path }) => path))].slice(0, MOST_LINKED)
}

function contradictions(reading: Reading, healths: ReadonlyMap<string, FileHealth>): string[] {
  const pages = wikiPages(reading).filter((path) => path.startsWith('wiki/contradictions/'))
  const claims = claimsOf(healths).filter(({ status }) => status === 'disputed')
  const named = claims.flatMap(({ compiledInto }) => compiledInto.map(({ path }) => path))
  const direct = pages.filter((path) => named.includes(path))
  return (direct.length > 0 && !reading.request.mustEscalate ? direct : pages).slice(0, MOST_CONTRADICTIONS)
}

/** Where else a claim stands that is out of date in a view; without a note of it, the pages that are about it. */
function pagesOfClaims(reading: Reading, healths: ReadonlyMap<string, FileHealth>): string[] {
  const { words } = reading
  const stale = claimsOf(healths)
    .filter(({ status }) => status === 'stale')
    .map((claim) => ({ ...claim, share: shareOf(words, wordsIn(words, claim.text)) }))
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_CLAIMS)
  const pages = new Set(wikiPages(reading))
  const found = stale.flatMap(({ compiledInto, text }) => {
    const own = compiledInto.map(({ path }) => path).filter((path) => pages.has(path))
    return own.length > 0 ? own : findPages(reading, text, 1, CLEARLY_ABOUT).paths
  })
  return [...new Set(found)].slice(0, MOST_PAGES)
}

export function claimsOf(healths: ReadonlyMap<string, FileHealth>): Claim[] {
  const claims = [...healths.values()].flatMap((health) => health.claims)
  return [...new Map(claims.map((claim) => [claim.id, claim])).values()]
}

/** Whether a section says something that is not there yet. Slices repeat their document. */
function tellsMore(
  reading: Reading,
  { part }: Choice,
  others: readonly Choice[],
  reasons: readonly Escalation[],
): boolean {
  const flat = (text: string) => text.replace(/^#.*$/gm, '').replace(/\s+/g, ' ').trim()
  const own = flat(part.text)
  if (own === '' || others.some(({ part: other }) => flat(other.text).includes(own))) return false
  return reasons.some(isWideReason) || speaksOf(withoutWords(reading.words, coveredWords(reading, others)), part.text)
}
