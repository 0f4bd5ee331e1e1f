import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { ConfigJson } from '../machine/config-file.ts'
import { exists, isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject, type Project, realOrSame } from '../machine/open-project.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { AGENTS, type Agent, requireAgent, type Scope, type TargetRoot } from './rules/agents.ts'
import { type Config, isEnabled, parseConfig, withAction, withTarget, withTargetPath } from './rules/config.ts'

/** Reads the settings of the library and the agents. Throws for a bad value. */
export function readConfig(machine: Machine): Config {
  const config = parseConfig(machine.config.read(), machine.config.path)
  // The shared folder does not show which agents read it, and those that are found have folders of their own.
  const found = AGENTS.filter((agent) => agent.id !== 'agents' && isFound(machine, config, agent))
  return { ...config, found: found.map(({ id }) => id) }
}

/** Whether an agent is on this machine: it has a folder of its own after its first run. */
export function isFound(machine: Machine, config: Config, agent: Agent): boolean {
  const root = userRoot(machine, config, agent)
  const isOwn = agent.id !== 'agents' && config.targets[agent.id]?.path === undefined
  return root !== undefined && (isFolder(root) || (isOwn && isFolder(dirname(root))))
}

export function changeConfig(machine: Machine, change: (json: ConfigJson) => ConfigJson): Promise<void> {
  return machine.config.change(parseConfig, change)
}

/** The library's folder. Throws if none is configured. */
export function libraryPath(machine: Machine, { repoPath }: Config): string {
  if (repoPath !== undefined) return machine.config.resolve(repoPath)
  const path = machine.config.path
  const problem = exists(path) ? `${path} names no library` : 'there is no library yet'
  throw new LoadoutError('CONFIG_NOT_FOUND', problem, {
    hint: 'loadout init --new <folder> makes one; --clone <url> and --repo <folder> take one that exists',
  })
}

/** The library's folder; undefined if none is configured. */
export function findLibrary(machine: Machine, { repoPath } = readConfig(machine)): string | undefined {
  return repoPath === undefined ? undefined : machine.config.resolve(repoPath)
}

/** The folder of the user's skills for an agent; undefined if it reads only folders of projects. */
export function userRoot(machine: Machine, config: Config, agent: Agent): string | undefined {
  const configured = config.targets[agent.id]?.path
  if (configured !== undefined) return machine.config.resolve(configured)
  const { home, userFolder } = agent
  if (userFolder === undefined) return undefined
  const moved = home && machine.env[home.variable]
  if (home && moved && isAbsolute(moved)) return join(moved, userFolder.slice(home.folder.length))
  const inConfig = /^\.config\/(.*)/.exec(userFolder)?.[1]
  return inConfig === undefined ? join(machine.home, userFolder) : join(machine.xdgConfigHome, inConfig)
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

/** The project that the user named: its agents' folders are created when they are needed. Throws if it is none. */
export function requireProject(machine: Machine, named: string): string {
  const { place, repository: root } = openProject(machine, named)
  if (root !== undefined && root !== machine.home) return root
  throw new LoadoutError('NO_PROJECT', `${place} is in no git repository, apart from your home folder`, {
    hint: 'project scope needs one: git init',
  })
}

export interface AgentView {
  id: string
  label: string
  isEnabled: boolean
  /** Absent if the agent reads only folders of projects. */
  userFolder?: string
  projectFolder: string
  exists: boolean
}

/** All known agents, and whether Loadout installs skills for them on this machine. */
export function listAgents(machine: Machine, _request: object): Report<AgentView[]> {
  const config = readConfig(machine)
  const value = AGENTS.map((agent) => {
    const userFolder = userRoot(machine, config, agent)
    const { id, label, projectFolder } = agent
    const view = { id, label, isEnabled: isEnabled(config, id), userFolder, projectFolder }
    return { ...view, exists: userFolder !== undefined && isFolder(userFolder) }
  })
  return { value, findings: [] }
}

/** Enables or disables agents. Their installs stay until the user unequips them. */
export async function switchAgents(
  machine: Machine,
  { ids: names, isOn, dryRun }: { ids: readonly string[]; isOn: boolean; dryRun?: boolean },
): Promise<Report<AgentView[]>> {
  if (names.length === 0)
    throw new LoadoutError('USAGE', 'Missing argument: an agent', { hint: 'loadout agents lists them' })
  const ids = [...new Set(names.map((name) => requireAgent(name).id))]
  if (dryRun) {
    const { value, findings } = listAgents(machine, {})
    return { value: value.map((agent) => (ids.includes(agent.id) ? { ...agent, isEnabled: isOn } : agent)), findings }
  }
  await changeConfig(machine, (json) => ids.reduce((changed, id) => withTarget(changed, id, isOn), json))
  return listAgents(machine, {})
}

/** Automatic actions when the library changes. */
const ACTIONS = [
  { name: 'import_auto_commit', label: 'commit what is imported', isOn: (config: Config) => config.commitsImports },
  { name: 'delete_auto_commit', label: 'commit what is deleted', isOn: (config: Config) => config.commitsDeletes },
  { name: 'sync_push', label: 'push when syncing', isOn: (config: Config) => config.pushesOnSync },
] as const

export interface SettingsView {
  /** The path of the settings file. */
  config: string
  /** False: nothing was set yet; these are the defaults. */
  isWritten: boolean
  library?: string
  agents: AgentView[]
  actions: { name: string; label: string; isOn: boolean }[]
}

/** All settings of this machine. */
export function showSettings(machine: Machine, _request: object): Report<SettingsView> {
  const config = readConfig(machine)
  const library = findLibrary(machine, config)
  const value = {
    config: machine.config.path,
    isWritten: exists(machine.config.path),
    library,
    agents: listAgents(machine, {}).value,
    actions: ACTIONS.map(({ name, label, isOn }) => ({ name, label, isOn: isOn(config) })),
  }
  return { value, findings: [] }
}

export async function switchAction(
  machine: Machine,
  { name, isOn }: { name: string; isOn: boolean },
): Promise<Report<SettingsView>> {
  if (!ACTIONS.some((action) => action.name === name)) {
    throw new LoadoutError('USAGE', `unknown setting "${name}"`, {
      hint: ACTIONS.map((each) => each.name).join(', '),
    })
  }
  await changeConfig(machine, (json) => withAction(json, name, isOn))
  return showSettings(machine, {})
}

/** Sets the folder from which an agent reads the user's skills. An empty path restores the default. */
export async function setAgentFolder(
  machine: Machine,
  { agent, path }: { agent: string; path: string },
): Promise<Report<SettingsView>> {
  const { id } = requireAgent(agent)
  const place = path.trim()
  const config = readConfig(machine)
  // In the file, a relative path would start from another folder.
  const written = place === '' || /^[~/]/.test(place) ? place : resolve(machine.cwd, place)
  await changeConfig(machine, (json) => withTargetPath(json, id, written, isEnabled(config, id)))
  return showSettings(machine, {})
}

/** The project around the working folder, if there is one. */
export function detectProject(machine: Machine, _request: object): { home: string; project?: string } {
  const { home } = machine
  try {
    const project = findProject(machine, readConfig(machine), openProject(machine))
    return project === undefined ? { home } : { home, project }
  } catch (error) {
    // Code that needs the configuration reports a broken one.
    if (error instanceof LoadoutError) return { home }
    throw error
  }
}
