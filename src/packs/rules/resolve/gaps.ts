import { asTyped, matchAny, readTaskWords, shareOf, type TaskWords, wordsIn } from '../../../search/task-words.ts'
import { termsOf } from '../../../search/tokens.ts'
import { type ClaimStatus, isProse, type PackWarning } from '../pack.ts'
import { findInlineAnchors } from '../records/anchor.ts'
import { shownText } from '../shown-text.ts'
import { type Choice, pathWords } from './choice.ts'
import { bestStatement, concerns, SUFFICIENT } from './relevance.ts'
import { documentPaths, type PackResolution, type Reading } from './resolution.ts'

/** The task must mention at least this share of a gap's words. */
const ABOUT_THE_TASK = 0.5

/** A text with this share of a statement's words makes the statement. */
const MOSTLY = 0.6

/** The facts that the task needs and the pack does not have. */
export function findMissing(reading: Reading, choices: readonly Choice[], isAnswered: boolean): string[] {
  const { request, manifest } = reading
  const known = knownGaps(reading)
  const missing = [
    ...request.needs.filter((need) => isOpen(readTaskWords(need), choices, known)),
    ...known.filter((gap) => isAsked(reading, gap)).map(({ text }) => text),
  ]
  if (manifest.profile === 'document-first' && !hasDocument(reading)) missing.push('the document of this pack')
  if (missing.length === 0 && !isAnswered) missing.push(...notFound(reading, choices))
  return [...new Set(missing.map((text) => shownText(text, 160)))]
}

/** The words of an unanswered task that no chosen statement mentions. Empty for a persona, which answers anything. */
function notFound(reading: Reading, choices: readonly Choice[]): string[] {
  const { request, words, manifest, sections } = reading
  if (manifest.mode === 'persona') return []
  const said = bestStatement(reading, choices)
  const text = choices.map(({ part }) => part.text).join('\n')
  const unnamed = namesIn(request.task).filter((name) => !isNamedIn(name, text))
  const open = [...words].filter(([word, weight]) => weight === 1 && !said.words.has(word)).map(([word]) => word)
  const held = new Set(termsOf(`${manifest.description} ${text}`))
  // A word that occurs nowhere in the pack was not answered, even if the rest of the task was.
  const unknown = [...words].filter(([word, weight]) => weight === 1 && !held.has(word)).map(([word]) => word)
  const nowhere = unknown.filter((word) => sections.size > 0 && sections.holders(word) === 0)
  const unsaid = asTyped(request.task, said.share >= SUFFICIENT ? nowhere : open)
  const lacking = [...new Set([...unnamed, ...unsaid])]
  return lacking.length === 0 ? [] : [`nothing was found about: ${lacking.join(', ')}`]
}

/** Names: words with a capital letter in the middle of a sentence. */
function namesIn(task: string): string[] {
  return [...task.matchAll(/(?<=[\p{Ll}\p{N},] )\p{Lu}[\p{L}\p{N}]+/gu)].map(([name]) => name)
}

/** A name needs an exact match; a name like `WebSocket` needs its words next to each other. */
function isNamedIn(name: string, text: string): boolean {
  const terms = termsOf(name)
  if (terms.length < 2) return terms.every((term) => termsOf(text).includes(term))
  return text
    .replace(/[\s_-]+/g, '')
    .toLowerCase()
    .includes(name.toLowerCase())
}

interface KnownGap {
  text: string
  /** The id of the claim, or empty. */
  id: string
}

/** The gaps that the pack itself declares. */
function knownGaps(reading: Reading): KnownGap[] {
  const { claims, runs } = reading.records
  const chapters = runs.flatMap(({ run }) => run.chapters)
  return [
    ...claims.filter(isMissing),
    ...openQuestions(reading).map((text) => ({ text, id: '' })),
    ...chapters
      .filter(({ coverage }) => coverage !== 'full' && coverage !== 'partial')
      .map(({ title }) => ({ text: title, id: '' })),
  ]
}

/** Whether the chosen text lacks a fact, or the pack declares it as a gap. */
function isOpen(need: TaskWords, choices: readonly Choice[], known: readonly KnownGap[]): boolean {
  if (need.size === 0) return false
  return bestStatement({ rareWords: need }, choices).share < MOSTLY || known.some(({ text }) => isSaidBy(need, text))
}

