import type { ListingRoom } from '../../loadout.ts'
import { grouped } from '../../text/count.ts'
import { insideOf, type Line, type Size, span, styled, wrapped } from '../frame/line.ts'
import { clamp, furthestScroll, textPane } from '../frame/rows.ts'
import { matchingActions } from '../keys.ts'
import { type Model, type Split, type Step, step } from '../model.ts'
import { facetRows, visibleSkills } from './filter.ts'
import { helpLines } from './help.ts'
import { importRows, importText } from './import.ts'
import { detailsLines, moveCursor } from './inventory.ts'
import { mergeLines, mergeRows, textPanes } from './merge.ts'
import { diffLines, reviewLines } from './overlays.ts'
import { inventoryPanes, middleOf, splitPanes } from './regions.ts'
import { settingRows } from './settings.ts'
import { SETUP_WAYS } from './setup.ts'
import { syncLines } from './sync.ts'
import { updateRows, updateText } from './update.ts'

/** The position of a cursor, the number of positions, and how to move it. */
interface ListOf {
  at: number
  count: number
  put(at: number): Step
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

function screenList(model: Model): ListOf {
  const { imports, doctor, profiles, settings, setup, sync, diff, review, help, updates, merges, lists } = model
  switch (model.screen) {
    case 'inventory':
      return inventoryList(model)
    case 'import':
      return split(model, imports, importRows(imports).length, importText, (change) => ({
        ...model,
        imports: { ...imports, ...change },
      }))
    case 'update':
      return split(model, updates, updateRows(model).length, updateText, (change) => ({
        ...model,
        updates: { ...updates, ...change },
      }))
    case 'merge':
      return split(
        model,
        merges,
        mergeRows(model).length,
        mergeLines,
        (change) => ({ ...model, merges: { ...merges, ...change } }),
        (below) => textPanes(below)[0],
      )
    case 'lists':
      return text(model, listsLines, lists.at, (at) => ({ ...model, lists: { at } }))
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
    case 'review':
      return text(model, reviewLines, review.at, (at) => ({ ...model, review: { ...review, at } }))
    case 'help':
      return text(model, helpLines, help.at, (at) => ({ ...model, help: { ...help, at } }))
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
  { at, focus, scroll }: Split,
  count: number,
  linesOf: (model: Model, columns: number) => Line[],
  put: (change: Partial<Split>) => Model,
  paneIn: (below: Size) => Size = (below) => below,
): ListOf {
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

/** How full the list of skills is that each agent shows its model, and what helps if it is too full. */
export function viewLists(model: Model, size: Size): Line[] {
  const title = styled('What the agents list', 'strong')
  return textPane(title, listsLines(model, insideOf(size).columns), model.lists.at, size)
}

function listsLines({ attention }: Model, columns: number): Line[] {
  if (attention === undefined) return wrapped('reading…', columns)
  const { rooms } = attention
  if (rooms.length === 0) return wrapped('No enabled agent is known to limit its list of skills.', columns)
  return rooms.flatMap((room, at) => [...(at === 0 ? [] : [[]]), ...roomLines(room, columns)])
}

const GAUGE = 12

function roomLines(
  { label, agent, skills, cut, dropped, used, room, unit, problem }: ListingRoom,
  columns: number,
): Line[] {
  const isFull = dropped + cut > 0
  const share = room === 0 ? 0 : used / room
  const filled = isFull ? GAUGE : Math.min(GAUGE, Math.round(share * GAUGE))
  const style = isFull ? 'alert' : 'good'
  const gauge = span(`${'█'.repeat(filled)}${'░'.repeat(GAUGE - filled)}`, style)
  const how = span(isFull ? ' full' : ` ${Math.round(share * 100)}%`, style)
  const whole = skills - cut - dropped
  const counts = `${grouped(whole)} shown whole, ${grouped(cut)} cut, ${grouped(dropped)} without a description`
  return [
    [span(`${label}  `, 'strong'), gauge, how],
    ...wrapped(`${grouped(used)} of ${grouped(room)} ${unit}`, columns, 'faint'),
    ...wrapped(counts, columns),
    ...(problem === undefined ? [] : wrapped(problem.message, columns, 'alert')),
    ...(problem?.hint ?? '').split('; ').flatMap((hint) => wrapped(hint, columns, 'accent')),
    ...wrapped(`loadout see ${agent} lists every one`, columns, 'faint'),
  ]
}
