import { shareOf, wordsIn } from '../../../search/task-words.ts'
import { pathWords, sectionsOf, setsLimits } from './choice.ts'
import type { Reading } from './reading.ts'
import type { Choice } from './resolution.ts'
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
