import { insideOf, type Line, type Size } from '../frame/line.ts'
import { clamp, furthestScroll } from '../frame/rows.ts'
import { matchingActions } from '../keys.ts'
import { type Model, type Split, step, type Updated } from '../model.ts'
import { facetRows, visibleSkills } from './filter.ts'
import { importRows, importText } from './import.ts'
import { detailsLines, moveCursor } from './inventory.ts'
import { mergeLines, mergeRows, textPanes } from './merge.ts'
import { inventoryPanes, middleOf, splitPanes } from './regions.ts'
import { settingRows } from './settings.ts'
import { SETUP_WAYS } from './setup.ts'
import { TEXTS } from './texts.ts'
import { updateRows, updateText } from './update.ts'

/** The position of a cursor, the number of positions, and how to move it. */
interface ListOf {
  at: number
  count: number
  put(at: number): Updated
}

/** The list or text that the cursor keys move. */
export function activeList(model: Model): ListOf {
  const { overlay } = model
  if (overlay === undefined || !('at' in overlay)) return screenList(model)
  const counts = {
    palette: () => (overlay.kind === 'palette' ? matchingActions(overlay.query).length : 0),
    agents: () => model.inventory.value?.agents.length ?? 0,
    facets: () => facetRows(model.inventory).length,
  }
  return list(overlay.at, counts[overlay.kind](), (at) => ({ ...model, overlay: { ...overlay, at } }))
}

/** Screens that are one list, by the number of its rows. */
const COUNTS = {
  doctor: ({ doctor }: Model) => doctor.health?.checks.length ?? 0,
  profiles: ({ profiles }: Model) => profiles.list?.length ?? 0,
  settings: (model: Model) => settingRows(model).length,
  setup: () => SETUP_WAYS.length,
}

function screenList(model: Model): ListOf {
  const { screen, imports } = model
  switch (screen) {
    case 'inventory':
      return inventoryList(model)
    case 'import':
      return split(model, 'imports', importRows(imports).length, importText)
    case 'update':
      return split(model, 'updates', updateRows(model).length, updateText)
    case 'merge':
      return split(model, 'merges', mergeRows(model).length, mergeLines, (below) => textPanes(below)[0])
    case 'doctor':
    case 'profiles':
    case 'settings':
    case 'setup':
      return list(model[screen].at, COUNTS[screen](model), (at) => ({ ...model, [screen]: { ...model[screen], at } }))
    default: {
      const put = (at: number) => ({ ...model, [screen]: { ...model[screen], at } })
      return text(model, TEXTS[screen].lines, model[screen].at, put)
    }
  }
}

function inventoryList(model: Model): ListOf {
  const { inventory } = model
  if (inventory.focus === 'text') {
    const { details = middleOf(model.size) } = inventoryPanes(middleOf(model.size), inventory)
    const put = (scroll: number) => ({ ...model, inventory: { ...inventory, scroll } })
    return text(model, detailsLines, inventory.scroll, put, details)
  }
  const count = visibleSkills(inventory).length
  return { at: clamp(inventory.at, count), count, put: (at) => moveCursor(model, at) }
}

/** The list, or the text below it, by the focus. */
function split(
  model: Model,
  part: 'imports' | 'updates' | 'merges',
  count: number,
  linesOf: (model: Model, columns: number) => Line[],
  paneIn: (below: Size) => Size = (below) => below,
): ListOf {
  const { at, focus, scroll } = model[part]
  const put = (change: Partial<Split>) => ({ ...model, [part]: { ...model[part], ...change } })
  if (focus === 'list') return list(at, count, (to) => put({ at: to, scroll: 0 }))
  const size = middleOf(model.size)
  const { below = size } = splitPanes(size, size.rows, 'text')
  return text(model, linesOf, scroll, (to) => put({ scroll: to }), paneIn(below))
}

function list(at: number, count: number, put: (at: number) => Model): ListOf {
  return { at: clamp(at, count), count, put: (to) => step(put(clamp(to, count))) }
}

/** A text scrolls until its last line is at the bottom of its pane; `linesOf` gives the lines that the view draws. */
function text(
  model: Model,
  linesOf: (model: Model, columns: number) => Line[],
  at: number,
  put: (at: number) => Model,
  size: Size = middleOf(model.size),
): ListOf {
  return list(at, furthestScroll(linesOf(model, insideOf(size).columns), size) + 1, put)
}
