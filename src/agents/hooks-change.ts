import { join } from 'node:path'
import { acquireLock } from '../machine/lock.ts'
import { type Machine, stateFolder } from '../machine/machine.ts'
import { diffLines } from '../text/line-diff.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { readConfig } from './config.ts'
import { applyHookChange, type HookChangePlan, planHookChange } from './disk/hook-settings/hook-install.ts'
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
import { isEnabled } from './rules/config.ts'
import { describeRefusal, HOOK_HOSTS, type HookHost, hostRefusal } from './rules/hook-hosts.ts'
import type { ProgramCall } from './rules/hook-settings/hook-command.ts'

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
export function installHooks(machine: Machine, request: HooksRequest): Promise<Report<HookChanges>> {
  return changeHooks(machine, request, true)
}

/** Removes exactly what `installHooks` added. */
export function removeHooks(machine: Machine, request: HooksRequest): Promise<Report<HookChanges>> {
  return changeHooks(machine, request, false)
}

async function changeHooks(machine: Machine, request: HooksRequest, isInstall: boolean): Promise<Report<HookChanges>> {
  const isDryRun = request.dryRun ?? false
  const project = request.project === undefined ? undefined : requireHookProject(machine, request.project)
  const places = chooseHosts(machine, request.agents, isInstall).map((host) => hookPlace(machine, host, project))
  const call = project === undefined ? ownCall(machine) : 'named-if-there'
  // First without writing: if a file must be repaired first, this throws before Loadout creates anything.
  const dry = planAll(machine, places, call, isInstall)
  const plans = isDryRun ? dry : await applyAll(machine, places, call, isInstall)
  const findings = isInstall ? plans.flatMap((plan) => unreadableFindings(plan)) : []
  return { value: { changes: plans.map((plan) => describe(plan, isInstall)), isDryRun }, findings }
}

/** Plans all changes before it writes the first. */
async function applyAll(machine: Machine, places: readonly HookPlace[], call: ProgramCall, isInstall: boolean) {
  const release = await acquireLock(join(stateFolder(machine), 'locks', 'hooks'), { purpose: 'hooks' })
  try {
    const plans = planAll(machine, places, call, isInstall)
    for (const plan of plans) applyHookChange(machine, plan, isInstall)
    return plans
  } finally {
    release()
  }
}

function planAll(machine: Machine, places: readonly HookPlace[], call: ProgramCall, isInstall: boolean) {
  return places.map((place) => planHookChange(machine, place, isInstall ? call : undefined))
}

/** Without names: all enabled agents that are used here, because an unused agent should not get a folder. */
function chooseHosts(machine: Machine, agents: readonly string[], isInstall: boolean): readonly HookHost[] {
  if (agents.length > 0) return [...new Set(agents.map(hostNamed))]
  if (!isInstall) return HOOK_HOSTS
  const config = readConfig(machine)
  const hosts = HOOK_HOSTS.filter((host) => isEnabled(config, host.agent) && isPresent(machine, host))
  if (hosts.length > 0) return hosts
  throw new LoadoutError('USAGE', 'none of the enabled agents with hooks is used on this machine', {
    hint: `name it all the same: loadout hooks install ${HOOK_HOSTS.map(({ agent }) => agent).join('|')}`,
  })
}

function describe({ place, before, after, hadHooks }: HookChangePlan, isInstall: boolean): HookChange {
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
function unreadableFindings({ place, after = '' }: HookChangePlan): Finding[] {
  const { path, label, host } = place
  if (host.layout === 'plugin') return []
  const refusal = hostRefusal(after, readSettings(splitMark(after).body, path), host)
  if (refusal === undefined) return []
  const message = describeRefusal(host, label, path, refusal)
  return [{ severity: 'error', code: 'HOOKS_OFF', message, subject: path, hint: 'repair the file' }]
}
