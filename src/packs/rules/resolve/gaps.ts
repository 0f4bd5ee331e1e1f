import { asTyped, matchAny, readTask, shareOf, type Task, type TaskWords, wordsIn } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { findInlineAnchors } from '../anchors.ts'
import { isProse, type PackManifest, type PackWarning, packSections } from '../pack.ts'
import { shownText } from '../shown-text.ts'
import {
  type Choice,
  hasDocument,
  isAbout,
  matchedShare,
  type PackResolution,
  pathWords,
  type Reading,
} from './choose.ts'
import { statementsOf } from './sections.ts'

/** The task must mention at least this share of a gap's words. */
const ABOUT_THE_TASK = 0.5

/** A text with this share of a statement's words makes the statement. */
const MOSTLY = 0.6

/** Of a stem, from near 0 to 1. */
type Rarity = (term: string) => number

/** Everything that was chosen of one pack. */
interface Given {
  manifest: Pick<PackManifest, 'name' | 'description' | 'mode'>
  resolution: Pick<PackResolution, 'choices' | 'isAnswered' | 'missing'>
}

/**
 * What the task asks and nothing that was chosen says, judged once over all packs. Not for personas, which answer
 * anything.
 */
export function findMissing(task: Task, needs: readonly string[], given: readonly Given[], rarity: Rarity): string[] {
  const unmet = needs.filter((need) => !isSaid(readTask(need).words, given))
  const facts = given.filter(({ manifest }) => manifest.mode !== 'persona')
  const isOpen = facts.every(({ resolution }) => !resolution.isAnswered && resolution.missing.length === 0)
  const isJudged = unmet.length === 0 && facts.length > 0 && isOpen
  return [...unmet, ...(isJudged ? notFound(task, given, rarity) : [])].map((text) => shownText(text, 160))
}

/** Whether a statement has most of these words and does not deny them, and no pack declares them as a gap. */
function isSaid(words: TaskWords, given: readonly Given[]): boolean {
  if (words.size === 0) return true
  if (given.some(({ resolution }) => resolution.missing.some((gap) => matchedShare(words, gap) >= MOSTLY))) return false
  return given.some(({ resolution }) =>
    resolution.choices.some(({ path, text }) =>
      packSections(path, text).some((section) => {
        const above = `${pathWords(path)} ${section.title}`
        return statementsOf(section).some(({ text: statement }) => {
          const sentences = statement.split(SENTENCE_END).filter((sentence) => !DENIES.test(sentence))
          return sentences.length > 0 && matchedShare(words, `${above} ${sentences.join(' ')}`) >= MOSTLY
        })
      }),
    ),
  )
}

const SENTENCE_END = /(?<=[.!?\u3002\uff01\uff1f])\s+/u
const DENIES =
  /\b(?:never|must not|do not|may not|not (?:allowed|approved|known|published|stated|available)|unknown|no (?:\S+ )?\S+ (?:is|are|exists?))\b/i

/** A task is doubted if words of this share of its weight stand nowhere in what is given. */
const LEAST_ABSENT = 0.25

/** The words of the task that stand nowhere in what is given. A related word does not say it, nor a part of a name. */
function notFound({ text: typed, words, terms: asked }: Task, given: readonly Given[], rarity: Rarity): string[] {
  const texts = given.flatMap(({ manifest, resolution }) => [
    `${manifest.name.replace(/-/g, ' ')} ${manifest.description}`,
    ...resolution.choices.map(({ path, text: given }) => `${pathWords(path)} ${given}`),
  ])
  const text = texts.join('\n')
  const terms = new Set(termsOf(text))
  // Most languages have more forms of a word than the stems of the search know.
  const hasForm = (word: string) =>
    word.length >= 6 && [...terms].some((term) => term.startsWith(word.slice(0, Math.max(5, word.length - 3))))
  const isAbsent = (word: string) => words.get(word) === 1 && !terms.has(word) && !hasForm(word)
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
  const names = asked.flatMap(({ term, kind }) => (kind === 'joined' && !letters.includes(term) ? [term] : []))
  const absent = [...withoutLonePairs([...words.keys()], isAbsent), ...new Set(names)]
  const weigh = (some: Iterable<string>) =>
    [...some].reduce((sum, word) => sum + (words.get(word) ?? 1) * rarity(word), 0)
  const share = weigh(absent) / weigh(new Set([...words.keys(), ...names]))
  return share >= LEAST_ABSENT ? [`nothing was found about: ${asTyped(typed, absent).join(', ')}`] : []
}

/** Chinese and similar scripts are read as pairs of characters. Many pairs are not words, so a few do not count. */
function withoutLonePairs(words: readonly string[], isAbsent: (word: string) => boolean): string[] {
  const isPair = (word = '') => /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}$/.test(word)
  const runFrom = (at: number, step: number): number =>
    isPair(words[at]) && isAbsent(words[at]!) ? 1 + runFrom(at + step, step) : 0
  return words.filter((word, at) => isAbsent(word) && (!isPair(word) || runFrom(at, 1) + runFrom(at, -1) > 3))
}

/** The gaps that the pack itself declares and the task asks about: claims, open questions, missing chapters. */
export function findDeclared(reading: Reading): string[] {
  const { records, files, manifest, request } = reading
  const claims = records.claims.filter(({ status }) => status === 'missing' || status === 'source-required')
  const claimed = new Set(claims.flatMap(({ compiledInto }) => compiledInto))
  const questions = files.list('wiki/open-questions').filter((path) => isProse(path) && !claimed.has(path))
  const chapters = records.runs
    .flatMap(({ run }) => run.chapters)
    .filter(({ coverage }) => coverage !== 'full' && coverage !== 'partial')
  const isAsked = (about: string) => {
    const { words } = readTask(about)
    return words.size > 0 && shareOf(words, wordsIn(words, request.task.text)) >= ABOUT_THE_TASK
  }
  const gaps = [
    ...claims.filter(({ id, text }) => isAsked(text) || isAsked(`${id} ${text}`)).map(({ text }) => text),
    ...questions.map(pathWords).filter(isAsked),
    ...chapters.map(({ title }) => title).filter(isAsked),
    ...(manifest.profile === 'document-first' && !hasDocument(reading) ? ['the document of this pack'] : []),
  ]
  return [...new Set(gaps.map((text) => shownText(text, 160)))]
}

/** A statement with this share of the task's words needs a source. */
const HALF = 0.5

/** Statements about the task without a source, for a pack that requires sources. */
export function findUncited(reading: Reading, choices: readonly Choice[]): { path: string; line: number }[] {
  const { records } = reading
  return choices.flatMap((part) => {
    if (!['compiled', 'wiki', 'documents'].includes(part.layer)) return []
    const anchored = new Set(findInlineAnchors(part.text).map(({ line }) => line))
    const own = records.claims.filter(({ compiledInto }) => compiledInto.includes(part.path))
    const claims = own.map(({ text }) => readTask(text).words)
    const isClaimed = matchAny(claims, MOSTLY)
    return statementLines(part.text)
      .filter(({ line, text }) => !anchored.has(line) && !isClaimed(text) && isAbout(reading, text, HALF))
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
