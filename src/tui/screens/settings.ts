import { insideOf, type Line, pane, plain, type Size, span, styled } from '../frame/line.ts'
import { inColumns, listLines, problemLines } from '../frame/rows.ts'
import type { Effect } from '../message.ts'
import { type Asking, type Model, shortPath, step, type Updated } from '../model.ts'

export function viewSettings(model: Model, size: Size): Line[] {
  const { view, at } = model.settings
  const inside = insideOf(size)
  const rows = settingRows(model)
  const isNarrow = inside.columns < 60
  // The longest id of an agent.
  const row = isNarrow ? inColumns(rows, shortCells, 8) : inColumns(rows, settingCells)
  const lines = listLines(rows, at, inside, row)
  const shown = lines.length > 0 ? lines : problemLines(model.problems.settings, 'reading…', inside.columns)
  const config = view === undefined ? '' : `  ${shortPath(model, view.config)}`
  return pane([span('Settings', 'strong'), span(config, 'faint')], shown, size, true)
}

function settingCells({ isOn, label, about, detail }: SettingRow): Line[] {
  return [standing(isOn), plain(label), plain(about), styled(detail, 'faint')]
}

/** On a narrow screen the path matters more than the long name. */
function shortCells({ isOn, label, about, detail }: SettingRow): Line[] {
  return [standing(isOn), plain(label), styled(detail === '' ? about : detail, 'faint')]
}

function standing(isOn: boolean | undefined): Line {
  return isOn === undefined ? plain('') : isOn ? styled('● on', 'good') : styled('○ off', 'faint')
}

export interface SettingRow {
  label: string
  about: string
  detail: string
  /** Undefined unless it is a switch. */
  isOn?: boolean
  change?: Effect
  /** A path that the user can change. */
  path?: { question: string; asking: Asking }
}

/** All settings: the library, the agents with their folders, then the actions in the library. */
export function settingRows(model: Model): SettingRow[] {
  const { view } = model.settings
  if (view === undefined) return []
  const library: SettingRow = {
    label: 'library',
    about: '',
    detail: shortPath(model, view.library ?? 'none'),
    path: { question: 'Folder of the library', asking: { for: 'library' } },
  }
  return [
    library,
    ...view.agents.map(
      ({ id, label, isEnabled, userFolder }): SettingRow => ({
        label: id,
        about: label,
        detail: userFolder === undefined ? 'only in projects' : shortPath(model, userFolder),
        isOn: isEnabled,
        change: { kind: 'switch agent', id, isOn: !isEnabled },
        path: { question: `Folder of ${label} (empty: its default)`, asking: { for: 'folder', agent: id } },
      }),
    ),
    ...view.actions.map(
      ({ name, label, isOn }): SettingRow => ({
        label: name,
        about: label,
        detail: '',
        isOn,
        change: { kind: 'switch action', name, isOn: !isOn },
      }),
    ),
  ]
}

/** Switches a setting on or off, or asks for its path. */
export function switchSetting(model: Model): Updated {
  const row = settingRows(model)[model.settings.at]
  if (row?.change !== undefined) return step(model, row.change)
  return editSetting(model)
}

export function editSetting(model: Model): Updated {
  const row = settingRows(model)[model.settings.at]
  if (row === undefined) return step(model)
  const { path, detail, label } = row
  if (path === undefined) return step({ ...model, notice: { tone: 'plain', text: `${label} has no path` } })
  return step({ ...model, overlay: { kind: 'ask', text: detail, ...path } })
}
