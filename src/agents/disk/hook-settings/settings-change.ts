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

const BYTE_ORDER_MARK = '\ufeff'

/** What a settings file is and what it would be. */
export interface SettingsChange {
  path: string
  /** Of a file that must stay inside a project. */
  project: string | undefined
  /** Undefined when there is no file. */
  before: string | undefined
  after: string | undefined
  record: ChangeRecord
}

/** What a settings file cannot tell about the time before a change of ours. */
export interface ChangeRecord {
  /** The whole file, where it held nothing; null when there was none. */
  before?: string | null
  /** Folders that were made for it, outermost first. */
  folders: string[]
  blanks: Blanks
  /** What was added, where the file alone cannot tell that it is ours. */
  added?: string[]
}

/** A killed process may have made the folders but no file, or removed the file but not the folders. */
export function newRecord(
  path: string,
  before: string | undefined,
  isBlank: boolean,
  old: ChangeRecord | undefined,
): ChangeRecord {
  const left = before === undefined ? (old?.folders ?? []) : []
  const folders = [...new Set([...left, ...missingFolders(path)])]
  return { ...(isBlank ? { before: before ?? null } : {}), folders, blanks: {} }
}

/** A file that held nothing is given back as it was; one that was not there goes, unless it is a link by now. */
export function asItWas(path: string, { before }: ChangeRecord, emptied: string): string | undefined {
  if (before === null) return isOrdinaryFile(path) ? undefined : emptied
  return before ?? emptied
}

export function splitMark(text: string): { mark: string; body: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return { mark, body: text.slice(mark.length) }
}

/** A process killed in between leaves the old file or the new one, and a record from which the next one can continue. */
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

/** `name` is the file of the records. */
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

/** A record that cannot be read is a lost one. */
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

/** Nothing else is ever put into a settings file from here. */
function isBlank(value: unknown): value is string {
  return typeof value === 'string' && value.trim() === ''
}
