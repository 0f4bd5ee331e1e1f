import { insideOf, type Line, pane, plain, type Size, span, styled } from '../frame/line.ts'
import { inColumns, listLines, problemLines } from '../frame/rows.ts'
import { type Model, shortPath } from '../model.ts'
import { type SettingRow, settingRows } from './settings-state.ts'

// The longest id of an agent.
const LONGEST_ID = 8

export function viewSettings(model: Model, size: Size): Line[] {
  const { view, at } = model.settings
  const inside = insideOf(size)
  const rows = settingRows(model)
  const isNarrow = inside.columns < 60
  const row = isNarrow ? inColumns(rows, shortCells, LONGEST_ID) : inColumns(rows, cells)
  const lines = listLines(rows, at, inside, row)
  const shown = lines.length > 0 ? lines : problemLines(model.problems.settings, 'reading…', inside.columns)
  const config = view === undefined ? '' : `  ${shortPath(model, view.config)}`
  return pane([span('Settings', 'strong'), span(config, 'faint')], shown, size, true)
}

function cells({ isOn, label, about, detail }: SettingRow): Line[] {
  return [standing(isOn), plain(label), plain(about), styled(detail, 'faint')]
}

/** On a narrow screen the path matters more than the long name. */
function shortCells({ isOn, label, about, detail }: SettingRow): Line[] {
  return [standing(isOn), plain(label), styled(detail === '' ? about : detail, 'faint')]
}

function standing(isOn: boolean | undefined): Line {
  return isOn === undefined ? plain('') : isOn ? styled('● on', 'good') : styled('○ off', 'faint')
}
