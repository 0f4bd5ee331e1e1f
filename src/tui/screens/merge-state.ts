import type { MergeView } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import { activeProject, type Model, type Step, step } from '../model.ts'

/** A place that needs a decision, or a merge without any left. */
export interface MergeRow {
  merge: MergeView
  place?: MergeView['places'][number]
}

export function mergeRows({ merges }: Model): MergeRow[] {
  return (merges.list ?? []).flatMap((merge): MergeRow[] =>
    merge.places.length === 0 ? [{ merge }] : merge.places.map((place) => ({ merge, place })),
  )
}

/** Decides the place under the cursor, or all places of its skill. */
export function takeSide(model: Model, take: 'library' | 'other', isAll: boolean): Step {
  const row = mergeRows(model)[model.merges.at]
  if (row?.place === undefined) return step(model)
  const { path, stretch } = row.place
  const only = isAll ? undefined : { path, stretch }
  return step(model, { kind: 'take side', name: row.merge.skill, take, only })
}

/** Puts the merged skill into the library, if every place is decided. */
export function finishMerge(model: Model): Step {
  const row = mergeRows(model)[model.merges.at]
  if (row === undefined) return step(model)
  const { skill, places, conflicts, files } = row.merge
  const left = Math.max(places.length, conflicts.length)
  if (left === 0) return step(model, { kind: 'finish merge', name: skill, project: activeProject(model) })
  const text = `${count(left, 'place')} of ${skill} ${left === 1 ? 'waits' : 'wait'}: 1 or 2 decides`
  return step({ ...model, notice: { tone: 'alert', text, hint: `or edit the files in ${files}` } })
}

export function giveUpMerge(model: Model): Step {
  const row = mergeRows(model)[model.merges.at]
  if (row === undefined) return step(model)
  const name = row.merge.skill
  const text = 'The library stays as it is. What was merged so far goes to the backup folder.'
  const effect = { kind: 'give up merge', name } as const
  return step({ ...model, overlay: { kind: 'confirm', question: `Give up the merge of ${name}?`, text, effect } })
}
