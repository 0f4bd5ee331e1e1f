import type { LoadoutEntry, LoadoutIndex } from '../src/index.ts'

const SUBJECTS = 40
const WORDS_OF_A_SUBJECT = 5
const VOCABULARY = 4000
const FILLERS = 'the a of when after before fails hangs again for our on with and please fix look into why it'.split(
  ' ',
)

export const TASK = sampleTask(0)

/**
 * A made-up index of a given size with forty subjects, each of which about as many domain entries are about as asked
 * for. A task of one subject hits those.
 */
export function sampleIndex(size: number, hits: number): LoadoutIndex {
  const random = generator(size * 31 + hits)
  const entries: LoadoutEntry[] = []
  const wordsAnEntry = (SUBJECTS * hits) / size
  for (let at = 0; at < size; at++) {
    const keywords = Array.from({ length: 5 }, () => sampleKeyword(random))
    for (let word = 0; word < wordsAnEntry; word++) {
      if (random() < wordsAnEntry - word)
        keywords[(at + word) % 5] = subjectWord(random, Math.floor(random() * SUBJECTS))
    }
    entries.push({
      id: `entry-${at}`,
      path: `.claude/loadout/entry-${at}.md`,
      keywords: [...new Set(keywords)],
      patterns: random() < 0.3 ? [`intent_${Math.floor(random() * 900)}`] : [],
      priority: at < 5 ? 'core' : random() < 0.02 ? 'manual' : 'domain',
      summary: `What to know about subject number ${at}, in one line.`,
      triggers: { task: true, plan: true, edit: false },
      tokens_est: Math.floor(random() * 1000),
      lines: 30,
    })
  }
  const budget = { always_loaded_est: 0, on_demand_total_est: 0, avg_task_load_est: 0, avg_task_load_observed: null }
  // Through JSON, as every index comes to the program.
  return JSON.parse(JSON.stringify({ version: '1.0.0', generated: '2026-01-01T00:00:00Z', entries, budget }))
}

/** The n-th task: the five words of one subject among fillers, and a number of its own. No two are the same. */
export function sampleTask(n: number): string {
  const random = generator(n * 7919 + 1)
  const words = Array.from({ length: WORDS_OF_A_SUBJECT }, (_, word) => nameWord(n % SUBJECTS, word))
  for (let filler = 0; filler < 8; filler++) {
    const word = FILLERS[Math.floor(random() * FILLERS.length)] ?? ''
    words.splice(Math.floor(random() * (words.length + 1)), 0, word)
  }
  return `${words.join(' ')} (ticket ${n})`
}

function subjectWord(random: () => number, subject: number): string {
  return nameWord(subject, Math.floor(random() * WORDS_OF_A_SUBJECT))
}

function nameWord(subject: number, word: number): string {
  return `topic${subject.toString(36)}${'abcde'[word]}`
}

function sampleKeyword(random: () => number): string {
  const word = `word${Math.floor(random() * VOCABULARY).toString(36)}`
  return random() < 0.2 ? `${word}-part${Math.floor(random() * 50)}` : word
}

function generator(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 8) / 2 ** 24
  }
}
