import type { KeptPack } from '../packs/pack-source.ts'
import type { KeptPayload } from '../payloads/payload-source.ts'
import type { RankHit, RankRequest } from '../search/document.ts'
import type { Ranker } from '../search/ranker.ts'
import type { Task } from '../search/task.ts'
import type { KeptSkill } from '../skills/skill-source.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'

/** What each source stores with its entries. */
export type Kept = KeptPayload | KeptPack | KeptSkill

/** An entry that a task may need, whichever source has it. Every caller decides by it what to show, read or load. */
export interface Hit extends Omit<RankHit, 'score'> {
  kind: EntryKind
  /** Without its kind; `id` has both. */
  name: string
  kept: Kept
  /** Of a pack: the headings of the section that says most about the task. */
  section?: string
}

/** The entries of the opened sources that a task may need, best first. */
export function find(ranking: Pick<Ranker, 'rank'>, task: string | Task, request: RankRequest): Hit[] {
  return ranking.rank(task, request).map(({ score: _, ...hit }) => {
    // As the sources stored it.
    const kept = hit.kept as Kept
    return { ...hit, kept, kind: kept.kind, name: kept.name }
  })
}
