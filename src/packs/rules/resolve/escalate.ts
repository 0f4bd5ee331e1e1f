import { readTaskWords, shareOf, type TaskWords, withoutWords, wordsIn } from '../../../search/task-words.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { isContent, isProse } from '../pack.ts'
import { claimsOf, type FileHealth } from '../records/health.ts'
import { type Choice, chooseFile, mentionsTask, pathWords } from './choice.ts'
import { bestStatement, SUFFICIENT } from './relevance.ts'
import type { Escalation, Reading } from './resolution.ts'
import type { SectionHit } from './section-index.ts'
import { chooseHits, SECTION_ROOM } from './views.ts'

// Comparisons and questions about causes need more than a short view.
const MANY_SIDED =
  /\b(?:compar\w*|versus|vs\.?|differen(?:ce|t|ces) between|better than|trade-?offs?|relat(?:ion|ionship)s? between|because of|root cause|why|lead to|depends? on|in detail|step by step|everything about)\b|\u6bd4\u8f83|\u5bf9\u6bd4|\u533a\u522b|\u4e3a\u4ec0\u4e48|\u539f\u56e0|\u5173\u7cfb/i

/** Why the views are not enough. Empty if they are. */
export function findEscalations(
  reading: Reading,
  views: readonly Choice[],
  healths: ReadonlyMap<string, FileHealth>,
): Escalation[] {
  const { request } = reading
  const reasons: Escalation[] = []
  const all = [...healths.values()]
  if (all.some(({ isFailed }) => isFailed)) reasons.push('failed-run')
  if (views.length === 0) reasons.push('no-view')
  if (all.some(({ isStale }) => isStale)) reasons.push('stale')
  if (request.mustEscalate || all.some(({ isDisputed }) => isDisputed)) reasons.push('disputed')
  if (views.length > 0 && bestStatement(reading, views).share < SUFFICIENT) reasons.push('insufficient')
  if (request.isDeep || MANY_SIDED.test(request.task) || isManyPaged(reading)) reasons.push('multi-hop')
  if (mappedPages(reading).length > 0) reasons.push('map')
  return reasons
}

