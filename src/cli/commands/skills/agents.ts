import type { AgentView } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, lines, type Screen } from '../../screen.ts'
import { DRY_RUN_FLAG, namesIn } from '../../skill-flags.ts'

const ARGS = [{ name: 'ids', summary: 'the agents', required: true, rest: true }] as const

export const agents = defineCommand({
  name: 'agents',
  summary: 'agents that skills can be installed for',
  args: [],
  flags: {},
  run: (_, loadout) => loadout.listAgents({}),
  print: printAgents,
})

export const agentsEnable = defineCommand({
  name: 'agents enable',
  summary: 'install skills for these agents from now on',
  args: ARGS,
  flags: DRY_RUN_FLAG,
  run: ({ args, flags }, loadout) =>
    loadout.switchAgents({ ids: namesIn(args.ids), isOn: true, dryRun: flags['dry-run'] }),
  print: printAgents,
})

export const agentsDisable = defineCommand({
  name: 'agents disable',
  summary: 'no longer install skills for these agents',
  details: 'What is installed stays until it is unequipped.',
  args: ARGS,
  flags: DRY_RUN_FLAG,
  run: ({ args, flags }, loadout) =>
    loadout.switchAgents({ ids: namesIn(args.ids), isOn: false, dryRun: flags['dry-run'] }),
  print: printAgents,
})

function printAgents(agents: AgentView[], screen: Screen): string {
  const [heading = '', ...rows] = alignRows([
    ['', 'agent', '', 'folder of the user', 'in a project'],
    ...agents.map(({ id, label, isEnabled, userFolder, projectFolder }) => [
      isEnabled ? '●' : '○',
      id,
      label,
      userFolder,
      projectFolder,
    ]),
  ])
  return lines(screen.faint(heading), rows, '', '● enabled, ○ off   (loadout agents enable <id>)')
}
