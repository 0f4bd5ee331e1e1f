import { isFile } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { shellWord } from '../text/printable.ts'
import { type Code, type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { splitMark } from './disk/hook-settings/hook-install.ts'
import { findObstacles } from './disk/hook-settings/hook-obstacles.ts'
import {
  findHookProject,
  findProgram,
  findTraces,
  type HookPlace,
  type HookTraces,
  hookPlace,
  requireHookProject,
} from './disk/hook-settings/hook-places.ts'
import { readSettings, readSettingsFile } from './disk/hook-settings/settings-file.ts'
import type { Scope } from './rules/agents.ts'
import { HOOK_EVENTS, HOOK_HOSTS, hostRefusal, isCurrent, requireHost } from './rules/hook-hosts.ts'
import { pathsIn } from './rules/hook-settings/hook-command.ts'
import { type FoundHook, findHooks } from './rules/hook-settings/hook-settings.ts'

interface HookStatus extends HookTraces {
  agent: string
  label: string
  scope: Scope
  path: string
  state: 'installed' | 'not installed' | 'outdated' | 'cannot run' | 'broken'
  /** Events that our hooks are there for. */
  events: string[]
}

export interface HookStatusRequest {
  agents: readonly string[]
  project?: string | undefined
}

export interface HookStatuses {
  hooks: HookStatus[]
}

/** Whether the hooks are in the settings of agents, and whether they can run. What needs action is a finding. */
export function judgeHooks(
  machine: Machine,
  request: HookStatusRequest,
): Report<HookStatuses> & { project: string | undefined } {
  const hosts = request.agents.length === 0 ? HOOK_HOSTS : [...new Set(request.agents.map(requireHost))]
  const project =
    request.project === undefined
      ? findHookProject(machine, openProject(machine))
      : requireHookProject(machine, request.project)
  const scopes = project === undefined ? [undefined] : [undefined, project]
  const judged = hosts.flatMap((host) => scopes.map((scope) => judge(machine, hookPlace(machine, host, scope))))
  const findings = judged.flatMap((each) => each.findings)
  return { value: { hooks: judged.map(({ status }) => status) }, findings, project }
}

interface Judged {
  status: HookStatus
  findings: Finding[]
}

function judge(machine: Machine, place: HookPlace): Judged {
  const { host, label, scope, path } = place
  const status = { agent: host.agent, label, scope, path, events: [] as string[], ...findTraces(machine, host.agent) }
  try {
    const text = readSettingsFile(path) ?? ''
    const { body } = splitMark(text)
    if (body.trim() === '') return { status: { ...status, state: 'not installed' }, findings: [] }
    const tree = readSettings(body, path)
    const hooks = findHooks(tree, host.agent)
    if (hooks.length === 0) return { status: { ...status, state: 'not installed' }, findings: [] }
    const events = [...new Set(hooks.map(({ event }) => event))]
    const outdated = findOutdated(place, hooks)
    const refusal = hostRefusal(text, tree, host)
    const obstacles = [
      ...(refusal === undefined
        ? []
        : [{ message: `${label} passes over ${path}: ${refusal}`, hint: 'make it plain JSON' }]),
      ...findGone(machine, place, hooks),
      ...findObstacles(machine, place, hooks),
    ].map(({ message, hint }) => finding(place, 'HOOKS_OFF', message, hint))
    const state = obstacles.length > 0 ? 'cannot run' : outdated.length > 0 ? 'outdated' : 'installed'
    return { status: { ...status, events, state }, findings: [...outdated, ...obstacles] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const broken = finding(place, error.code, error.message, error.hint ?? 'repair the file')
    return { status: { ...status, state: 'broken' }, findings: [broken] }
  }
}

function findOutdated(place: HookPlace, hooks: readonly FoundHook[]): Finding[] {
  const missing = HOOK_EVENTS.filter((event) => !hooks.some((hook) => hook.event === event))
  const old = hooks.filter((hook) => !isCurrent(hook, place.host)).map(({ event }) => event)
  const problems = [
    missing.length > 0 && `no hook for ${missing.join(', ')}`,
    old.length > 0 && `an older form of the hook for ${old.join(', ')}`,
  ].filter((problem) => problem !== false)
  if (problems.length === 0) return []
  return [finding(place, 'HOOKS_OUTDATED', `${place.label} has ${problems.join(', and ')}`, installCommand(place))]
}

/** Hooks whose program has moved or is gone. */
function findGone(machine: Machine, place: HookPlace, hooks: readonly FoundHook[]) {
  const missing = hooks.flatMap(({ command }) => {
    const paths = pathsIn(command)
    if (paths === undefined) return findProgram(machine, 'loadout') === undefined ? ['loadout'] : []
    return [paths.node, paths.script].filter((path) => !isFile(path))
  })
  return [...new Set(missing)].map((program) => ({
    message: program === 'loadout' ? 'loadout is not on the PATH' : `${program}, which the hooks call, is gone`,
    hint: program === 'loadout' && place.scope === 'project' ? 'put it there' : installCommand(place),
  }))
}

function installCommand({ host, project }: HookPlace): string {
  return `loadout hooks install ${host.agent}${project === undefined ? '' : ` --project ${shellWord(project)}`}`
}

function finding({ path }: HookPlace, code: Code, message: string, hint: string): Finding {
  return { severity: 'error', code, message, subject: path, hint }
}