/** Whether the task names two pages by their full titles. */
function isManyPaged(reading: Reading): boolean {
  const seen = new Set<string>()
  const named = reading.hits.filter(({ path }) => {
    if (!/^wiki\/(?:entities|concepts)\//.test(path)) return false
    const title = pathWords(path)
    const found = wordsIn(reading.words, title)
    const isWhole = found.size > 0 && found.size >= title.split(' ').filter((word) => word !== '').length
    if (!isWhole || [...found].every((word) => seen.has(word))) return false
    for (const word of found) seen.add(word)
    return true
  })
  return named.length > 1
}

/** Pages and documents whose hint in the context map fits the task. */
function mappedPages({ guide, words, files }: Reading): string[] {
  return guide.map
    .filter(({ layer, isDirectory }) => (layer === 'wiki' || layer === 'documents') && !isDirectory)
    .filter(
      ({ path, hint }) => path !== 'wiki/index.md' && mentionsTask(words, hint) && files.sizeOf(path) !== undefined,
    )
    .map(({ path }) => path)
}

const MOST_PAGES = 20
/** The maximum number of stale claims, the closest to the task first. */
const MOST_CLAIMS = 8
const MOST_CONTRADICTIONS = 4

/** Chooses pages and sections beyond the views, for the given reasons. */
export function chooseDeeper(
  reading: Reading,
  reasons: readonly Escalation[],
  views: readonly Choice[],
  healths: ReadonlyMap<string, FileHealth>,
): Choice[] {
  const chosen = new Set(views.map(({ part }) => part.path))
  const added: Choice[] = []
  const add = (path: string, rule: Choice['rule'], why: string) => {
    if (chosen.has(path)) return
    const file = reading.files.read(path)
    if (file === undefined || file.text.trim() === '') return
    chosen.add(path)
    added.push(chooseFile(file, rule, reading.words, why))
  }
  if (reasons.includes('disputed')) {
    for (const path of contradictions(reading, healths)) add(path, 'contradiction', 'a claim in play is disputed')
  }
  for (const path of pagesOfClaims(reading, healths)) add(path, 'page', 'it has a claim that is out of date in a view')
  for (const path of mappedPages(reading)) {
    if (path.startsWith('wiki/')) add(path, 'map', 'the map names it for this task')
  }
  return [...added, ...relatedSections(reading, reasons, [...views, ...added])]
}

/** Reasons that concern the whole pack: unreliable views, or a task that is too large for them. */
function isWideReason(reason: Escalation): boolean {
  return reason !== 'insufficient' && reason !== 'map'
}

/** Sections below this share of the best score are noise. */
const CLOSE = 0.45

/** The minimum room for pages and documents, in tokens. */
const LEAST_ROOM = 600

/** The best sections of pages and documents that add something to the chosen text. */
function relatedSections(reading: Reading, reasons: readonly Escalation[], chosen: readonly Choice[]): Choice[] {
  const isWide = reasons.some(isWideReason)
  if (!isWide && !reasons.includes('insufficient')) return []
  const own = reading.hits.filter(isBelowViews).filter((hit) => !isTaken(hit, chosen))
  const close = own.filter(({ score }) => score >= CLOSE * (own[0]?.score ?? 0)).slice(0, MOST_PAGES)
  const telling = close.filter((hit) => {
    const fresh = chooseHits(reading, [hit], { rule: 'page' })
    return (
      !fresh.every(({ part }) => chosen.some((other) => covers(other, part))) &&
      tellsMore(reading, fresh, chosen, isWide)
    )
  })
  const taken = chosen.filter(({ rule }) => rule !== 'view').map(({ part }) => estimateTokens(part.text))
  const room = Math.max(LEAST_ROOM, SECTION_ROOM - taken.reduce((sum, tokens) => sum + tokens, 0))
  const found = chooseHits(reading, telling, { rule: 'page', why: 'it is about the task', room })
  return found.map((choice) => (choice.part.layer === 'wiki' ? choice : { ...choice, rule: 'section' }))
}

function isPage({ path }: SectionHit): boolean {
  return path.startsWith('wiki/')
}

function isBelowViews({ path }: SectionHit): boolean {
  return /^(?:wiki|documents)\//.test(path) && !/^wiki\/(?:open-questions|contradictions)\//.test(path)
}

function isTaken({ path, from, to }: SectionHit, chosen: readonly Choice[]): boolean {
  return chosen.some(({ part }) => part.path === path && (part.lines?.from ?? 1) <= to && from <= (part.lines?.to ?? 0))
}

function covers({ part: other }: Choice, part: Choice['part']): boolean {
  const flat = (text: string) => text.replace(/^#.*$/gm, '').replace(/\s+/g, ' ').trim()
  return flat(other.text).includes(flat(part.text))
}

/** Whether a section has words of the task that the chosen text lacks, or a better statement. */
function tellsMore(reading: Reading, fresh: readonly Choice[], others: readonly Choice[], isWide: boolean): boolean {
  if (isWide) return fresh.some(({ part }) => mentionsTask(reading.words, `${pathWords(part.path)} ${part.text}`))
  const rest: TaskWords = withoutWords(
    reading.words,
    wordsIn(reading.words, others.map(({ part }) => part.text).join('\n')),
  )
  if (fresh.some(({ part }) => mentionsTask(rest, part.text))) return true
  return bestStatement(reading, fresh).share >= bestStatement(reading, others).share
}

function contradictions(reading: Reading, healths: ReadonlyMap<string, FileHealth>): string[] {
  const pages = reading.files.list('wiki/contradictions').filter(isProse)
  const claims = claimsOf(healths).filter(({ status }) => status === 'disputed')
  const named = claims.flatMap(({ compiledInto }) => compiledInto.map(({ path }) => path))
  const direct = pages.filter((path) => named.includes(path))
  const related = pages.filter((path) => reading.hits.some((hit) => hit.path === path))
  const narrow = direct.length > 0 ? direct : related
  return (narrow.length > 0 && !reading.request.mustEscalate ? narrow : pages).slice(0, MOST_CONTRADICTIONS)
}

/** The pages that contain the stale claims of a view; if none is recorded, the page that is most about the claim. */
function pagesOfClaims(reading: Reading, healths: ReadonlyMap<string, FileHealth>): string[] {
  const { words, files } = reading
  const stale = claimsOf(healths)
    .filter(({ status }) => status === 'stale')
    .map((claim) => ({ ...claim, share: shareOf(words, wordsIn(words, claim.text)) }))
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_CLAIMS)
  const found = stale.flatMap(({ compiledInto, text }) => {
    const own = compiledInto
      .map(({ path }) => path)
      .filter((path) => path.startsWith('wiki/') && isContent(path) && files.sizeOf(path) !== undefined)
    return own.length > 0 ? own : pagesAbout(reading, text)
  })
  return [...new Set(found)].slice(0, MOST_PAGES)
}

/** The page that is most about a claim; at most one. */
function pagesAbout({ sections }: Reading, text: string): string[] {
  const words = readTaskWords(text)
  const hits = sections.rank(text, 8).filter(isBelowViews).filter(isPage)
  const about = hits.filter(({ terms }) => shareOf(words, new Set(terms)) >= CLEARLY_ABOUT)
  return about.slice(0, 1).map(({ path }) => path)
}

/** The least share of a claim's words in a page about it. */
const CLEARLY_ABOUT = 0.3
