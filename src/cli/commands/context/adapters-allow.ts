import type { AdapterList } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { lines, type Screen } from '../../screen.ts'
import { describeAdapters } from './adapters-list.ts'
import { PROJECT_FLAG } from './project-flag.ts'

export const adaptersAllow = defineCommand({
  name: 'adapters allow',
  summary: 'let the commands of a project run for its context',
  details:
    'Read them first: loadout adapters list. They run as you. It is asked for again when a command changes, or a file of the project that one names.',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.allowAdapters({ project: flags.project }),
  print: (value: AdapterList, screen: Screen) =>
    lines(screen.strong('These commands may run on this machine:'), describeCommands(value)),
})

export const adaptersRevoke = defineCommand({
  name: 'adapters revoke',
  summary: 'take that back',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.revokeAdapters({ project: flags.project }),
  print: () => lines('No command of this project runs on this machine.'),
})

function describeCommands({ adapters, projectRoot }: AdapterList): string[] {
  return describeAdapters({ projectRoot, adapters: adapters.filter(({ command }) => command !== undefined) })
}
