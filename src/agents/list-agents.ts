import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { changeConfig, readConfig } from './config.ts'
import { AGENTS, requireAgent } from './rules/agents.ts'
import { isEnabled, withTarget } from './rules/config.ts'
import { userRoot } from './target-roots.ts'

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
    const exists = userFolder !== undefined && isFolder(userFolder)
    return { id, label, isEnabled: isEnabled(config, id), ...(userFolder && { userFolder }), projectFolder, exists }
  })
  return { value, findings: [] }
}

/** Enables or disables agents. Their installs stay until the user unequips them. */
export async function switchAgents(
  machine: Machine,
  { ids: names, isOn, dryRun }: { ids: readonly string[]; isOn: boolean; dryRun?: boolean | undefined },
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
