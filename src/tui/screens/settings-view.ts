import type { SettingsView } from '../../loadout.ts'
import { insideOf, type Line, pane, type Size, span, styled } from '../frame/line.ts'
import { listLines } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { problemLines } from './problem-lines.ts'
import { type SettingRow, settingRows } from './settings-state.ts'

// The two lines of the machine, in their box.
const HEAD_ROWS = 4

export function viewSettings(model: Model, size: Size): Line[] {
  const { view, at } = model.settings
  const hasHead = size.rows >= 9 && view !== undefined
  const list = hasHead ? { ...size, rows: size.rows - HEAD_ROWS } : size
  const inside = insideOf(list)
  const lines = listLines(settingRows(model), at, inside, row)
  const shown = lines.length > 0 ? lines : problemLines(model.problems.settings, 'reading…', inside.columns)
  const lower = pane(styled('Settings', 'strong'), shown, list, true)
  return hasHead ? [...viewMachine(view, { ...size, rows: HEAD_ROWS }), ...lower] : lower
}

function row({ label, detail, isOn }: SettingRow): Line {
  return [span(`${isOn ? '● on ' : '○ off'} ${label}  `), span(detail, 'faint')]
}

function viewMachine({ library, config }: SettingsView, size: Size): Line[] {
  const lines: Line[] = [
    [span('library ', 'faint'), span(library ?? 'none')],
    [span('config  ', 'faint'), span(config)],
  ]
  return pane(styled('Machine', 'strong'), lines, size, false)
}
