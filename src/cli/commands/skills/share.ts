import type { SharedSkill } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { count, lines, printableLine } from '../../screen.ts'
import { DRY_RUN_FLAG } from '../../skill-flags.ts'

export const share = defineCommand({
  name: 'share',
  summary: 'pack a skill into an archive for somebody else',
  details: 'A copy ready for each agent, the source and a README. The same skill gives the same bytes.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    out: { kind: 'text', value: 'file', summary: 'where to write it (default: <name>.tar.gz)' },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) => loadout.share({ name: args.name ?? '', out: flags.out, dryRun: flags['dry-run'] }),
  print: ({ path, entries, isDryRun }: SharedSkill) =>
    isDryRun
      ? lines(
          'Nothing was written. It would hold:',
          entries.map((entry) => `  ${printableLine(entry)}`),
        )
      : lines(`${printableLine(path)}  ${count(entries.length, 'file')}`),
})
