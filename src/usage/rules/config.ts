import { asRecord, asSwitch } from '../../machine/rules/settings-shape.ts'

type Json = Record<string, unknown>

/** Whether the usage log keeps the words of tasks: `usage.keep_tasks` in `config.json`. */
export function parseKeepsTasks(json: Json, path: string): boolean {
  const usage = asRecord(json.usage ?? {}, path, '"usage"')
  return asSwitch(usage.keep_tasks, false, path, '"usage.keep_tasks"')
}

/** Whether the page may read the agents' own files of conversations: `usage.read_transcripts` in `config.json`. */
export function parseReadsTranscripts(json: Json, path: string): boolean {
  const usage = asRecord(json.usage ?? {}, path, '"usage"')
  return asSwitch(usage.read_transcripts, false, path, '"usage.read_transcripts"')
}
