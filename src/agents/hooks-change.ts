import { asItWas, changeFiles, type Edits, type FileEdit, newRecord, type UndoRecord } from '../change/edits.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { isToml } from '../machine/toml.ts'
import { diffLines } from '../text/line-diff.ts'
import { failWith } from '../text/trouble.ts'
import { Config } from './config.ts'
import {
  type HookPlace,
  hookPlace,
  hostNamed,
  isPresent,
  ownCall,
  requireHookProject,
  serverFile,
} from './disk/hook-settings/hook-places.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import type { Scope } from './rules/agents.ts'
import { HOOK_HOSTS, type HookHost, hostRefusal, refusalFinding, wantedHooks } from './rules/hook-hosts.ts'
import type { ProgramCall } from './rules/hook-settings/hook-command.ts'
import { findHooks, reconcileHooks } from './rules/hook-settings/hook-settings.ts'
import { pluginText, readPlugin } from './rules/hook-settings/opencode-plugin.ts'
import { addServer, removeServer } from './rules/mcp-server.ts'

export interface HooksRequest {
  /** Ids; empty for all enabled agents with hooks. */
  agents: readonly string[]
  /** A folder in a project; empty for the working folder; undefined for the user's own hooks. */
  project?: string
  /** Names the MCP server of Loadout in the user's settings too. Removing always takes it out. */
  mcp?: boolean
  dryRun?: boolean
}

