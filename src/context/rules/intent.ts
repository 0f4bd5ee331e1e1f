import { isRun, splitWords } from '../../payloads/rules/words.ts'
import { stemWord } from '../../search/stem.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { nearest, setOwn } from '../../text/values.ts'
import type { Intent } from './context-settings.ts'

/** What kind of task it is, and what told so. */
export interface IntentReading {
  key: string
  /** The keywords of this kind that the task names, as they are configured. */
  matched: string[]
  /** How many different keywords of each kind the task names. */
  scores: Record<string, number>
  /** Somebody asked for this kind, whatever the task says. */
  isOverridden: boolean
}

/** The key of the last kind, which needs no keywords. */
export const DEFAULT_INTENT = 'default'

/** The kind whose keywords a task names most; of equals the one declared first; the last when it names none. */
export function readIntent(task: string, intents: readonly Intent[], override?: string): IntentReading {
  const words = readTask(task)
  const scores: Record<string, number> = {}
  let best: Intent | undefined
  let matched: string[] = []
  for (const intent of intents) {
    const found = keywordsIn(words, intent.keywords)
    setOwn(scores, intent.key, found.length)
    const isBetter = override === undefined ? found.length > matched.length : intent.key === override
    if (isBetter) [best, matched] = [intent, found]
  }
  if (override !== undefined && best === undefined) throw unknownIntent(override, intents)
  const { key } = best ?? intents.at(-1) ?? { key: DEFAULT_INTENT }
  return { key, matched, scores, isOverridden: override !== undefined }
}

interface TaskWords {
  parts: readonly string[]
  /** Where each stem stands. */
  places: ReadonlyMap<string, readonly number[]>
  /** Parts in scripts without blanks: a keyword may lie anywhere inside one. */
  runs: readonly number[]
}

function readTask(task: string): TaskWords {
  const parts = splitWords(task)
  const places = new Map<string, number[]>()
  const runs: number[] = []
  parts.forEach((part, at) => {
    if (isRun(part)) runs.push(at)
    const stem = stemOf(part)
    const known = places.get(stem)
    if (known === undefined) places.set(stem, [at])
    else known.push(at)
  })
  return { parts, places, runs }
}

/** Two spellings of one keyword count once: `test` and `testing`. */
function keywordsIn(task: TaskWords, keywords: readonly string[]): string[] {
  const seen = new Set<string>()
  return keywords.filter((keyword) => {
    const parts = splitWords(keyword)
    const [first] = parts
    if (first === undefined) return false
    const spelling = parts.map(stemOf).join(' ')
    if (seen.has(spelling)) return false
    const starts = isRun(first) ? task.runs : (task.places.get(stemOf(first)) ?? [])
    const isThere = starts.some((start) =>
      parts.every((part, offset) => isSameWord(part, task.parts[start + offset] ?? '')),
    )
    if (isThere) seen.add(spelling)
    return isThere
  })
}

// Stems alone would make "direct" of "direction"; a keyword is meant in the forms that a sentence gives it.
const FORMS = new Set(['', 's', 'es', 'ies', 'y', 'e', 'd', 'ed', 'ing'])

function isSameWord(keyword: string, word: string): boolean {
  if (keyword === word) return true
  if (isRun(keyword)) return isRun(word) && word.includes(keyword)
  if (stemOf(keyword) !== stemOf(word)) return false
  let same = 0
  while (same < keyword.length && keyword[same] === word[same]) same++
  return FORMS.has(keyword.slice(same)) && FORMS.has(word.slice(same))
}

// The stemmer asks for words of bounded length.
const LONGEST_STEMMED = 48

function stemOf(word: string): string {
  return word.length > LONGEST_STEMMED ? word : stemWord(word)
}

function unknownIntent(key: string, intents: readonly Intent[]): LoadoutError {
  const keys = intents.map((intent) => intent.key)
  const close = nearest(key, keys)
  return new LoadoutError(
    'USAGE',
    `there is no intent "${key}"${close === undefined ? '' : `; did you mean "${close}"?`}`,
    { hint: `intents: ${keys.join(', ')}` },
  )
}
