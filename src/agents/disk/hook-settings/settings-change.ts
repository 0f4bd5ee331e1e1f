import { readJson, removeFile } from '../../../machine/files.ts'
import type { Machine } from '../../../machine/machine.ts'
import { recordPath, writeRecord } from '../../../machine/records.ts'
import { isRecord, isTextList, setOwn } from '../../../text/values.ts'
import type { Blanks } from '../../rules/hook-settings/hook-settings.ts'
import {
  deleteSettingsFile,
  isOrdinaryFile,
  missingFolders,
  removeFolders,
  replaceSettingsFile,
} from './settings-file.ts'

/** The change of a settings file. */
export interface SettingsChange {
  path: string
  /** The project that the file must stay inside; undefined for the user's own file. */
  project: string | undefined
  /** Undefined if the file does not exist. */
  before: string | undefined
  after: string | undefined
  record: ChangeRecord
}

/** What Loadout needs to undo a change, if the settings file alone does not show it. */
export interface ChangeRecord {
  /** The file before the change, if it was blank; null if it did not exist. */
  before?: string | null
  /** Folders that Loadout created for it, the outermost first. */
  folders: string[]
  blanks: Blanks
  /** What Loadout added, if the file alone does not show it. */
  added?: string[]
}

/** Keeps the folders of an old record: a killed process may have left folders without the file. */
export function newRecord(
  path: string,
  before: string | undefined,
  isBlank: boolean,
  old: ChangeRecord | undefined,
): ChangeRecord {
  const left = before === undefined ? (old?.folders ?? []) : []
  const folders = [...new Set([...left, ...missingFolders(path)])]
  return { before: isBlank ? (before ?? null) : undefined, folders, blanks: {} }
}

/** Restores a blank file. Removes a file that did not exist before, unless it is a link now. */
export function asItWas(path: string, { before }: ChangeRecord, emptied: string): string | undefined {
  if (before === null) return isOrdinaryFile(path) ? undefined : emptied
  return before ?? emptied
}

/** If the process is killed, the file is either old or new, and the record lets the next process continue. */
export function changeSettings(
  machine: Machine,
  records: string,
  { path, project, before, after, record }: SettingsChange,
  isInstall: boolean,
): void {
  if (isInstall) {
    if (after === before || after === undefined) return
    rememberChange(machine, records, path, record)
    replaceSettingsFile(project, path, before, after)
    return
  }
  if (after === undefined) {
    if (before !== undefined) deleteSettingsFile(path, before)
    removeFolders(path, record.folders)
  } else if (after !== before) replaceSettingsFile(project, path, before, after)
  rememberChange(machine, records, path, undefined)
}

type Records = Record<string, ChangeRecord>

/** `name`: the file with the records. */
export function recallChange(machine: Machine, name: string, path: string): ChangeRecord | undefined {
  const records = readRecords(machine, name)
  return Object.hasOwn(records, path) ? records[path] : undefined
}

function rememberChange(machine: Machine, name: string, path: string, record: ChangeRecord | undefined): void {
  const records = readRecords(machine, name)
  if (record === undefined && !Object.hasOwn(records, path)) return
  if (record === undefined) delete records[path]
  else setOwn(records, path, record)
  if (Object.keys(records).length === 0) removeFile(recordPath(machine, name))
  else writeRecord(machine, name, `${JSON.stringify(records, null, 2)}\n`)
}

/** Ignores records that cannot be read. */
function readRecords(machine: Machine, name: string): Records {
  const records: Records = {}
  try {
    const json = readJson(recordPath(machine, name))
    for (const [path, value] of Object.entries(isRecord(json) ? json : {})) {
      const record = parseRecord(value)
      if (record !== undefined) setOwn(records, path, record)
    }
  } catch {}
  return records
}

function parseRecord(json: unknown): ChangeRecord | undefined {
  if (!isRecord(json) || !isTextList(json.folders) || !isRecord(json.blanks)) return undefined
  const { before, folders } = json
  const blanks = Object.entries(json.blanks).filter((entry): entry is [string, string] => isBlank(entry[1]))
  const known = before === null || isBlank(before) ? { before } : {}
  const added = isTextList(json.added) ? { added: json.added } : {}
  return { ...known, folders, blanks: Object.fromEntries(blanks), ...added }
}

/** Loadout restores only blanks from a record, never other text. */
function isBlank(value: unknown): value is string {
  return typeof value === 'string' && value.trim() === ''
}
