import { shareOf, wordsIn } from '../../../search/task-words.ts'
import type { Claim } from '../records/source-map.ts'
import { pathWords } from './choice.ts'
import type { Reading } from './reading.ts'

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
