import type { Deletion, Outcome } from '../loadout.ts'
import { count } from '../text/count.ts'
import type { Effect } from './message.ts'
import { type Model, step, type Undo, type Updated } from './model.ts'
import { partsOf, startToggle } from './screens/toggle.ts'

/** Undoes the last change. */
export function undo(model: Model): Updated {
  const [last, ...earlier] = model.undo
  if (last === undefined) return step({ ...model, notice: { tone: 'plain', text: 'nothing to undo' } })
  const next: Model = { ...model, undo: earlier, notice: { tone: 'plain', text: `undoing: ${last.label}` } }
  return last.effect.kind === 'toggle' ? startToggle(next, last.effect) : step(next, last.effect)
}

/** Remembers only real changes; an undo is not remembered. */
export function rememberToggle(model: Model, effect: Effect & { kind: 'toggle' }, { operations }: Outcome): Model {
  const names = [...new Set(operations.map(({ skill }) => skill))]
  const agentsOf = (name: string) => [...new Set(operations.flatMap((each) => (each.skill === name ? each.agent : [])))]
  if (effect.isUndo || names.length === 0) return model
  const parts = partsOf(names.map((name) => [name, agentsOf(name)]))
  const label = `${effect.isOn ? 'equip' : 'unequip'} ${names.length === 1 ? names[0] : count(names.length, 'skill')}`
  return push(model, { label, effect: { ...effect, parts, isOn: !effect.isOn, isUndo: true } })
}

export function rememberDeletions(model: Model, deletions: readonly Deletion[]): Model {
  const [only] = deletions
  if (only === undefined) return model
  const what = deletions.length === 1 ? only.name : count(deletions.length, 'skill')
  return push(model, { label: `delete ${what}`, effect: { kind: 'restore', deletions } })
}

function push(model: Model, last: Undo): Model {
  // Enough for the slips of a session.
  return { ...model, undo: [last, ...model.undo].slice(0, 20) }
}
