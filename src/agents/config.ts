import { dirname, isAbsolute, join, resolve } from 'node:path'
import { changeConfig } from '../change/edits.ts'
import { exists, isFolder } from '../machine/files.ts'
import { type Machine, opening } from '../machine/machine.ts'
import { type Project, realOrSame } from '../machine/open-project.ts'
import { failWith, unlessTrouble } from '../text/trouble.ts'
import { AGENTS, type Agent, requireAgent, type Scope, type TargetRoot } from './rules/agents.ts'
import { type ConfigValues, isEnabled, parseConfig, withAction, withTarget, withTargetPath } from './rules/config.ts'

/** Declares that it has every value of the file. */
export interface Config extends ConfigValues {}

/** What `config.json` says about the library and the agents, and where they are on this machine. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor copies every field.
export class Config {
  readonly machine: Machine
  readonly found: readonly string[]

  /** Throws for a bad value. */
  constructor(machine: Machine) {
    this.machine = machine
    Object.assign(this, parseConfig(machine.config.read(), machine.config.path))
    // The shared folder does not show which agents read it, and those that are found have folders of their own.
    this.found = AGENTS.filter((agent) => agent.id !== 'agents' && this.isFound(agent)).map(({ id }) => id)
  }

  /** The library's folder; undefined if none is configured. */
  get library(): string | undefined {
    return this.repoPath === undefined ? undefined : this.machine.config.resolve(this.repoPath)
  }

  /** The library's folder. Throws if none is configured. */
  requireLibrary(): string {
    const { library } = this
    if (library !== undefined) return library
    const { path } = this.machine.config
    throw exists(path) ? failWith('CONFIG_NOT_FOUND/unnamed', { path }) : failWith('CONFIG_NOT_FOUND/yet')
  }

  /** Whether Loadout installs skills for an agent. */
  isEnabled(id: string): boolean {
    return isEnabled(this, id)
  }

  /** The agents that a new library or project is for: those that are set, else those that are found here. */
  agentsHere(): string[] {
    const isMeant = ({ id, isEnabledByDefault }: Agent) =>
      this.targets[id]?.isEnabled ?? (this.found.length > 0 ? this.found.includes(id) : isEnabledByDefault === true)
    return AGENTS.filter(isMeant).map(({ id }) => id)
  }

  /** Whether an agent is on this machine: it has a folder of its own after its first run. */
  isFound(agent: Agent): boolean {
    const root = this.userRoot(agent)
    const isOwn = agent.id !== 'agents' && root === this.defaultRoot(agent)
    return root !== undefined && (isFolder(root) || (isOwn && isFolder(dirname(root))))
  }

  /** The folder of the user's skills for an agent; undefined if it reads only folders of projects. */
  userRoot(agent: Agent): string | undefined {
    const configured = this.targets[agent.id]?.path
    return configured === undefined ? this.defaultRoot(agent) : this.machine.config.resolve(configured)
  }

  private defaultRoot({ home, userFolder }: Agent): string | undefined {
    const { machine } = this
    if (userFolder === undefined) return undefined
    const moved = home && machine.env[home.variable]
    if (home && moved && isAbsolute(moved)) return join(moved, userFolder.slice(home.folder.length))
    const inConfig = /^\.config\/(.*)/.exec(userFolder)?.[1]
    return inConfig === undefined ? join(machine.home, userFolder) : join(machine.xdgConfigHome, inConfig)
  }

  /** The folders of the enabled agents, or of some, in one scope. Agents that read the same folder share one root. */
  targetRoots(project?: string, which: (agent: Agent) => boolean = ({ id }) => this.isEnabled(id)): TargetRoot[] {
    const scope: Scope = project === undefined ? 'user' : 'project'
    const roots = new Map<string, { path: string; scope: Scope; agents: string[] }>()
    const agents = AGENTS.filter(which)
    for (const agent of agents) {
      const path = project === undefined ? this.userRoot(agent) : join(project, agent.projectFolder)
      if (path === undefined) continue
      const real = realOrSame(path)
      const root = roots.get(real) ?? { path, scope, agents: [] }
      root.agents.push(agent.id)
      roots.set(real, root)
    }
    if (project !== undefined) return [...roots.values()]
    return [...roots.values()].map((root) => {
      const others = agents.filter(({ id, alsoReads = [] }) => {
        return !root.agents.includes(id) && alsoReads.some((read) => root.agents.includes(read))
      })
      return others.length === 0 ? root : { ...root, alsoReadBy: others.map(({ id }) => id) }
    })
  }

  /** The project for skills: the root of the repository, if an enabled agent has a folder there. */
  findProject({ repository: root }: Project): string | undefined {
    if (root === undefined || root === this.machine.home) return undefined
    const folders = AGENTS.filter(({ id }) => this.isEnabled(id)).map(
      ({ projectFolder }) => projectFolder.split('/')[0],
    )
    return folders.some((folder) => folder !== undefined && isFolder(join(root, folder))) ? root : undefined
  }
}

