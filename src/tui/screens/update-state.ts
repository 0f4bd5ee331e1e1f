import type { UpdateResult } from '../../loadout.ts'
import { type Model, type Step, step } from '../model.ts'

export type SkillUpdate = UpdateResult['updates'][number]

/** Skills with news, or with something to decide, come first. */
export function updateRows({ updates }: Model): SkillUpdate[] {
  const all = updates.value?.updates ?? []
  return [...all.filter(isWorthShowing), ...all.filter((each) => !isWorthShowing(each))]
}

function isWorthShowing({ state, result }: SkillUpdate): boolean {
  return state === 'outdated' || result !== 'unchanged'
}

/** Whether it can be updated: merged, or with a conflict that the user then decides. */
export function canUpdate({ state }: SkillUpdate): boolean {
  return state === 'outdated'
}

export function chooseUpdate(model: Model): Step {
  const { updates } = model
  const row = updateRows(model)[updates.at]
  if (row === undefined || updates.value?.isDryRun === false) return step(model)
  if (!canUpdate(row)) return step({ ...model, notice: { tone: 'plain', text: `${row.name} is ${row.state}` } })
  const isChosen = updates.chosen.includes(row.name)
  const chosen = isChosen ? updates.chosen.filter((name) => name !== row.name) : [...updates.chosen, row.name]
  const at = Math.min(updates.at + 1, updateRows(model).length - 1)
  return step({ ...model, updates: { ...updates, chosen, at, scroll: 0 } })
}

export function chooseAllUpdates(model: Model): Step {
  const names = updateRows(model)
    .filter(canUpdate)
    .map(({ name }) => name)
  const chosen = model.updates.chosen.length === names.length ? [] : names
  return step({ ...model, updates: { ...model.updates, chosen } })
}

/** Updates the chosen skills, or the one under the cursor. */
export function runUpdate(model: Model): Step {
  const { chosen, at, value } = model.updates
  if (value?.isDryRun === false) return step({ ...model, screen: 'inventory' })
  const row = updateRows(model)[at]
  const names = chosen.length > 0 ? [...chosen] : row !== undefined && canUpdate(row) ? [row.name] : []
  if (names.length > 0) return step({ ...model, notice: undefined }, { kind: 'update', names })
  return step({ ...model, notice: { tone: 'plain', text: 'nothing here has news' } })
}