export interface HookChange {
  agent: string
  label: string
  scope: Scope
  /** What was added to the file. */
  part: 'hooks' | 'mcp'
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

/** Adds our hooks, and if asked our MCP server, to the settings of agents. Changes nothing else in the files. */
export function installHooks(machine: Machine, request: HooksRequest): Promise<HookChanges> {
  return changeHooks(machine, request, true)
}

/** Removes exactly what `installHooks` added. */
export function removeHooks(machine: Machine, request: HooksRequest): Promise<HookChanges> {
  return changeHooks(machine, request, false)
}

async function changeHooks(machine: Machine, request: HooksRequest, isInstall: boolean): Promise<HookChanges> {
  const isDryRun = request.dryRun ?? false
  const edits = await changeFiles(machine, { purpose: 'hooks', isDryRun }, hooksPlan(machine, request, isInstall))
  if (isInstall) reportUnreadable(machine, edits)
  // A server that was never named is nothing to tell of.
  const isTold = ({ part, before, after }: HookEdit) => isInstall || part === 'hooks' || before !== after
  return { changes: edits.filter(isTold).map((edit) => describe(edit, isInstall)), isDryRun }
}

const UNDO_FILES = { hooks: 'hook-installs.json', mcp: 'server-installs.json' } as const

/** Plans hooks and servers, among other edits. */
export function hooksPlan(machine: Machine, request: HooksRequest, isInstall: boolean): (edits: Edits) => HookEdit[] {
  const project = request.project === undefined ? undefined : requireHookProject(machine, request.project)
  const places = chooseHosts(machine, request.agents, isInstall).map((host) => hookPlace(machine, host, project))
  const call = isInstall ? (project === undefined ? ownCall(machine) : 'named-if-there') : undefined
  const hasServers = project === undefined && (request.mcp === true || !isInstall)
  // Hooks and server may be in one file: what was added last is taken out first.
  const parts = (isInstall ? ['hooks', 'mcp'] : ['mcp', 'hooks']) as readonly HookChange['part'][]
  return (edits) =>
    parts.flatMap((part) =>
      (part === 'hooks' || hasServers ? places : []).map((place) => {
        const edit =
          part === 'hooks' ? planEdit(edits, place, call) : planServer(edits, place, serverFile(machine, place), call)
        edits.addUndoable(edit, UNDO_FILES[part], isInstall ? edit.record : undefined)
        return edit
      }),
    )
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

function describe({ place, part, path, before, after, wasThere }: HookEdit, isInstall: boolean): HookChange {
  const { host, label, scope } = place
  const done = isInstall ? (wasThere ? 'updated' : 'installed') : 'removed'
  return {
    agent: host.agent,
    label,
    scope,
    part,
    path,
    change: before === after ? 'none' : done,
    diff: before === after ? '' : diffLines(before ?? '', after ?? ''),
    untilTheyRun: isInstall && part === 'hooks' ? host.untilTheyRun : undefined,
  }
}

/** Reports settings files that the agent cannot read, because then the hooks never run. */
export function reportUnreadable(machine: Machine, edits: readonly HookEdit[]): void {
  for (const { place, part, after = '' } of edits) {
    const { path, label, host } = place
    if (part === 'mcp' || host.layout === 'plugin') continue
    const refusal = hostRefusal(after, readSettings(splitMark(after).body, path), host)
    if (refusal !== undefined) machine.report(refusalFinding(host, label, path, refusal))
  }
}

/** The planned edit of a settings file. */
interface HookEdit extends FileEdit {
  record: UndoRecord
  place: HookPlace
  part: HookChange['part']
  /** The file had our hooks, or the server, before. */
  wasThere: boolean
}

/** Plans without writing. Without `call`, removes our hooks. */
function planEdit(edits: Edits, place: HookPlace, call: ProgramCall | undefined): HookEdit {
  const { path, host, project } = place
  if (project !== undefined) refuseNamedLinkOut(project, path)
  const before = edits.read(path)
  if (host.layout === 'plugin') return planPlugin(edits, place, before, call)
  const wanted = call === undefined ? [] : wantedHooks(host, call)
  const { mark, body } = splitMark(before ?? '')
  const isBlank = body.trim() === ''
  const text = isBlank ? host.emptyFile : body
  const read = (source: string) => readSettings(source, path)
  const hadHooks = findHooks(read(text), host).length > 0
  const known = edits.find(UNDO_FILES.hooks, path)
  const record = hadHooks && known !== undefined ? known : newRecord(path, before, isBlank, known)
  const plan = { place, part: 'hooks', path, project, before, wasThere: hadHooks, record } as const
  if (wanted.length === 0 && !hadHooks) return { ...plan, after: before }
  const result = reconcileHooks({ text, blanks: record.blanks }, host, wanted, read)
  const after = mark + result.text
  if (wanted.length > 0) return { ...plan, after, record: { ...record, blanks: result.blanks } }
  return { ...plan, after: result.text === host.emptyFile ? asItWas(path, record, after) : after }
}

/** A plugin file is entirely ours, or not ours at all. */
function planPlugin(
  edits: Edits,
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
  const record = own === undefined ? newRecord(path, before, true, undefined) : edits.find(UNDO_FILES.hooks, path)
  const after = isTheirs ? before : call && pluginText(call)
  const isOurs = own !== undefined
  return {
    place,
    part: 'hooks',
    path,
    project,
    before,
    after,
    wasThere: isOurs,
    record: record ?? { folders: [], blanks: {} },
  }
}

/** Plans the entry of the MCP server in the user's settings. Without `call`, removes it if Loadout wrote it. */
function planServer(edits: Edits, place: HookPlace, path: string, call: ProgramCall | undefined): HookEdit {
  const { mcp } = place.host
  const before = edits.read(path)
  const emptyFile = mcp.key === 'mcp_servers' ? '' : '{}\n'
  const { mark, body } = splitMark(before ?? '')
  const isBlank = body.trim() === ''
  const text = isBlank ? emptyFile : body
  const read = (source: string) => readSettings(source, path)
  const wasThere = removeServer({ text, blanks: {} }, mcp, read).text !== text
  const known = edits.find(UNDO_FILES.mcp, path)
  const record = wasThere && known !== undefined ? known : newRecord(path, before, isBlank, known)
  const plan = { place, part: 'mcp', path, project: undefined, before, wasThere } as const
  const settings = { text, blanks: record.blanks }
  const result = call === undefined ? removeServer(settings, mcp, read) : addServer(settings, mcp, call, read)
  // Before and after: a table cannot be added to one that stands on one line.
  if (emptyFile === '' && !(isToml(text) && isToml(result.text))) throw failWith('BAD_SETTINGS/toml', { path })
  if (result.text === text) return { ...plan, after: before, record }
  const after = mark + result.text
  if (call !== undefined) return { ...plan, after, record: { ...record, blanks: result.blanks } }
  return { ...plan, after: result.text === emptyFile ? asItWas(path, record, after) : after, record }
}
