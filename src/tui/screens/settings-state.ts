import type { Effect } from '../effect.ts'
import type { Model } from '../model.ts'
import { type Step, step } from '../step.ts'

export interface SettingRow {
  label: string
  detail: string
  isOn: boolean
  change: Effect
}

/** Everything that can be switched: the agents, then what happens in the library. */
export function settingRows({ settings }: Model): SettingRow[] {
  const { view } = settings
  if (view === undefined) return []
  return [
    ...view.agents.map(({ id, label, isEnabled, userFolder }) => ({
      label: `${id}  ${label}`,
      detail: userFolder,
      isOn: isEnabled,
      change: { kind: 'switch agent' as const, id, isOn: !isEnabled },
    })),
    ...view.actions.map(({ name, label, isOn }) => ({
      label,
      detail: name,
      isOn,
      change: { kind: 'switch action' as const, name, isOn: !isOn },
    })),
  ]
}

export function switchSetting(model: Model): Step {
  const row = settingRows(model)[model.settings.at]
  return row === undefined ? step(model) : step(model, row.change)
}
