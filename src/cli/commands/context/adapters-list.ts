import type { AdapterList } from '../../../app/loadout.ts'
import { shellWord } from '../../../domain/shared/shell-word.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, lines } from '../../screen.ts'
import { PROJECT_FLAG } from './project-flag.ts'

export const adaptersList = defineCommand({
  name: 'adapters list',
  summary: 'the tools a project takes news from, and whether they may run',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.listAdapters({ project: flags.project }),
  print: (value: AdapterList, screen) =>
    lines(
      value.adapters.length === 0 ? 'The project names no adapters in loadout.json.' : describeAdapters(value),
      value.adapters.some(({ trust }) => trust !== 'allowed') &&
        screen.faint('to let them run: loadout adapters allow'),
    ),
})

const TRUST = { allowed: 'allowed', changed: 'changed since it was allowed', unknown: 'not allowed' } as const

export function describeAdapters({ adapters }: AdapterList): string[] {
  return alignRows(
    adapters.map(({ id, file, command, trust }) =>
      command === undefined
        ? [id, 'file', `reads ${file ?? 'nothing'}`]
        : [id, TRUST[trust], `runs ${command.map(shellWord).join(' ')}`],
    ),
  )
}
