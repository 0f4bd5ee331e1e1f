import { asTyped, matchAny, readTask, shareOf, type Task, type TaskWords, wordsIn } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { relatedTo } from '../../../search/word-lists.ts'
import { report } from '../../../text/trouble.ts'
import { findInlineAnchors } from '../anchors.ts'
import { hasDocument } from '../guide.ts'
import { isProse, type PackManifest, type PackWarning, packSections, shownText } from '../pack.ts'
import { type Choice, matchedShare, pathWords } from './choose.ts'
import { isAbout, type PackRequest, type PackResolution, type Reading } from './resolve-pack.ts'
import { statementsOf } from './sections.ts'

/** A text with this share of a statement's words makes the statement. */
const MOSTLY = 0.6

/** Everything that was chosen of one pack. */
interface Given {
  manifest: Pick<PackManifest, 'name' | 'description' | 'mode'>
  resolution: Pick<PackResolution, 'choices' | 'isAnswered' | 'missing'>
}

/**
 * What the task asks and nothing that is delivered says, judged once over all packs and what stands beside them. Not for personas, which answer
 * anything.
 */
export function findMissing(
  task: Task,
  needs: readonly string[],
  { given, besides }: { given: readonly Given[]; besides: readonly string[] },
  rarity: PackRequest['rarity'],
): string[] {
  const unmet = needs.filter((need) => !isSaid(readTask(need).words, given))
  const facts = given.filter(({ manifest }) => manifest.mode !== 'persona')
  const isOpen = facts.every(({ resolution }) => !resolution.isAnswered && resolution.missing.length === 0)
  const isJudged = unmet.length === 0 && facts.length > 0 && isOpen
  return [...unmet, ...(isJudged ? notFound(task, given, besides, rarity) : [])].map((text) => shownText(text, 160))
}

/** Whether a statement has most of these words and does not deny them, and no pack declares them as a gap. */
function isSaid(words: TaskWords, given: readonly Given[]): boolean {
  if (words.size === 0) return true
  if (given.some(({ resolution }) => resolution.missing.some((gap) => matchedShare(words, gap) >= MOSTLY))) return false
  const passages = given.flatMap(({ resolution }) => resolution.choices.flatMap(passagesOf))
  return passages.some(({ above, section }) =>
    statementsOf(section).some(({ text }) => {
      const sentences = text.split(/(?<=[.!?\u3002\uff01\uff1f])\s+/u).filter((sentence) => !DENIES.test(sentence))
      return sentences.length > 0 && matchedShare(words, `${above} ${sentences.join(' ')}`) >= MOSTLY
    }),
  )
}

const DENIES =
  /\b(?:never|must not|do not|may not|not (?:allowed|approved|known|published|stated|available)|unknown|no (?:\S+ )?\S+ (?:is|are|exists?))\b/i

function passagesOf({ path, text }: Pick<Choice, 'path' | 'text'>) {
  return packSections(path, text).map((section) => ({ above: `${pathWords(path)} ${section.title}`, section }))
}

// Found with 68 questions to three packs of public documentation, one of them in Chinese.
/** A question is answered by a passage that has words of this share of its weight. */
const ANSWERED = 0.75
/** A longer task may need a further passage for each this many words. */
const WORDS_OF_ONE = 6

/**
 * Doubts a task if no passage has most of its words: they may all stand somewhere, and still nothing answers. Names the
 * words that stand nowhere or, if there are none, those that stand apart from the others.
 */
