import { refuseNamedLinkOut } from '../../../machine/inside.ts'
import type { Machine } from '../../../machine/machine.ts'
import { LoadoutError } from '../../../text/trouble.ts'
import { wantedHooks } from '../../rules/hook-hosts.ts'
import type { ProgramCall } from '../../rules/hook-settings/hook-command.ts'
import { findHooks, reconcileHooks } from '../../rules/hook-settings/hook-settings.ts'
import { pluginText, readPlugin } from '../../rules/hook-settings/opencode-plugin.ts'
import type { HookPlace } from './hook-places.ts'
import { asItWas, changeSettings, newRecord, recallChange, type SettingsChange } from './settings-change.ts'
import { readSettings, readSettingsFile, splitMark } from './settings-file.ts'

const RECORDS = 'hook-installs.json'

/** The change of a settings file. */
export interface HookChangePlan extends SettingsChange {
  place: HookPlace
  /** The file had our hooks before. */
  hadHooks: boolean
}

/** Plans without writing. Without `call`, removes our hooks. */
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
  const known = recallChange(machine, RECORDS, path)
  const record = hadHooks && known !== undefined ? known : newRecord(path, before, isBlank, known)
  const plan = { place, path, project, before, hadHooks, record }
  if (wanted.length === 0 && !hadHooks) return { ...plan, after: before }
  const result = reconcileHooks({ text, blanks: record.blanks }, host, wanted, read)
  const after = mark + result.text
  if (wanted.length > 0) return { ...plan, after, record: { ...record, blanks: result.blanks } }
  return { ...plan, after: result.text === host.emptyFile ? asItWas(path, record, after) : after }
}

/** A plugin file is entirely ours, or not ours at all. */
function planPlugin(
  machine: Machine,
  place: HookPlace,
  before: string | undefined,
  call: ProgramCall | undefined,
): HookChangePlan {
  const { path, host, project } = place
  const own = readPlugin(before ?? '')
  const isTheirs = before !== undefined && own === undefined
  if (own?.isIntact === false || (isTheirs && call !== undefined)) {
    throw new LoadoutError('BAD_SETTINGS', `${path} ${isTheirs ? 'is not from Loadout' : 'was changed by hand'}`, {
      hint: `move it away, then: loadout hooks ${call === undefined ? 'remove' : 'install'} ${host.agent}`,
    })
  }
  const record = own === undefined ? newRecord(path, before, true, undefined) : recallChange(machine, RECORDS, path)
  const after = isTheirs ? before : call && pluginText(call)
  const isOurs = own !== undefined
  return { place, path, project, before, after, hadHooks: isOurs, record: record ?? { folders: [], blanks: {} } }
}

export function applyHookChange(machine: Machine, plan: HookChangePlan, isInstall: boolean): void {
  changeSettings(machine, RECORDS, plan, isInstall)
}
