import type { MergeView } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import { beside, insideOf, type Line, pane, plain, type Size, styled, wrapped } from '../frame/line.ts'
import { inColumns, listLines, problemLines, textPane } from '../frame/rows.ts'
import { activeProject, type Model, shortPath, step, type Updated } from '../model.ts'
import { splitPanes } from './regions.ts'

// On a narrower screen, one text is below the other.
const SIDE_BY_SIDE = 70

export function viewMerge(model: Model, size: Size): Line[] {
  const { merges } = model
  const rows = mergeRows(model)
  const row = rows[merges.at]
  const { list, below } = splitPanes(size, size.rows, merges.focus)
  if (row === undefined || (below === undefined && list !== undefined)) return viewRows(model, rows, size)
  const upper = list === undefined ? [] : viewRows(model, rows, list)
  return [...upper, ...(below === undefined ? [] : viewTexts(model, row, below))]
}

function viewRows(model: Model, rows: readonly MergeRow[], size: Size): Line[] {
  const { merges, problems } = model
  const inside = insideOf(size)
  const row = inColumns(rows, ({ merge, place }) =>
    place === undefined
      ? [plain(merge.skill), styled('● decided: enter brings it into the library', 'good')]
      : [plain(merge.skill), plain(place.path), styled(place.message, 'faint')],
  )
  const lines = listLines(rows, merges.at, inside, row, merges.focus === 'list')
  const shown = lines.length > 0 ? lines : noMerges(model, problems.merge, inside.columns)
  const left = rows.filter(({ place }) => place !== undefined).length
  const title = merges.list === undefined ? 'Merges' : `Merges: ${count(left, 'place')} to decide`
  return pane(styled(title, 'strong'), shown, size, merges.focus === 'list')
}

function noMerges({ merges }: Model, problem: Model['notice'], columns: number): Line[] {
  if (merges.list !== undefined) return wrapped('No merge waits for a decision.', columns)
  return problemLines(problem, 'reading…', columns)
}

function viewTexts(model: Model, row: MergeRow, size: Size): Line[] {
  const { scroll, focus } = model.merges
  const isFocused = focus === 'text'
  const { place, merge } = row
  if (place === undefined)
    return textPane(styled(merge.skill, 'strong'), decided(model, row, insideOf(size).columns), scroll, size, isFocused)
  const titles = [`1 ${merge.sides.ours}`, `2 ${merge.sides.theirs}`]
  const panes = textPanes(size)
  const [ours = [], theirs = []] = [place.ours, place.theirs].map((side, at) => {
    const room = panes[at] ?? size
    const lines = sideLines(side, insideOf(room).columns)
    return textPane(styled(titles[at] ?? '', 'strong'), lines, scroll, room, isFocused)
  })
  return size.columns >= SIDE_BY_SIDE ? beside(ours, theirs) : [...ours, ...theirs]
}

function decided(model: Model, { merge }: MergeRow, columns: number): Line[] {
  return [
    ...wrapped('Every place is decided. enter brings the skill into the library, D gives the merge up.', columns),
    styled(shortPath(model, merge.files), 'faint'),
  ]
}

/** The panes of the two texts. */
export function textPanes({ columns, rows }: Size): [Size, Size] {
  if (columns >= SIDE_BY_SIDE) {
    const left = Math.floor(columns / 2)
    return [
      { columns: left, rows },
      { columns: columns - left, rows },
    ]
  }
  const upper = Math.floor(rows / 2)
  return [
    { columns, rows: upper },
    { columns, rows: rows - upper },
  ]
}

function sideLines(text: string | undefined, columns: number): Line[] {
  if (text === undefined) return [styled('removed, or not text', 'faint')]
  if (text === '') return [styled('nothing: this version has no such lines', 'faint')]
  return text
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) => {
      const lines = wrapped(line.replaceAll('\t', '    '), columns)
      return lines.length > 0 ? lines : [plain('')]
    })
}

/** The longer of the two texts, which decides how far they scroll. */
export function mergeLines(model: Model, columns: number): Line[] {
  const row = mergeRows(model)[model.merges.at]
  if (row?.place === undefined) return row === undefined ? [] : decided(model, row, columns)
  const [ours, theirs] = [sideLines(row.place.ours, columns), sideLines(row.place.theirs, columns)]
  return ours.length > theirs.length ? ours : theirs
}

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
export function takeSide(model: Model, take: 'library' | 'other', isAll: boolean): Updated {
  const row = mergeRows(model)[model.merges.at]
  if (row?.place === undefined) return step(model)
  const { path, stretch } = row.place
  const only = isAll ? undefined : { path, stretch }
  return step(model, { kind: 'take side', name: row.merge.skill, take, only })
}

/** Puts the merged skill into the library, if every place is decided. */
export function finishMerge(model: Model): Updated {
  const row = mergeRows(model)[model.merges.at]
  if (row === undefined) return step(model)
  const { skill, places, conflicts, files } = row.merge
  const left = Math.max(places.length, conflicts.length)
  if (left === 0) return step(model, { kind: 'finish merge', name: skill, project: activeProject(model) })
  const text = `${count(left, 'place')} of ${skill} ${left === 1 ? 'waits' : 'wait'}: 1 or 2 decides`
  return step({ ...model, notice: { tone: 'alert', text, hint: `or edit the files in ${files}` } })
}

export function giveUpMerge(model: Model): Updated {
  const row = mergeRows(model)[model.merges.at]
  if (row === undefined) return step(model)
  const name = row.merge.skill
  const text = 'The library stays as it is. What was merged so far goes to the backup folder.'
  const effect = { kind: 'give up merge', name } as const
  return step({ ...model, overlay: { kind: 'confirm', question: `Give up the merge of ${name}?`, text, effect } })
}
