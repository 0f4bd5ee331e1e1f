import { isAbsolute, join } from 'node:path'
import {
  type ConfigJson,
  changeConfigJson,
  configPath,
  readConfigJson,
  resolveConfigured,
} from '../machine/config-file.ts'
import { exists, isFolder } from '../machine/files.ts'
import { type Machine, xdgConfigHome } from '../machine/machine.ts'
import { openProject, type Project, realOrSame } from '../machine/open-project.ts'
import { shellWord } from '../text/printable.ts'
import { LoadoutError } from '../text/trouble.ts'
import { AGENTS, type Agent, type Scope, type TargetRoot } from './rules/agents.ts'
import { type Config, isEnabled, parseConfig } from './rules/config.ts'

/** Reads the settings of the library and the agents. Throws for a bad value. */
export function readConfig(machine: Machine): Config {
  return parseConfig(readConfigJson(machine), configPath(machine))
}

export function changeConfig(machine: Machine, change: (json: ConfigJson) => ConfigJson): Promise<void> {
  return changeConfigJson(machine, parseConfig, change)
}

/** The library's folder. Throws if none is configured. */
export function libraryPath(machine: Machine, { repoPath }: Config): string {
  if (repoPath !== undefined) return resolveConfigured(machine, repoPath)
  const path = configPath(machine)
  const problem = exists(path) ? `${path} names no library` : 'there is no library yet'
  throw new LoadoutError('CONFIG_NOT_FOUND', problem, {
    hint: 'loadout init --new <folder> makes one; --clone <url> and --repo <folder> take one that exists',
  })
}

/** The library's folder; undefined if none is configured. */
export function findLibrary(machine: Machine, { repoPath } = readConfig(machine)): string | undefined {
  return repoPath === undefined ? undefined : resolveConfigured(machine, repoPath)
}

/** The folder of the user's skills for an agent; undefined if it reads only folders of projects. */
export function userRoot(machine: Machine, config: Config, agent: Agent): string | undefined {
  const configured = config.targets[agent.id]?.path
  if (configured !== undefined) return resolveConfigured(machine, configured)
  const { home, userFolder } = agent
  if (userFolder === undefined) return undefined
  const moved = home && machine.env[home.variable]
  if (home && moved && isAbsolute(moved)) return join(moved, userFolder.slice(home.folder.length))
  const inConfig = /^\.config\/(.*)/.exec(userFolder)?.[1]
  return inConfig === undefined ? join(machine.home, userFolder) : join(xdgConfigHome(machine), inConfig)
}

/** The folders of some agents in one scope. Agents that read the same folder share one root. */
export function targetRoots(
  machine: Machine,
  config: Config,
  project: string | undefined,
  which: (agent: Agent) => boolean = ({ id }) => isEnabled(config, id),
): TargetRoot[] {
  const scope: Scope = project === undefined ? 'user' : 'project'
  const roots = new Map<string, { path: string; scope: Scope; agents: string[] }>()
  for (const agent of AGENTS.filter(which)) {
    const path = project === undefined ? userRoot(machine, config, agent) : join(project, agent.projectFolder)
    if (path === undefined) continue
    const real = realOrSame(path)
    const root = roots.get(real) ?? { path, scope, agents: [] }
    root.agents.push(agent.id)
    roots.set(real, root)
  }
  return [...roots.values()]
}

/** The project for skills: the root of the repository, if an enabled agent has a folder there. */
export function findProject(machine: Machine, config: Config, { repository: root }: Project): string | undefined {
  if (root === undefined || root === machine.home) return undefined
  const folders = AGENTS.filter(({ id }) => isEnabled(config, id)).map(
    ({ projectFolder }) => projectFolder.split('/')[0],
  )
  return folders.some((folder) => folder !== undefined && isFolder(join(root, folder))) ? root : undefined
}

/** The project that the user named. Throws with the reason if it is not one. */
export function requireProject(machine: Machine, config: Config, named: string): string {
  const opened = openProject(machine, named)
  const project = findProject(machine, config, opened)
  if (project !== undefined) return project
  const { place, repository: root } = opened
  const problem =
    root === undefined
      ? `${place} is in no git repository`
      : `${root} has no folder of an enabled agent, such as .claude or .codex`
  const hint =
    root === undefined ? 'project scope needs one: git init' : `make one: mkdir ${shellWord(join(root, '.claude'))}`
  throw new LoadoutError('NO_PROJECT', problem, { hint })
}
