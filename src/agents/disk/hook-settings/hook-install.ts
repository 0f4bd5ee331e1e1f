import { readJson, removeFile } from '../../../machine/files.ts'
import { refuseNamedLinkOut } from '../../../machine/inside.ts'
import type { Machine } from '../../../machine/machine.ts'
import { recordPath, writeRecord } from '../../../machine/records.ts'
import { LoadoutError } from '../../../text/trouble.ts'
import { isRecord, isTextList, setOwn } from '../../../text/values.ts'
import { wantedHooks } from '../../rules/hook-hosts.ts'
import type { ProgramCall } from '../../rules/hook-settings/hook-command.ts'
import { type Blanks, findHooks, reconcileHooks } from '../../rules/hook-settings/hook-settings.ts'
import { pluginText, readPlugin } from '../../rules/hook-settings/opencode-plugin.ts'
import type { HookPlace } from './hook-places.ts'
import {
  deleteSettingsFile,
  isOrdinaryFile,
  missingFolders,
  readSettings,
  readSettingsFile,
  removeFolders,
  replaceSettingsFile,
} from './settings-file.ts'

/** What a settings file is and what it would be. */
export interface HookChangePlan {
  place: HookPlace
  /** Undefined when there is no file. */
  before: string | undefined
  after: string | undefined
  /** Hooks of ours were there before. */
  hadHooks: boolean
  record: InstallRecord
}

const BYTE_ORDER_MARK = '\ufeff'

/** Reads and decides; nothing is written. Without a call, our hooks are to go. */
export function planHookChange(machine: Machine, place: HookPlace, call: ProgramCall | undefined): HookChangePlan {
  const { path, host, project } = place
  if (project !== undefined) refuseNamedLinkOut(project, path)
  const before = readSettingsFile(path)
  if (host.layout === 'plugin') return planPlugin(machine, place, before, call)
  const wanted = call === undefined ? [] : wantedHooks(host, call)
  const { mark, body } = splitMark(before ?? '')
  const isBlank = body.trim() === ''
  const text = isBlank ? host.emptyFile : body
  const read = (source: string) => readSettings(source, path)
  const hadHooks = findHooks(read(text), host).length > 0
  const known = recallInstall(machine, path)
  const record = hadHooks && known !== undefined ? known : newRecord(path, before, isBlank, known)
  const plan = { place, before, hadHooks, record }
  if (wanted.length === 0 && !hadHooks) return { ...plan, after: before }
  const result = reconcileHooks({ text, blanks: record.blanks }, host, wanted, read)
  const after = mark + result.text
  if (wanted.length > 0) return { ...plan, after, record: { ...record, blanks: result.blanks } }
  return { ...plan, after: result.text === host.emptyFile ? asItWas(path, record, after) : after }
}

/** The whole file is ours, or none of it. */
function planPlugin(
  machine: Machine,
  place: HookPlace,
  before: string | undefined,
  call: ProgramCall | undefined,
): HookChangePlan {
  const { path, host } = place
  const own = readPlugin(before ?? '')
  const isTheirs = before !== undefined && own === undefined
  if (own?.isIntact === false || (isTheirs && call !== undefined)) {
    throw new LoadoutError('BAD_SETTINGS', `${path} ${isTheirs ? 'is not from Loadout' : 'was changed by hand'}`, {
      hint: `move it away, then: loadout hooks ${call === undefined ? 'remove' : 'install'} ${host.agent}`,
    })
  }
  const record = own === undefined ? newRecord(path, before, true, undefined) : recallInstall(machine, path)
  const after = isTheirs ? before : call && pluginText(call)
  return { place, before, after, hadHooks: own !== undefined, record: record ?? { folders: [], blanks: {} } }
}

/** Whoever was killed may have made the folders and no file, or removed the file and not the folders. */
function newRecord(path: string, before: string | undefined, isBlank: boolean, old: InstallRecord | undefined) {
  const left = before === undefined ? (old?.folders ?? []) : []
  const folders = [...new Set([...left, ...missingFolders(path)])]
  return { ...(isBlank ? { before: before ?? null } : {}), folders, blanks: {} }
}

/** A file that held nothing is given back as it was; one that was not there goes, unless it is a link by now. */
function asItWas(path: string, { before }: InstallRecord, emptied: string): string | undefined {
  if (before === null) return isOrdinaryFile(path) ? undefined : emptied
  return before ?? emptied
}

export function splitMark(text: string): { mark: string; body: string } {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return { mark, body: text.slice(mark.length) }
}

/** Whoever is killed in between leaves the old file or the new one, and a record that the next one can go on with. */
export function applyHookChange(machine: Machine, plan: HookChangePlan, isInstall: boolean): void {
  const { place, before, after, record } = plan
  if (isInstall) {
    if (after === before || after === undefined) return
    rememberInstall(machine, place.path, record)
    replaceSettingsFile(place.project, place.path, before, after)
    return
  }
  if (after === undefined) {
    if (before !== undefined) deleteSettingsFile(place.path, before)
    removeFolders(place.path, record.folders)
  } else if (after !== before) replaceSettingsFile(place.project, place.path, before, after)
  rememberInstall(machine, place.path, undefined)
}

const INSTALLS = 'hook-installs.json'

/** What a settings file cannot tell about the time before our hooks. Without it they are removed all the same. */
interface InstallRecord {
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

function recallInstall(machine: Machine, path: string): InstallRecord | undefined {
  const records = readRecords(machine)
  return Object.hasOwn(records, path) ? records[path] : undefined
}

function rememberInstall(machine: Machine, path: string, record: InstallRecord | undefined): void {
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
