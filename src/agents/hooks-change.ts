import { asItWas, type FileEdit, newRecord, readEdited, type UndoRecord, UndoRecords } from '../change/file-edit.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { diffLines } from '../text/line-diff.ts'
import { type Finding, failWith } from '../text/trouble.ts'
import { Config } from './config.ts'
import {
  type HookPlace,
  hookPlace,
  hostNamed,
  isPresent,
  ownCall,
  requireHookProject,
} from './disk/hook-settings/hook-places.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import type { Scope } from './rules/agents.ts'
import { HOOK_HOSTS, type HookHost, hostRefusal, refusalFinding, wantedHooks } from './rules/hook-hosts.ts'
import type { ProgramCall } from './rules/hook-settings/hook-command.ts'
import { findHooks, reconcileHooks } from './rules/hook-settings/hook-settings.ts'
import { pluginText, readPlugin } from './rules/hook-settings/opencode-plugin.ts'

export interface HooksRequest {
  /** Ids; empty for all enabled agents with hooks. */
  agents: readonly string[]
  /** A folder in a project; empty for the working folder; undefined for the user's own hooks. */
  project?: string
  dryRun?: boolean
}

export interface HookChange {
  agent: string
  label: string
  scope: Scope
  path: string
  change: 'installed' | 'updated' | 'removed' | 'none'
  /** The changed lines of the file. */
  diff: string
  /** What must happen before the hooks run; absent if they were removed. */
  untilTheyRun?: string
}

export interface HookChanges {
  changes: HookChange[]
  isDryRun: boolean
}

/** Adds our hooks to the settings of agents. Does not change anything else in the files. */
export function installHooks(machine: Machine, request: HooksRequest): Promise<HookChanges> {
  return changeHooks(machine, request, true)
}

/** Removes exactly what `installHooks` added. */
export function removeHooks(machine: Machine, request: HooksRequest): Promise<HookChanges> {
  return changeHooks(machine, request, false)
}

async function changeHooks(machine: Machine, request: HooksRequest, isInstall: boolean): Promise<HookChanges> {
  const isDryRun = request.dryRun ?? false
  const project = request.project === undefined ? undefined : requireHookProject(machine, request.project)
  const places = chooseHosts(machine, request.agents, isInstall).map((host) => hookPlace(machine, host, project))
  const call = project === undefined ? ownCall(machine) : 'named-if-there'
  const records = new UndoRecords(machine, RECORDS)
  const planAll = () => places.map((place) => planEdit(records, place, isInstall ? call : undefined))
  // First without writing: if a file must be repaired first, this throws before Loadout creates anything.
  const dry = planAll()
  const applyAll = () => {
    const all = planAll()
    for (const edit of all) records[isInstall ? 'apply' : 'undo'](edit, edit.record)
    return all
  }
  const edits = isDryRun ? dry : await records.asOnlyEditor(applyAll)
  const findings = isInstall ? edits.flatMap((edit) => unreadableFindings(edit)) : []
  machine.report(...findings)
  return { changes: edits.map((edit) => describe(edit, isInstall)), isDryRun }
}

/** Without names: all enabled agents that are used here, because an unused agent should not get a folder. */
function chooseHosts(machine: Machine, agents: readonly string[], isInstall: boolean): readonly HookHost[] {
  if (agents.length > 0) return [...new Set(agents.map(hostNamed))]
  if (!isInstall) return HOOK_HOSTS
  const config = new Config(machine)
  const hosts = HOOK_HOSTS.filter((host) => config.isEnabled(host.agent) && isPresent(machine, host))
  if (hosts.length > 0) return hosts
  throw failWith('USAGE/no-hosts', { hookHosts: HOOK_HOSTS.map(({ agent }) => agent).join('|') })
}

function describe({ place, before, after, hadHooks }: HookEdit, isInstall: boolean): HookChange {
  const { host, label, scope, path } = place
  const done = isInstall ? (hadHooks ? 'updated' : 'installed') : 'removed'
  return {
    agent: host.agent,
    label,
    scope,
    path,
    change: before === after ? 'none' : done,
    diff: before === after ? '' : diffLines(before ?? '', after ?? ''),
    untilTheyRun: isInstall ? host.untilTheyRun : undefined,
  }
}

/** Reports a settings file that the agent cannot read, because then the hooks never run. */
function unreadableFindings({ place, after = '' }: HookEdit): Finding[] {
  const { path, label, host } = place
  if (host.layout === 'plugin') return []
  const refusal = hostRefusal(after, readSettings(splitMark(after).body, path), host)
  return refusal === undefined ? [] : [refusalFinding(host, label, path, refusal)]
}

const RECORDS = 'hook-installs.json'

/** The planned edit of a settings file. */
interface HookEdit extends FileEdit {
  record: UndoRecord
  place: HookPlace
  /** The file had our hooks before. */
  hadHooks: boolean
}

/** Plans without writing. Without `call`, removes our hooks. */
function planEdit(records: UndoRecords, place: HookPlace, call: ProgramCall | undefined): HookEdit {
  const { path, host, project } = place
  if (project !== undefined) refuseNamedLinkOut(project, path)
  const before = readEdited(path)
  if (host.layout === 'plugin') return planPlugin(records, place, before, call)
  const wanted = call === undefined ? [] : wantedHooks(host, call)
  const { mark, body } = splitMark(before ?? '')
  const isBlank = body.trim() === ''
  const text = isBlank ? host.emptyFile : body
  const read = (source: string) => readSettings(source, path)
  const hadHooks = findHooks(read(text), host).length > 0
  const known = records.find(path)
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
  records: UndoRecords,
  place: HookPlace,
  before: string | undefined,
  call: ProgramCall | undefined,
): HookEdit {
  const { path, host, project } = place
  const own = readPlugin(before ?? '')
  const isTheirs = before !== undefined && own === undefined
  if (own?.isIntact === false || (isTheirs && call !== undefined)) {
    throw failWith('BAD_SETTINGS/plugin', {
      path,
      what: isTheirs ? 'is not from Loadout' : 'was changed by hand',
      what2: call === undefined ? 'remove' : 'install',
      agent: host.agent,
    })
  }
  const record = own === undefined ? newRecord(path, before, true, undefined) : records.find(path)
  const after = isTheirs ? before : call && pluginText(call)
  const isOurs = own !== undefined
  return { place, path, project, before, after, hadHooks: isOurs, record: record ?? { folders: [], blanks: {} } }
}
