import type { RankHit, Why } from '../../../search/document.ts'
import { createRanker, type Ranker } from '../../../search/ranker.ts'
import { isKnownType, PACK_TYPES, type PackManifest } from '../pack.ts'
import { createMention, readTaskWords } from '../task-words.ts'

/** Of many that fit a little, few are worth their place. */
const MOST_PACKS = 3

/** So few are ranked as they are. */
const FEW_PACKS = 12

// A second pack has to be likely by itself, and not much less so than the first.
const LEAST_CONFIDENCE = 0.1
const LEAST_SHARE = 0.3

export interface Selector {
  /** The packs that a task is about, best first. */
  select(task: string): RankHit[]
  explain(task: string, name: string): { isSelected: boolean; confidence: number; why: readonly Why[] }
}

/** What the ranker reads of a pack: its metadata, and nothing behind a gate. */
export function packDocument({ name, description, type, ownership }: PackManifest) {
  const keywords = [type.replace('custom:', ''), ...(ownership === undefined ? [] : [ownership])]
  return { id: name, name, description, keywords }
}

/** Chooses among packs by their metadata alone. One of a type nobody knows must be named. */
export function createSelector(manifests: readonly PackManifest[]): Selector {
  const known = manifests.filter(({ type }) => isKnownType(type, PACK_TYPES))
  const documents = known.map(packDocument)
  const few = documents.length <= FEW_PACKS ? createRanker(documents) : undefined
  // Of many packs most have no word of a task, and reading all their words takes longer than everything else.
  const rankerFor = (task: string): Ranker => {
    if (few !== undefined) return few
    const mentions = createMention(readTaskWords(task))
    return createRanker(documents.filter((each) => mentions([each.name, each.description, ...each.keywords].join(' '))))
  }
  const select = (task: string): RankHit[] => {
    const hits = rankerFor(task).rank(task, { limit: MOST_PACKS })
    const least = Math.max(LEAST_CONFIDENCE, LEAST_SHARE * (hits[0]?.confidence ?? 0))
    return hits.filter(({ confidence }, at) => at === 0 || confidence >= least)
  }
  return {
    select,
    explain: (task, name) => {
      const { confidence, why } = rankerFor(task).explain(task, name)
      return { isSelected: select(task).some(({ id }) => id === name), confidence, why }
    },
  }
}
