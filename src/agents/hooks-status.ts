import { readEdited } from '../change/edits.ts'
import { isFile } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { shellWord } from '../text/printable.ts'
import { asFinding, type Finding, LoadoutError, report } from '../text/trouble.ts'
import {
  findHookProject,
  findObstacles,
  findProgram,
  findTraces,
  type HookPlace,
  type HookTraces,
  hookPlace,
  hostNamed,
  isPresent,
  requireHookProject,
} from './disk/hook-settings/hook-places.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import { requireAgent, type Scope } from './rules/agents.ts'
import { HOOK_HOSTS, hostRefusal, isCurrent, refusalFinding, requireHost, wantedHooks } from './rules/hook-hosts.ts'
import { pathsIn } from './rules/hook-settings/hook-command.ts'
import { type FoundHook, findHooks } from './rules/hook-settings/hook-settings.ts'
import { findTables } from './rules/hook-settings/hook-tables.ts'
import { pluginText, readPlugin } from './rules/hook-settings/plugin-file.ts'

interface HookStatus extends HookTraces {
  agent: string
  label: string
  scope: Scope
  path: string
  state: 'installed' | 'not installed' | 'outdated' | 'cannot run' | 'broken'
  /** The events that our hooks are installed for. */
  events: string[]
}

export interface HookStatusRequest {
  agents: readonly string[]
  project?: string
}

export interface HookStatuses {
  hooks: HookStatus[]
}

/** Checks whether our hooks are in the settings of agents and can run. Problems are findings. */
export function judgeHooks(
  machine: Machine,
  request: HookStatusRequest,
): HookStatuses & { findings: Finding[]; project: string | undefined } {
  const hosts = request.agents.length === 0 ? HOOK_HOSTS : [...new Set(request.agents.map(hostNamed))]
  const project =
    request.project === undefined
      ? findHookProject(machine, machine.openProject())
      : requireHookProject(machine, request.project)
  const scopes = project === undefined ? [undefined] : [undefined, project]
  // Whether the user may expect hooks for an agent: it seems to be used, or is enabled by default.
  const judged = hosts
    .flatMap((host) => scopes.flatMap((scope) => hookPlace(machine, host, scope) ?? []))
    .map((place) => judge(machine, place))
    .filter(
      ({ status }) =>
        request.agents.length > 0 ||
        status.state !== 'not installed' ||
        requireAgent(status.agent).isEnabledByDefault === true ||
        isPresent(machine, requireHost(status.agent)),
    )
  const findings = judged.flatMap((each) => each.findings)
  return { hooks: judged.map(({ status }) => status), findings, project }
}

interface Judged {
  status: HookStatus
  findings: Finding[]
}

function judge(machine: Machine, place: HookPlace): Judged {
  const { host, label, scope, path } = place
  const status = { agent: host.agent, label, scope, path, events: [] as string[], ...findTraces(machine, host.agent) }
  try {
    const { hooks, outdated, refusal } = readHooks(place, readEdited(path) ?? '')
    if (hooks.length === 0) return { status: { ...status, state: 'not installed' }, findings: [] }
    const events = [...new Set(hooks.map(({ event }) => event))]
    const obstacles = [
      ...(refusal === undefined ? [] : [refusalFinding(host, label, path, refusal)]),
      ...findGone(machine, place, hooks),
      ...findObstacles(place, hooks).map((facts) => report('HOOKS_OFF/obstacle', facts, { subject: path })),
    ]
    const state = obstacles.length > 0 ? 'cannot run' : outdated.length > 0 ? 'outdated' : 'installed'
    return { status: { ...status, events, state }, findings: [...outdated, ...obstacles] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { hint = 'repair the file' } = error
    const broken = asFinding(error, { severity: 'error', subject: path, hint })
    return { status: { ...status, state: 'broken' }, findings: [broken] }
  }
}

/** Our hooks in a file, which of them are outdated, and why the agent ignores the whole file. */
function readHooks(place: HookPlace, text: string): { hooks: FoundHook[]; outdated: Finding[]; refusal?: string } {
  const { host, path } = place
  if (host.layout === 'plugin') return readOwnPlugin(place, text)
  const { body } = splitMark(text)
  if (body.trim() === '') return { hooks: [], outdated: [] }
  if (host.layout === 'tables') {
    const hooks = findTables(body, host.agent)
    return { hooks, outdated: hooks.length === 0 ? [] : findOutdated(place, hooks) }
  }
  const tree = readSettings(body, path)
  const hooks = findHooks(tree, host)
  const refusal = hostRefusal(text, tree, host)
  return { hooks, outdated: findOutdated(place, hooks), refusal }
}

/** Our plugin answers all events. */
function readOwnPlugin(place: HookPlace, text: string): { hooks: FoundHook[]; outdated: Finding[] } {
  const { agent } = place.host
  const own = readPlugin(agent, text)
  if (own === undefined) return { hooks: [], outdated: [] }
  const [node = 'loadout', script] = own.program
  const call = script === undefined ? 'named' : { node, script }
  const hooks = wantedHooks(place.host, call).map(({ event, command }) => ({
    ...{ event, commands: { command: command('sh', '') }, matcher: undefined, options: '', timeout: undefined },
    ...{ isPlain: true, group: 0, handler: 0 },
  }))
  if (text === pluginText(agent, call)) return { hooks, outdated: [] }
  const row = own.isIntact ? 'HOOKS_OFF/outdated-plugin' : 'HOOKS_OFF/outdated-edited'
  const { path } = place
  return { hooks, outdated: [report(row, { path, command: installCommand(place) }, { subject: path })] }
}

function findOutdated(place: HookPlace, hooks: readonly FoundHook[]): Finding[] {
  const missing = Object.values(place.host.events).filter((event) => !hooks.some((hook) => hook.event === event))
  const old = hooks.filter((hook) => !isCurrent(hook, place.host)).map(({ event }) => event)
  const problems = [
    missing.length > 0 && `no hook for ${missing.join(', ')}`,
    old.length > 0 && `an older form of the hook for ${old.join(', ')}`,
  ].filter((problem) => problem !== false)
  if (problems.length === 0) return []
  const facts = { label: place.label, problems: problems.join(', and '), command: installCommand(place) }
  return [report('HOOKS_OFF/outdated-hooks', facts, { subject: place.path })]
}

/** Finds hooks whose program was moved or deleted. */
function findGone(machine: Machine, place: HookPlace, hooks: readonly FoundHook[]) {
  const commands = hooks.flatMap((hook) => Object.values(hook.commands))
  const missing = commands.flatMap((command) => {
    const paths = pathsIn(command)
    if (paths === undefined) return findProgram(machine.env, 'loadout') === undefined ? ['loadout'] : []
    return [paths.node, paths.script].filter((path) => !isFile(path))
  })
  const command = installCommand(place)
  return [...new Set(missing)].map((program) => {
    if (program !== 'loadout') return report('HOOKS_OFF/gone', { program, command }, { subject: place.path })
    const hint = place.scope === 'project' ? 'put it there' : command
    return report('HOOKS_OFF/path', { hint }, { subject: place.path })
  })
}

function installCommand({ host, project }: HookPlace): string {
  return `loadout connect ${host.agent}${project === undefined ? '' : ` --project ${shellWord(project)}`}`
}