/** Whether a text has most of these words. */
function isSaidBy(words: TaskWords, text: string): boolean {
  return words.size > 0 && shareOf(words, wordsIn(words, text)) >= MOSTLY
}

function isMissing({ status }: { status: ClaimStatus }): boolean {
  return status === 'missing' || status === 'source-required'
}

/** Whether the task asks about a gap. */
function isAsked({ request }: Reading, { text, id }: KnownGap): boolean {
  return [text, `${id} ${text}`].some((about) => {
    const words = readTaskWords(about)
    return words.size > 0 && shareOf(words, wordsIn(words, request.task)) >= ABOUT_THE_TASK
  })
}

/** The pack's open questions, except those that a claim already covers. */
function openQuestions(reading: Reading): string[] {
  const claimed = new Set(
    reading.records.claims.filter(isMissing).flatMap(({ compiledInto }) => compiledInto.map(({ path }) => path)),
  )
  return reading.files
    .list('wiki/open-questions')
    .filter((path) => isProse(path) && !claimed.has(path))
    .map(pathWords)
}

export function hasDocument(reading: Reading): boolean {
  const { primaryDocument } = reading.manifest
  return primaryDocument === undefined
    ? documentPaths(reading).length > 0
    : reading.files.sizeOf(primaryDocument) !== undefined
}

/** Statements about the task without a source, for a pack that requires sources. */
export function findUncited(reading: Reading, choices: readonly Choice[]): { path: string; line: number }[] {
  const { records } = reading
  return choices.flatMap(({ part }) => {
    if (!['compiled', 'wiki', 'documents'].includes(part.layer)) return []
    const anchored = new Set(findInlineAnchors(part.text).map(({ line }) => line))
    const own = records.claims.filter(({ compiledInto }) => compiledInto.some(({ path }) => path === part.path))
    const claims = own.map(({ text }) => readTaskWords(text))
    const isClaimed = matchAny(claims, MOSTLY)
    return statementLines(part.text)
      .filter(({ line, text }) => !anchored.has(line) && !isClaimed(text) && concerns(reading, text))
      .map(({ line }) => ({ path: part.path, line: (part.lines?.from ?? 1) + line - 1 }))
  })
}

/** Lines with a statement. Skips headings, tables, code, bare links, prohibitions and empty lines. */
function statementLines(text: string): { line: number; text: string }[] {
  let isCode = false
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isCode = !isCode
      return []
    }
    const isStatement = !isCode && !/^\s*(?:#|\||>|<!--|$|[-=]{3,}\s*$)/.test(line) && /[\p{L}\p{N}]/u.test(line)
    const isRule = /^[\s*+\d.)-]*(?:never|do not|don't)\b/i.test(line)
    const isLink = /^\s*(?:[-*+]|\d+\.)?\s*(?:see )?\[[^\]]*\]\([^)]*\)[^\p{L}]*$/iu.test(line)
    return isStatement && !isLink && !isRule ? [{ line: at + 1, text: line }] : []
  })
}

export function uncitedWarnings(uncited: readonly { path: string; line: number }[]): PackWarning[] {
  return [...new Set(uncited.map(({ path }) => path))].map((path) => {
    const lines = uncited.filter((each) => each.path === path).map(({ line }) => line)
    const message = `${lines.length === 1 ? 'a statement names' : `${lines.length} statements name`} no source: line ${summarizeLines(lines)}`
    return { severity: 'warning', code: 'grounding.uncited', path, message }
  })
}

/** What a model should do about a gap. */
export const RECOMMENDATION = 'ask_user_or_mark_unknown'

/** All gaps: missing facts and missing sources. */
export function allGaps({ missing, citationGaps }: Pick<PackResolution, 'missing' | 'citationGaps'>): string[] {
  const sources = [...new Set(citationGaps.map(({ path }) => path))].map((path) => {
    const lines = citationGaps.filter((each) => each.path === path).map(({ line }) => line)
    return `a source for ${path}, line${lines.length > 1 ? 's' : ''} ${summarizeLines(lines)}`
  })
  return [...missing, ...sources]
}

const MOST_LINES = 8

/** The first line numbers, and how many more there are. */
function summarizeLines(lines: readonly number[]): string {
  const shownLines = lines.slice(0, MOST_LINES).join(', ')
  return lines.length > MOST_LINES ? `${shownLines} and ${lines.length - MOST_LINES} more` : shownLines
}
