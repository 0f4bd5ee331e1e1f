import { insideOf, type Line, type Size } from '../frame/line.ts'
import { clamp, furthestScroll } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { type Step, step } from '../step.ts'
import { detailsLines } from './details-lines.ts'
import { diffLines } from './diff-view.ts'
import { helpLines } from './help-view.ts'
import { moveCursor, visibleSkills } from './inventory-state.ts'
import { matchingActions } from './palette-state.ts'
import { inventoryPanes, middleOf } from './regions.ts'
import { settingRows } from './settings-state.ts'
import { SETUP_WAYS } from './setup-state.ts'
import { syncLines } from './sync-view.ts'

/** Where a cursor stands, in how many places it can stand, and how to put it elsewhere. */
interface ListOf {
  at: number
  count: number
  put(at: number): Step
}

/** Moving works alike in every list and every text: this says which one is moved. */
export function activeList(model: Model): ListOf {
  const { overlay } = model
  if (overlay?.kind === 'palette') {
    return list(overlay.at, matchingActions(overlay.query).length, (at) => ({ ...model, overlay: { ...overlay, at } }))
  }
  if (overlay?.kind === 'agents') {
    const count = model.inventory.value?.agents.length ?? 0
    return list(overlay.at, count, (at) => ({ ...model, overlay: { ...overlay, at } }))
  }
  return screenList(model)
}

function screenList(model: Model): ListOf {
  const { imports, sync, doctor, profiles, settings, diff, setup, help } = model
  switch (model.screen) {
    case 'inventory':
      return inventoryList(model)
    case 'import':
      return list(imports.at, imports.candidates?.length ?? 0, (at) => ({ ...model, imports: { ...imports, at } }))
    case 'doctor':
      return list(doctor.at, doctor.health?.checks.length ?? 0, (at) => ({ ...model, doctor: { ...doctor, at } }))
    case 'profiles':
      return list(profiles.at, profiles.list?.length ?? 0, (at) => ({ ...model, profiles: { ...profiles, at } }))
    case 'settings':
      return list(settings.at, settingRows(model).length, (at) => ({ ...model, settings: { ...settings, at } }))
    case 'setup':
      return list(setup.at, SETUP_WAYS.length, (at) => ({ ...model, setup: { ...setup, at } }))
    case 'sync':
      return text(model, syncLines, sync.at, (at) => ({ ...model, sync: { ...sync, at } }))
    case 'diff':
      return text(model, diffLines, diff.at, (at) => ({ ...model, diff: { ...diff, at } }))
    case 'help':
      return text(model, helpLines, help.at, (at) => ({ ...model, help: { ...help, at } }))
  }
}

function inventoryList(model: Model): ListOf {
  const { inventory } = model
  if (inventory.focus === 'details') {
    const { details = middleOf(model.size) } = inventoryPanes(middleOf(model.size), 'details')
    const put = (scroll: number) => ({ ...model, inventory: { ...inventory, scroll } })
    return text(model, detailsLines, inventory.scroll, put, details)
  }
  const count = visibleSkills(inventory).length
  return { at: clamp(inventory.at, count), count, put: (at) => moveCursor(model, at) }
}

function list(at: number, count: number, put: (at: number) => Model): ListOf {
  return { at: clamp(at, count), count, put: (to) => step(put(clamp(to, count))) }
}

/** A text ends where its last line is the last of its pane: its lines are those that the view draws. */
function text(
  model: Model,
  linesOf: (model: Model, columns: number) => Line[],
  at: number,
  put: (at: number) => Model,
  size: Size = middleOf(model.size),
): ListOf {
  return list(at, furthestScroll(linesOf(model, insideOf(size).columns), size) + 1, put)
}
