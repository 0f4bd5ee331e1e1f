import { shareOf, wordsIn } from '../../../search/task-words.ts'
import type { Claim } from '../records/source-map.ts'
import { type Choice, pathWords, sectionsOf, setsLimits } from './choice.ts'
import type { Reading } from './resolution.ts'
import { statementsOf } from './statements.ts'

/** The words of the task in the best statement of a text. */
export interface BestStatement {
  /** 0 to 1, weighted by how rare the words are. */
  share: number
  words: ReadonlySet<string>
}

/**
 * A statement with this share of the task's words answers it. Below it, the resolver reads more, and reports a gap if
 * that is not enough.
 */
export const SUFFICIENT = 0.6

/**
 * The statement, with its title and heading, that has most of the task's rare words. Ignores limits and prohibitions.
 */
export function bestStatement({ rareWords }: Pick<Reading, 'rareWords'>, choices: readonly Choice[]): BestStatement {
  let best: BestStatement = { share: 0, words: new Set() }
  for (const { part } of choices) {
    if (setsLimits(part.path)) continue
    for (const { heading, text } of sectionsOf(part.text, part.path)) {
      if (setsLimits(heading)) continue
      const whole = wordsIn(rareWords, `${pathWords(part.path)} ${text}`)
      if (shareOf(rareWords, whole) <= best.share) continue
      const above = `${pathWords(part.path)} ${heading}`
      for (const statement of statementsOf(text, part.path)) {
        const words = wordsIn(rareWords, `${above} ${withoutProhibitions(statement.text)}`)
        const share = shareOf(rareWords, words)
        if (share > best.share) best = { share, words }
      }
    }
  }
  return best
}

const SENTENCE_END = /(?<=[.!?\u3002\uff01\uff1f])\s+/u
// Without Unicode classes: compiling such an expression takes longer than a whole task.
const PROHIBITS =
  /\b(?:never|must not|do not|don't|may not|not (?:allowed|approved|known|published|stated|available)|without approval|unknown|no (?:[^\s.,;:!?]+ )?[^\s.,;:!?]+ (?:is|are|was|were|may|can|exists?|has|have))\b/i

/** Removes sentences such as "No price is approved", which do not state the price. */
function withoutProhibitions(text: string): string {
  if (!PROHIBITS.test(text)) return text
  return text
    .split(SENTENCE_END)
    .filter((sentence) => !PROHIBITS.test(sentence))
    .join(' ')
}

/** The least share of the task's words in a text about it. */
const LEAST = 0.3

type Asked = Pick<Reading, 'words' | 'rareWords'>

/** Whether a text is about the task. Any text is, if the task has only everyday words. */
export function concerns({ words, rareWords }: Asked, text: string): boolean {
  return [...words.values()].every((weight) => weight < 1) || matchedShare({ rareWords }, text) >= LEAST
}

/** The share of the task's words in a text, weighted by how rare they are. Ignores the paths of sources. */
export function matchedShare({ rareWords }: Pick<Reading, 'rareWords'>, text: string): number {
  return shareOf(rareWords, wordsIn(rareWords, text.replace(/\[source:[^\]]*\]/g, '')))
}

/** Whether a claim is about the task, by its text or the names of its pages. */
export function concernsClaim(asked: Asked, { text, compiledInto }: Claim): boolean {
  const pages = compiledInto.filter(({ path }) => path.startsWith('wiki/')).map(({ path }) => pathWords(path))
  return concerns(asked, [text, ...pages].join(' '))
}
