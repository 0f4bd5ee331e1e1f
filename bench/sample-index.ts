import type { LoadoutEntry, LoadoutIndex } from '../src/index.ts'

export const TASK = 'the release workflow fails when publishing the docs to the registry of the company'
const HIT_WORDS = ['release', 'workflow', 'docs', 'registry', 'company']
const VOCABULARY = 4000

/** A made-up index of a given size in which the task hits about as many domain entries as asked for. */
export function sampleIndex(size: number, hits: number): LoadoutIndex {
  const random = generator(size * 31 + hits)
  const entries: LoadoutEntry[] = []
  for (let at = 0; at < size; at++) {
    const keywords = Array.from({ length: 5 }, () => sampleKeyword(random))
    if (random() < hits / size) keywords[at % 5] = HIT_WORDS[at % HIT_WORDS.length] ?? 'release'
    entries.push({
      id: `entry-${at}`,
      path: `.claude/loadout/entry-${at}.md`,
      keywords,
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
