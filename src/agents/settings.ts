import { resolve } from 'node:path'
import { configPath } from '../machine/config-file.ts'
import { exists, isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { changeConfig, findLibrary, findProject, readConfig, userRoot } from './config.ts'
import { AGENTS, requireAgent } from './rules/agents.ts'
import { type Config, isEnabled, withAction, withTarget, withTargetPath } from './rules/config.ts'

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
    config: configPath(machine),
    isWritten: exists(configPath(machine)),
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
