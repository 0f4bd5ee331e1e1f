import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { isFile, isFolder, readText } from '../../../machine/files.ts'
import { hookLogPath } from '../../../machine/hook-log.ts'
import { type Machine, xdgConfigHome } from '../../../machine/machine.ts'
import { openProject, type Project, realOrSame } from '../../../machine/open-project.ts'
import { packageFolder } from '../../../machine/package-folder.ts'
import { sessionsFolder } from '../../../machine/sessions.ts'
import { LoadoutError } from '../../../text/trouble.ts'
import { findAgent, requireAgent, type Scope } from '../../rules/agents.ts'
import { HOOK_HOSTS, type HookHost, requireHost } from '../../rules/hook-hosts.ts'
import type { ProgramCall } from '../../rules/hook-settings/hook-command.ts'

/** A settings file from which an agent reads its hooks. */
export interface HookPlace {
  host: HookHost
  label: string
  scope: Scope
  path: string
  /** Set for the hooks of a project. */
  project: string | undefined
}

export function hookPlace(machine: Machine, host: HookHost, project: string | undefined): HookPlace {
  const { label } = requireAgent(host.agent)
  const path = project === undefined ? join(hostFolder(machine, host), host.userFile) : join(project, host.projectFile)
  return { host, label, scope: project === undefined ? 'user' : 'project', path, project }
}

/** The host of a named agent, by any of its names. */
export function hostNamed(name: string): HookHost {
  const id = findAgent(name)?.id
  return HOOK_HOSTS.find(({ agent }) => agent === id) ?? requireHost(name)
}

/** The folder with the user's settings of an agent. */
export function hostFolder(machine: Machine, { agent, home }: HookHost): string {
  const { variable, folder } = { folder: '', variable: undefined, ...(home ?? requireAgent(agent).home) }
  const moved = variable && machine.env[variable]
  if (moved && isAbsolute(moved)) return resolve(moved)
  const inConfig = /^\.config\/(.*)/.exec(folder)?.[1]
  return inConfig === undefined ? join(machine.home, folder) : join(xdgConfigHome(machine), inConfig)
}

/** Whether an agent seems to be used on this machine. */
export function isPresent(machine: Machine, host: HookHost): boolean {
  return isFolder(hostFolder(machine, host))
}

/** The repository, unless it is the home folder, which has the user's own settings. */
export function findHookProject(machine: Machine, { repository }: Project): string | undefined {
  return repository === machine.home ? undefined : repository
}

export function requireHookProject(machine: Machine, named: string): string {
  const opened = openProject(machine, named)
  const project = findHookProject(machine, opened)
  if (project !== undefined) return project
  throw new LoadoutError('NO_PROJECT', `${opened.place} is not in a git repository, apart from your home folder`, {
    hint: 'name a place in a project; without --project the hooks are installed for you, everywhere',
  })
}

/** The last answer and the last problem of an agent's hooks. */
export interface HookTraces {
  /** The time of the last answer in any session. */
  lastAnswer?: string
  /** The last line about the agent in the log. */
  lastTrouble?: string
}

export function findTraces(machine: Machine, agent: string): HookTraces {
  const lastAnswer = newestSession(machine, agent)
  const lastTrouble = readLog(machine).findLast((line) => line.split(' ')[1] === agent)
  return { lastAnswer, lastTrouble }
}

function newestSession(machine: Machine, agent: string): string | undefined {
  try {
    const folder = sessionsFolder(machine)
    const names = readdirSync(folder).filter((name) => name.startsWith(`${agent}.`))
    const times = names.map((name) => statSync(join(folder, name)).mtimeMs)
    return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString()
  } catch {
    return undefined
  }
}

function readLog(machine: Machine): string[] {
  try {
    return readText(hookLogPath(machine)).split('\n')
  } catch {
    return []
  }
}

/** How to start Loadout from anywhere: by its name if that is on the PATH, else by its path. */
export function ownCall(machine: Machine): ProgramCall {
  const script = join(packageFolder(), 'dist', 'cli.cjs')
  const found = findProgram(machine, 'loadout')
  const isThis = found !== undefined && realOrSame(found) === realOrSame(script)
  return isThis ? 'named' : { node: process.execPath, script }
}

/** Searches the PATH, without the folders that npm adds while it runs a script: agents do not have them. */
export function findProgram({ env }: Machine, name: string): string | undefined {
  const folders = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}
