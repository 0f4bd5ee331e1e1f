import type { Blanks } from '../../../domain/delivery/settings/hook-settings.ts'
import { isRecord, isTextList, setOwn } from '../../../domain/shared/record.ts'
import { removeFile } from '../../files.ts'
import { readJson } from '../../json-file.ts'
import type { Machine } from '../../machine.ts'
import { recordPath, writeRecord } from '../../records.ts'

const INSTALLS = 'hook-installs.json'

/** What a settings file cannot tell about the time before our hooks. Without it they are removed all the same. */
export interface InstallRecord {
  /** The whole file, where it held nothing; null when there was none. */
  before?: string | null
  /** Folders that were made for it, outermost first. */
  folders: string[]
  blanks: Blanks
}

type Records = Record<string, InstallRecord>

function recordsPath(machine: Machine): string {
  return recordPath(machine, INSTALLS)
}

export function recallInstall(machine: Machine, path: string): InstallRecord | undefined {
  const records = readRecords(machine)
  return Object.hasOwn(records, path) ? records[path] : undefined
}

export function rememberInstall(machine: Machine, path: string, record: InstallRecord | undefined): void {
  const records = readRecords(machine)
  if (record === undefined && !Object.hasOwn(records, path)) return
  if (record === undefined) delete records[path]
  else setOwn(records, path, record)
  if (Object.keys(records).length === 0) removeFile(recordsPath(machine))
  else writeRecord(machine, INSTALLS, `${JSON.stringify(records, null, 2)}\n`)
}

/** A record that cannot be read is a lost one. */
function readRecords(machine: Machine): Records {
  const records: Records = {}
  try {
    const json = readJson(recordsPath(machine))
    for (const [path, value] of Object.entries(isRecord(json) ? json : {})) {
      const record = parseRecord(value)
      if (record !== undefined) setOwn(records, path, record)
    }
  } catch {}
  return records
}

function parseRecord(json: unknown): InstallRecord | undefined {
  if (!isRecord(json) || !isTextList(json.folders) || !isRecord(json.blanks)) return undefined
  const { before, folders } = json
  const blanks = Object.entries(json.blanks).filter((entry): entry is [string, string] => isBlank(entry[1]))
  const known = before === null || isBlank(before) ? { before } : {}
  return { ...known, folders, blanks: Object.fromEntries(blanks) }
}

/** Nothing else is ever put into a settings file from here. */
function isBlank(value: unknown): value is string {
  return typeof value === 'string' && value.trim() === ''
}
