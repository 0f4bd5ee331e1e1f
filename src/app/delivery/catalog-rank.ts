import { digestOf, type GivenPart } from '../../domain/delivery/session-text.ts'
import { loadRanker } from '../../domain/routing/rank/ranker.ts'
import type { HookCatalog } from './catalog-store.ts'

const MOST_NAMED = 2

// Right more often than wrong: a pointer that is not needed, on prompt after prompt, is worse than none.
const LEAST_CONFIDENCE = 0.5

/** Packs and skills that a prompt is about. */
export function rankCatalog({ items, ranker }: HookCatalog, prompt: string): GivenPart[] {
  const hits = loadRanker(ranker)?.rank(prompt, { limit: MOST_NAMED }) ?? []
  return hits
    .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
    .flatMap(({ id }) => items[Number(id)] ?? [])
    .map(({ kind, id, line }) => ({ part: { form: 'pointer', kind, id, sum: digestOf(line) }, text: line }))
}
