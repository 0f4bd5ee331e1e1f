import { asRecord, asSwitch } from '../../machine/rules/settings-shape.ts'
import { isRecord } from '../../text/values.ts'

type Json = Record<string, unknown>

/** Whether the usage log keeps the words of tasks: `usage.keep_tasks` in `config.json`. */
export function parseKeepsTasks(json: Json, path: string): boolean {
  const usage = asRecord(json.usage ?? {}, path, '"usage"')
  return asSwitch(usage.keep_tasks, false, path, '"usage.keep_tasks"')
}

/** The configuration with the setting changed. */
export function withKeptTasks(json: Json, isOn: boolean): Json {
  const usage = isRecord(json.usage) ? json.usage : {}
  return { ...json, usage: { ...usage, keep_tasks: isOn } }
}