/** The project that the user named: its agents' folders are created when they are needed. Throws if it is none. */
export function requireProject(machine: Machine, named: string): string {
  const { place, repository: root } = machine.openProject(named)
  if (root !== undefined && root !== machine.home) return root
  throw failWith('NO_PROJECT/project', { place })
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
export const listAgents = opening(Config, (config, _: object): AgentView[] => viewAgents(config))

function viewAgents(config: Config): AgentView[] {
  return AGENTS.map((agent) => {
    const userFolder = config.userRoot(agent)
    const { id, label, projectFolder } = agent
    const view = { id, label, isEnabled: config.isEnabled(id), userFolder, projectFolder }
    return { ...view, exists: userFolder !== undefined && isFolder(userFolder) }
  })
}

/** Enables or disables agents. Their installs stay until the user unequips them. */
export async function switchAgents(
  machine: Machine,
  { ids: names, isOn, dryRun }: { ids: readonly string[]; isOn: boolean; dryRun?: boolean },
): Promise<AgentView[]> {
  if (names.length === 0) throw failWith('USAGE/no-agent')
  const ids = [...new Set(names.map((name) => requireAgent(name).id))]
  if (dryRun) {
    const value = viewAgents(new Config(machine))
    return value.map((agent) => (ids.includes(agent.id) ? { ...agent, isEnabled: isOn } : agent))
  }
  await changeConfig(machine, parseConfig, (json) => ids.reduce((changed, id) => withTarget(changed, id, isOn), json))
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
export function showSettings(machine: Machine, _request: object): SettingsView {
  const config = new Config(machine)
  const { path } = machine.config
  const value = {
    config: path,
    isWritten: exists(path),
    library: config.library,
    agents: viewAgents(config),
    actions: ACTIONS.map(({ name, label, isOn }) => ({ name, label, isOn: isOn(config) })),
  }
  return value
}

export async function switchAction(
  machine: Machine,
  { name, isOn }: { name: string; isOn: boolean },
): Promise<SettingsView> {
  if (!ACTIONS.some((action) => action.name === name)) {
    throw failWith('USAGE/setting', { name, known: ACTIONS.map((each) => each.name).join(', ') })
  }
  await changeConfig(machine, parseConfig, (json) => withAction(json, name, isOn))
  return showSettings(machine, {})
}

/** Sets the folder from which an agent reads the user's skills. An empty path restores the default. */
export async function setAgentFolder(
  machine: Machine,
  { agent, path }: { agent: string; path: string },
): Promise<SettingsView> {
  const { id } = requireAgent(agent)
  const place = path.trim()
  const config = new Config(machine)
  // In the file, a relative path would start from another folder.
  const written = place === '' || /^[~/]/.test(place) ? place : resolve(machine.cwd, place)
  await changeConfig(machine, parseConfig, (json) => withTargetPath(json, id, written, config.isEnabled(id)))
  return showSettings(machine, {})
}

/** The project around the working folder, if there is one. */
export function detectProject(machine: Machine, _request: object): { home: string; project?: string } {
  const { home } = machine
  // Code that needs the configuration reports a broken one.
  return unlessTrouble(
    () => {
      const project = new Config(machine).findProject(machine.openProject())
      return project === undefined ? { home } : { home, project }
    },
    { home },
  )
}
