import { shareOf, wordsIn } from '../task-words.ts'
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

/** The statement, with the title and heading it stands below, that holds most of the task's rare words. Limits say nothing. */
export function saidTogether({ rareWords }: Pick<Reading, 'rareWords'>, choices: readonly Choice[]): Said {
  let best: Said = { share: 0, words: new Set() }
  for (const { part, rule } of choices) {
    if (rule === 'guide' || setsLimits(part.path)) continue
    for (const { heading, text } of sectionsOf(part.text)) {
      if (setsLimits(heading)) continue
      const whole = wordsIn(rareWords, `${pathWords(part.path)} ${text}`)
      if (shareOf(rareWords, whole) <= best.share) continue
      const above = `${pathWords(part.path)} ${heading}`
      for (const statement of statementsOf(text)) {
        const words = wordsIn(rareWords, `${above} ${statement.text}`)
        const share = shareOf(rareWords, words)
        if (share > best.share) best = { share, words }
      }
    }
  }
  return best
}
