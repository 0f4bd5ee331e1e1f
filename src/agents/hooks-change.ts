import { asItWas, type Edits, type FileEdit, newRecord, type UndoRecord } from '../change/edits.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { isToml } from '../machine/toml.ts'
import { diffLines } from '../text/line-diff.ts'
import { failWith } from '../text/trouble.ts'
import { Config } from './config.ts'
import {
  type HookPlace,
  hookPlace,
  isPresent,
  ownCall,
  requireHookProject,
  serverFile,
} from './disk/hook-settings/hook-places.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import { requireAgent, type Scope } from './rules/agents.ts'
import {
  HOOK_HOSTS,
  type HookHost,
  hostRefusal,
  refusalFinding,
  SETTINGS_HOSTS,
  type SettingsHost,
  wantedHooks,
} from './rules/hook-hosts.ts'
import type { ProgramCall } from './rules/hook-settings/hook-command.ts'
import { findHooks, reconcileHooks } from './rules/hook-settings/hook-settings.ts'
import { findTables, reconcileTables } from './rules/hook-settings/hook-tables.ts'
import { pluginText, readPlugin } from './rules/hook-settings/plugin-file.ts'
import { addServer, removeServer } from './rules/mcp-server.ts'

export interface HooksRequest {
  /** Ids; empty for all enabled agents with hooks or MCP servers. */
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
  /** What was added to the file: hooks, the MCP server, or the list of what can be loaded. */
  part: 'hooks' | 'mcp' | 'AGENTS.md'
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

const UNDO_FILES = { hooks: 'hook-installs.json', mcp: 'server-installs.json' } as const

/** Plans hooks and servers, among other edits. */
export function hooksPlan(machine: Machine, request: HooksRequest, isInstall: boolean): (edits: Edits) => HookEdit[] {
  const project = request.project === undefined ? undefined : requireHookProject(machine, request.project)
  const hosts = chooseHosts(machine, request.agents, isInstall)
  const places = HOOK_HOSTS.filter(({ agent }) => hosts.some((host) => host.agent === agent)).flatMap(
    (host) => hookPlace(machine, host, project) ?? [],
  )
  const call = isInstall ? (project === undefined ? ownCall(machine) : 'named-if-there') : undefined
  const servers = project === undefined && (request.mcp === true || !isInstall) ? hosts : []
  const planHooks = (edits: Edits) => places.map((place) => planEdit(edits, place, call))
  const planServers = (edits: Edits) => servers.flatMap((host) => planServer(machine, edits, host, call) ?? [])
  // Hooks and server may be in one file: what was added last is taken out first.
  const parts = isInstall ? [planHooks, planServers] : [planServers, planHooks]
  return (edits) =>
    parts.flatMap((plan) =>
      plan(edits).map((edit) => {
        edits.addUndoable(edit, UNDO_FILES[edit.part], isInstall ? edit.record : undefined)
        return edit
      }),
    )
}

/** Without names: all enabled agents that are used here, because an unused agent should not get a folder. */
function chooseHosts(machine: Machine, agents: readonly string[], isInstall: boolean): readonly SettingsHost[] {
  const named = agents.map((name) => requireAgent(name).id)
  if (agents.length > 0) return SETTINGS_HOSTS.filter(({ agent }) => named.includes(agent))
  if (!isInstall) return SETTINGS_HOSTS
  const config = new Config(machine)
  const hosts = SETTINGS_HOSTS.filter((host) => config.isEnabled(host.agent) && isPresent(machine, host))
  if (hosts.length > 0) return hosts
  throw failWith('USAGE/no-hosts', { hookHosts: HOOK_HOSTS.map(({ agent }) => agent).join('|') })
}

export function describeChange(edit: HookEdit, isInstall: boolean): HookChange {
  const { host, label, scope, part, path, before, after, wasThere } = edit
  const done = isInstall ? (wasThere ? 'updated' : 'installed') : 'removed'
  return {
    agent: host.agent,
    label,
    scope,
    part,
    path,
    change: before === after ? 'none' : done,
    diff: before === after ? '' : diffLines(before ?? '', after ?? ''),
    untilTheyRun: isInstall && part === 'hooks' ? (host as HookHost).untilTheyRun : undefined,
  }
}

/** Reports settings files that the agent cannot read, because then the hooks never run. */
export function reportUnreadable(machine: Machine, edits: readonly HookEdit[]): void {
  for (const { part, host, label, path, after = '' } of edits) {
    const { layout } = host as HookHost
    if (part !== 'hooks' || layout === 'plugin' || layout === 'tables') continue
    const refusal = hostRefusal(after, readSettings(splitMark(after).body, path), host as HookHost)
    if (refusal !== undefined) machine.report(refusalFinding(host as HookHost, label, path, refusal))
  }
}

/** The planned edit of a settings file. */
export interface HookEdit extends FileEdit, Pick<HookChange, 'label' | 'scope'> {
  host: SettingsHost
  part: 'hooks' | 'mcp'
  record: UndoRecord
  /** The file had our hooks, or the server, before. */
  wasThere: boolean
}

/** Plans without writing. Without `call`, removes our hooks. */
function planEdit(edits: Edits, place: HookPlace, call: ProgramCall | undefined): HookEdit {
  const { path, host, label, scope, project } = place
  if (project !== undefined) refuseNamedLinkOut(project, path)
  const before = edits.read(path)
  const plan = { host, label, scope, part: 'hooks', path, project, before } as const
  if (host.layout === 'plugin') return { ...plan, ...planPlugin(edits, host, path, before, call) }
  const wanted = call === undefined ? [] : wantedHooks(host, call)
  const { mark, body } = splitMark(before ?? '')
  const isBlank = body.trim() === ''
  const text = isBlank ? host.emptyFile : body
  const read = (source: string) => readSettings(source, path)
  const isTables = host.layout === 'tables'
  if (isTables && !isToml(text)) throw failWith('BAD_SETTINGS/toml', { path })
  const wasThere = (isTables ? findTables(text, host.agent) : findHooks(read(text), host)).length > 0
  const known = edits.find(UNDO_FILES.hooks, path)
  const record = wasThere && known !== undefined ? known : newRecord(path, before, isBlank, known)
  if (wanted.length === 0 && !wasThere) return { ...plan, wasThere, record, after: before }
  const settings = { text, blanks: record.blanks }
  const result = isTables ? reconcileTables(settings, host.agent, wanted) : reconcileHooks(settings, host, wanted, read)
  const after = mark + result.text
  if (wanted.length > 0) return { ...plan, wasThere, after, record: { ...record, blanks: result.blanks } }
  return { ...plan, wasThere, record, after: result.text === host.emptyFile ? asItWas(path, record, after) : after }
}

/** A plugin file is entirely ours, or not ours at all. */
function planPlugin(
  edits: Edits,
  { agent }: HookHost,
  path: string,
  before: string | undefined,
  call: ProgramCall | undefined,
): Pick<HookEdit, 'after' | 'wasThere' | 'record'> {
  const own = readPlugin(agent, before ?? '')
  const isTheirs = before !== undefined && own === undefined
  if (own?.isIntact === false || (isTheirs && call !== undefined)) {
    throw failWith('BAD_SETTINGS/plugin', {
      path,
      what: isTheirs ? 'is not from Loadout' : 'was changed by hand',
      what2: call === undefined ? 'remove' : 'install',
      agent,
    })
  }
  const record = own === undefined ? newRecord(path, before, true, undefined) : edits.find(UNDO_FILES.hooks, path)
  const after = isTheirs ? before : call && pluginText(agent, call)
  return { after, wasThere: own !== undefined, record: record ?? { folders: [], blanks: {} } }
}

/** Plans the entry of the MCP server in the user's settings. Without `call`, removes it if Loadout wrote it. */
function planServer(
  machine: Machine,
  edits: Edits,
  host: SettingsHost,
  call: ProgramCall | undefined,
): HookEdit | undefined {
  const { mcp } = host
  if (mcp === undefined) return undefined
  const path = serverFile(machine, host, mcp)
  const before = edits.read(path)
  const emptyFile = mcp.key === 'mcp_servers' ? '' : '{}\n'
  const { mark, body } = splitMark(before ?? '')
  const isBlank = body.trim() === ''
  const text = isBlank ? emptyFile : body
  const read = (source: string) => readSettings(source, path)
  const wasThere = removeServer({ text, blanks: {} }, mcp, read).text !== text
  const known = edits.find(UNDO_FILES.mcp, path)
  const record = wasThere && known !== undefined ? known : newRecord(path, before, isBlank, known)
  const { label } = requireAgent(host.agent)
  const plan = { host, label, scope: 'user', part: 'mcp', path, project: undefined, before, wasThere } as const
  const settings = { text, blanks: record.blanks }
  const result = call === undefined ? removeServer(settings, mcp, read) : addServer(settings, mcp, call, read)
  // Before and after: a table cannot be added to one that stands on one line.
  if (emptyFile === '' && !(isToml(text) && isToml(result.text))) throw failWith('BAD_SETTINGS/toml', { path })
  if (result.text === text) return { ...plan, after: before, record }
  const after = mark + result.text
  if (call !== undefined) return { ...plan, after, record: { ...record, blanks: result.blanks } }
  return { ...plan, after: result.text === emptyFile ? asItWas(path, record, after) : after, record }
}
