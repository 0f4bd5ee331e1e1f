import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { type Config, withAction } from '../../domain/skills/config.ts'
import { changeConfig, readConfig, resolveConfigured } from '../../infra/config.ts'
import { configPath } from '../../infra/config-file.ts'
import type { Machine } from '../../infra/machine.ts'
import { openProject } from '../../infra/open-project.ts'
import { findProject } from '../../infra/skills/target-roots.ts'
import { type AgentView, listAgents } from './agents.ts'

/** What happens by itself when the library changes. */
const ACTIONS = [
  { name: 'import_auto_commit', label: 'commit what is imported', isOn: (config: Config) => config.commitsImports },
  { name: 'delete_auto_commit', label: 'commit what is deleted', isOn: (config: Config) => config.commitsDeletes },
  { name: 'sync_push', label: 'push when syncing', isOn: (config: Config) => config.pushesOnSync },
] as const

export interface SettingsView {
  config: string
  library?: string
  agents: AgentView[]
  actions: { name: string; label: string; isOn: boolean }[]
}

/** Everything that can be set for this machine. */
export function showSettings(machine: Machine, _request: object): Report<SettingsView> {
  const config = readConfig(machine)
  const value = {
    config: configPath(machine),
    ...(config.repoPath === undefined ? {} : { library: resolveConfigured(machine, config.repoPath) }),
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
    throw new LoadoutError('USAGE', `there is no setting "${name}"`, {
      hint: ACTIONS.map((each) => each.name).join(', '),
    })
  }
  await changeConfig(machine, (json) => withAction(json, name, isOn))
  return showSettings(machine, {})
}

/** The project around the working folder, if there is one. */
export function detectProject(machine: Machine, _request: object): { project?: string } {
  try {
    const project = findProject(machine, readConfig(machine), openProject(machine))
    return project === undefined ? {} : { project }
  } catch (error) {
    // A broken configuration is told by whatever needs it.
    if (error instanceof LoadoutError) return {}
    throw error
  }
}
