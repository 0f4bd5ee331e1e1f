import type { RankHit } from '../routing/rank/document.ts'
import { createRanker } from '../routing/rank/ranker.ts'
import { isKnownType, type PackManifest } from './pack.ts'
import { PACK_TYPES } from './vocabulary.ts'

/** Of many that fit a little, few are worth their place. */
const MOST_PACKS = 3

// A second pack has to be likely by itself, and not much less so than the first.
const LEAST_CONFIDENCE = 0.1
const LEAST_SHARE = 0.3

/** Finds the packs that a task is about, best first, by their metadata alone. One of a type nobody knows must be named. */
export function createSelector(manifests: readonly PackManifest[]): (task: string) => RankHit[] {
  const known = manifests.filter(({ type }) => isKnownType(type, PACK_TYPES))
  const ranker = createRanker(
    known.map(({ name, description, type, ownership }) => ({
      id: name,
      name,
      description,
      keywords: [type.replace('custom:', ''), ...(ownership === undefined ? [] : [ownership])],
    })),
  )
  return (task) => {
    const hits = ranker.rank(task, { limit: MOST_PACKS })
    const least = Math.max(LEAST_CONFIDENCE, LEAST_SHARE * (hits[0]?.confidence ?? 0))
    return hits.filter(({ confidence }, at) => at === 0 || confidence >= least)
  }
}
