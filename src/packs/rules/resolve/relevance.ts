import { shareOf, wordsIn } from '../../../search/task-words.ts'
import type { Claim } from '../records/source-map.ts'
import { type Choice, pathWords, sectionsOf, setsLimits } from './choice.ts'
import type { Reading } from './resolution.ts'
import { statementsOf } from './statements.ts'

/** What the best statement of some text says about the task. */
export interface Said {
  /** 0 to 1, by how rare the words are. */
  share: number
  words: ReadonlySet<string>
}

/** One statement with so much of the task's rare words answers it; less is looked for further down, and is a gap in the end. */
export const SUFFICIENT = 0.6

/** The statement, with the title and heading it stands below, that holds most of the task's rare words. Limits do not count. */
export function saidTogether({ rareWords }: Pick<Reading, 'rareWords'>, choices: readonly Choice[]): Said {
  let best: Said = { share: 0, words: new Set() }
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
// Without the classes of Unicode: making such an expression takes longer than a whole task.
const PROHIBITS =
  /\b(?:never|must not|do not|don't|may not|not (?:allowed|approved|known|published|stated|available)|without approval|unknown|no (?:[^\s.,;:!?]+ )?[^\s.,;:!?]+ (?:is|are|was|were|may|can|exists?|has|have))\b/i

/** "No price is approved" is not the price. */
function withoutProhibitions(text: string): string {
  if (!PROHIBITS.test(text)) return text
  return text
    .split(SENTENCE_END)
    .filter((sentence) => !PROHIBITS.test(sentence))
    .join(' ')
}

/** So much of the task a text has to speak of. */
const LEAST = 0.3

type Asked = Pick<Reading, 'words' | 'rareWords'>

/** Whether a text is about what the task asks for. A task without a subject is about everything. */
export function concerns({ words, rareWords }: Asked, text: string): boolean {
  return [...words.values()].every((weight) => weight < 1) || spokenShare({ rareWords }, text) >= LEAST
}

/** How much of the task a text speaks of, by how rare the words are. The paths of its sources say nothing. */
export function spokenShare({ rareWords }: Pick<Reading, 'rareWords'>, text: string): number {
  return shareOf(rareWords, wordsIn(rareWords, text.replace(/\[source:[^\]]*\]/g, '')))
}

/** Whether a claim is about the task, by its text or by the pages it stands on. */
export function concernsClaim(asked: Asked, { text, compiledInto }: Claim): boolean {
  const pages = compiledInto.filter(({ path }) => path.startsWith('wiki/')).map(({ path }) => pathWords(path))
  return concerns(asked, [text, ...pages].join(' '))
}