function notFound(
  task: Task,
  given: readonly Given[],
  besides: readonly string[],
  rarity: PackRequest['rarity'],
): string[] {
  const all = [...task.words.keys()]
  const words = all.filter((_, at) => !isLonePair(all, at, rarity))
  const isMain = (word: string) => task.words.get(word) === 1
  if (!words.some(isMain)) return []
  const texts = given.flatMap(({ manifest: { name, description }, resolution }) => [
    `${name.replace(/-/g, ' ')}\n${description}`,
    ...resolution.choices.map(({ path, text }) => `${pathWords(path)} ${text}`),
  ])
  const whole = new Terms([...texts, ...besides].join('\n'))
  // A name such as GraphQL, whose parts are words of their own.
  const names = new Set(task.terms.flatMap(({ term, kind }) => (kind === 'joined' ? [term] : [])))
  const unknown = [...names].filter((name) => !whole.letters.includes(name))
  const weights = words.map((word) => (task.words.get(word) ?? 1) * rarity(word))
  const worth = (credits: readonly number[]) => sum(credits.map((credit, at) => credit * weights[at]!))

  const own = given.flatMap(({ manifest, resolution }) => {
    const name = manifest.name.replace(/-/g, ' ')
    return resolution.choices.flatMap(passagesOf).map(({ above, section }) => `${name} ${above} ${section.text}`)
  })
  const passages = [...own, ...besides].map((text) => {
    const terms = new Terms(text)
    return words.map((word) => terms.credit(word))
  })
  let said = words.map(() => 0)
  const pairs = words.filter((word) => PAIR.test(word)).length
  for (let left = Math.ceil((words.length - pairs / 2) / WORDS_OF_ONE); left > 0; left--) {
    const together = passages.map((credits) => credits.map((credit, at) => Math.max(credit, said[at]!)))
    said = together.reduce((best, each) => (worth(each) > worth(best) ? each : best), said)
  }
  if (worth(said) / (sum(weights) + unknown.length) >= ANSWERED) return []
  const absent = [...words.filter((word) => isMain(word) && whole.credit(word) < 1), ...unknown]
  const apart = words.filter((word, at) => isMain(word) && said[at]! < 1)
  const shown = (some: readonly string[]) => asTyped(task.text, some).join(', ')
  if (absent.length > 0) return [`nothing was found about: ${shown(absent)}`]
  // Only everyday words are left: there is nothing to name.
  return apart.length === 0 ? [] : [`no passage is about the whole question; apart from the rest: ${shown(apart)}`]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** The terms of a text. */
class Terms {
  private readonly terms: ReadonlySet<string>
  private readonly text: string

  constructor(text: string) {
    this.text = text
    this.terms = new Set(termsOf(text))
  }

  get letters(): string {
    return this.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
  }

  /** 1 if the text has the word, less for a related one. Most languages have more forms than the search stems. */
  credit(word: string): number {
    if (this.terms.has(word)) return 1
    const stem = word.slice(0, Math.max(5, word.length - 3))
    if (word.length >= 6 && [...this.terms].some((term) => term.startsWith(stem))) return 1
    return relatedTo(word).some(({ term }) => this.terms.has(term)) ? 0.5 : 0
  }
}

/** Two characters of Chinese or a similar script. Many are not a word: they join the end of one with the next. */
const PAIR = /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}$/

/** Whether fewer than three such pairs that no section contains follow each other: they say nothing. */
function isLonePair(words: readonly string[], at: number, rarity: PackRequest['rarity']): boolean {
  const isUnknown = (word: string | undefined) => word !== undefined && PAIR.test(word) && rarity(word) >= 1
  let [from, to] = [at, at]
  while (isUnknown(words[from - 1])) from--
  while (isUnknown(words[to + 1])) to++
  return isUnknown(words[at]) && to - from < 2
}

/** The gaps that the pack itself declares and the task asks about: claims and open questions. */
export function findDeclared(reading: Reading): string[] {
  const { records, files, manifest, task } = reading
  const claims = records.claims.filter(({ status }) => status === 'missing' || status === 'source-required')
  const claimed = new Set(claims.flatMap(({ compiledInto }) => compiledInto))
  const questions = files.list('wiki/open-questions').filter((path) => isProse(path) && !claimed.has(path))
  const isAsked = (about: string) => {
    const { words } = readTask(about)
    // The task must mention at least half of a gap's words.
    return words.size > 0 && shareOf(words, wordsIn(words, task.text)) >= 0.5
  }
  const gaps = [
    ...claims.filter(({ id, text }) => isAsked(text) || isAsked(`${id} ${text}`)).map(({ text }) => text),
    ...questions.map(pathWords).filter(isAsked),
    ...(manifest.profile === 'document-first' && !hasDocument(manifest, files) ? ['the document of this pack'] : []),
  ]
  return [...new Set(gaps.map((text) => shownText(text, 160)))]
}

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
      .filter(({ line, text }) => !anchored.has(line) && !isClaimed(text) && isAbout(reading, text, 0.5))
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
    return report(
      'claim.doubtful/uncited-lines',
      {
        what: lines.length === 1 ? 'a statement names' : `${lines.length} statements name`,
        lines: summarizeLines(lines),
      },
      { path },
    )
  })
}

/** All gaps: missing facts and missing sources. */
export function allGaps({ missing, citationGaps }: Pick<PackResolution, 'missing' | 'citationGaps'>): string[] {
  const sources = [...new Set(citationGaps.map(({ path }) => path))].map((path) => {
    const lines = citationGaps.filter((each) => each.path === path).map(({ line }) => line)
    return `a source for ${path}, line${lines.length > 1 ? 's' : ''} ${summarizeLines(lines)}`
  })
  return [...missing, ...sources]
}

/** The first line numbers, and how many more there are. */
function summarizeLines(lines: readonly number[]): string {
  const shown = lines.slice(0, 8).join(', ')
  return lines.length > 8 ? `${shown} and ${lines.length - 8} more` : shown
}
