import type { RankHit, Why } from '../../routing/rank/document.ts'
import { createRanker } from '../../routing/rank/ranker.ts'
import { isKnownType, type PackManifest } from '../pack.ts'
import { PACK_TYPES } from '../vocabulary.ts'

/** Of many that fit a little, few are worth their place. */
const MOST_PACKS = 3

// A second pack has to be likely by itself, and not much less so than the first.
const LEAST_CONFIDENCE = 0.1
const LEAST_SHARE = 0.3

export interface Selector {
  /** The packs that a task is about, best first. */
  select(task: string): RankHit[]
  explain(task: string, name: string): { isSelected: boolean; confidence: number; why: readonly Why[] }
}

/** Chooses among packs by their metadata alone. One of a type nobody knows must be named. */
export function createSelector(manifests: readonly PackManifest[]): Selector {
  const known = manifests.filter(({ type }) => isKnownType(type, PACK_TYPES))
  const ranker = createRanker(
    known.map(({ name, description, type, ownership }) => ({
      id: name,
      name,
      description,
      keywords: [type.replace('custom:', ''), ...(ownership === undefined ? [] : [ownership])],
    })),
  )
  const select = (task: string): RankHit[] => {
    const hits = ranker.rank(task, { limit: MOST_PACKS })
    const least = Math.max(LEAST_CONFIDENCE, LEAST_SHARE * (hits[0]?.confidence ?? 0))
    return hits.filter(({ confidence }, at) => at === 0 || confidence >= least)
  }
  return {
    select,
    explain: (task, name) => {
      const { confidence, why } = ranker.explain(task, name)
      return { isSelected: select(task).some(({ id }) => id === name), confidence, why }
    },
  }
}
