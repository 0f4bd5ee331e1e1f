import type { UpdateResult } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import { insideOf, type Line, pane, plain, type Size, type Style, span, styled, wrapped } from '../frame/line.ts'
import { findingLines, inColumns, listLines, problemLines, textPane, unifiedLines } from '../frame/rows.ts'
import { type Model, step, type Updated } from '../model.ts'
import { shortSource } from './filter.ts'
import { splitPanes } from './regions.ts'

export function viewUpdate(model: Model, size: Size): Line[] {
  const { updates } = model
  const rows = updateRows(model)
  const { list, below } = splitPanes(size, size.rows, updates.focus)
  const upper = list === undefined ? [] : viewRows(model, rows, list)
  if (below === undefined || (rows.length === 0 && list !== undefined)) {
    return list === undefined ? [] : viewRows(model, rows, size)
  }
  const title = styled(rows[updates.at]?.name ?? '', 'strong')
  const lines = updateText(model, insideOf(below).columns)
  return [...upper, ...textPane(title, lines, updates.scroll, below, updates.focus === 'text')]
}

function viewRows(model: Model, rows: readonly SkillUpdate[], size: Size): Line[] {
  const { updates, problems } = model
  const inside = insideOf(size)
  const row = inColumns(rows, (each) => updateCells(each, updates.chosen.includes(each.name)))
  const lines = listLines(rows, updates.at, inside, row, updates.focus === 'list')
  const shown = lines.length > 0 ? lines : noUpdates(model, inside.columns)
  const ready = rows.filter(canUpdate).length
  const counts = updates.chosen.length > 0 ? `${updates.chosen.length} of ${ready}` : String(ready)
  const isDone = updates.value?.isDryRun === false
  const title = updates.value === undefined || problems.update ? 'Update' : isDone ? 'Update: done' : `Update ${counts}`
  return pane(styled(title, 'strong'), shown, size, updates.focus === 'list')
}

function noUpdates({ updates, problems }: Model, columns: number): Line[] {
  if (updates.value === undefined) return problemLines(problems.update, 'asking the sources…', columns)
  return wrapped('No skill of the library was imported: there is no source to ask.', columns)
}

const UPDATE_WORDS: Record<SkillUpdate['state'], [word: string, style?: Style]> = {
  current: ['● current', 'good'],
  outdated: ['↓ has news', 'alert'],
  removed: ['! removed there', 'alert'],
  pinned: ['– pinned', 'faint'],
  unreachable: ['! unreachable', 'alert'],
}

const RESULTS: Record<SkillUpdate['result'], [word: string, style?: Style] | undefined> = {
  updated: undefined,
  conflict: ['⚑ both changed', 'alert'],
  undecided: ['⚑ both changed', 'alert'],
  unchanged: undefined,
}

function updateCells(update: SkillUpdate, isChosen: boolean): Line[] {
  const { name, source, from, to, state, result, review } = update
  const [word, style] =
    (review.length > 0 ? (['✗ look first', 'alert'] as const) : RESULTS[result]) ?? UPDATE_WORDS[state]
  const commits = from === undefined || to === undefined ? '' : `${from.slice(0, 7)} → ${to.slice(0, 7)}  `
  const tick = canUpdate(update) ? (isChosen ? '☑ ' : '☐ ') : '  '
  return [plain(`${tick}${name}`), styled(word, style ?? 'faint'), styled(`${commits}${shortSource(source)}`, 'faint')]
}

/** An update: what it adds, its conflicts, and the difference. */
export function updateText(model: Model, columns: number): Line[] {
  const row = updateRows(model)[model.updates.at]
  if (row === undefined) return []
  const { review, conflicts, diff, isMerged, state } = row
  const looked = review.slice(0, 40).map(({ path, line, what, quote, isAlarming }) => ({
    text: `${path}${line > 0 ? `:${line}` : ''} ${what}: ${quote}`,
    isAlarming,
  }))
  const told = model.updates.findings.filter(({ subject }) => subject === row.name)
  return [
    ...told.flatMap((finding) => findingLines(finding, columns)),
    ...(looked.length === 0
      ? []
      : wrapped(`it can do ${count(review.length, 'thing')} more; allow it first`, columns, 'strong')),
    ...looked.flatMap(({ text, isAlarming }) => wrapped(text, columns, isAlarming ? 'alert' : 'faint')),
    ...conflicts.flatMap(({ message }) => wrapped(`⚑ ${message}`, columns, 'alert')),
    ...(isMerged ? wrapped('Your own changes are kept: both are merged.', columns, 'faint') : []),
    ...(diff === '' ? (state === 'outdated' ? [plain('No text changes.')] : [plain(UPDATE_WORDS[state][0])]) : []),
    ...(diff === '' ? [] : unifiedLines(diff)),
  ].map((line) => (line.length === 0 ? [span('')] : line))
}

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
function canUpdate({ state }: SkillUpdate): boolean {
  return state === 'outdated'
}

export function chooseUpdate(model: Model): Updated {
  const { updates } = model
  const row = updateRows(model)[updates.at]
  if (row === undefined || updates.value?.isDryRun === false) return step(model)
  if (!canUpdate(row)) return step({ ...model, notice: { tone: 'plain', text: `${row.name} is ${row.state}` } })
  const isChosen = updates.chosen.includes(row.name)
  const chosen = isChosen ? updates.chosen.filter((name) => name !== row.name) : [...updates.chosen, row.name]
  return step({ ...model, updates: { ...updates, chosen } })
}

export function chooseAllUpdates(model: Model): Updated {
  const names = updateRows(model)
    .filter(canUpdate)
    .map(({ name }) => name)
  const chosen = model.updates.chosen.length === names.length ? [] : names
  return step({ ...model, updates: { ...model.updates, chosen } })
}

/** Updates the chosen skills, or the one under the cursor. */
export function runUpdate(model: Model): Updated {
  const { chosen, at, value } = model.updates
  if (value?.isDryRun === false) return step({ ...model, screen: 'inventory' })
  const row = updateRows(model)[at]
  const names = chosen.length > 0 ? [...chosen] : row !== undefined && canUpdate(row) ? [row.name] : []
  if (names.length > 0) return step({ ...model, notice: undefined }, { kind: 'update', names })
  return step({ ...model, notice: { tone: 'plain', text: 'nothing here has news' } })
}
