import type { SkillDiff } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { lines, printableLine, printableText } from '../../screen.ts'
import { SCOPE_FLAGS, TARGET_FLAG } from '../../skill-flags.ts'

export const diff = defineCommand({
  name: 'diff',
  summary: 'how installed copies differ from what the library would install',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: { ...TARGET_FLAG, ...SCOPE_FLAGS },
  run: ({ args, flags }, loadout) =>
    loadout.diff({ name: args.name ?? '', targets: flags.target, project: flags.project }),
  print: ({ name, differences }: SkillDiff, screen) =>
    differences.length === 0
      ? lines(`No installed copy of ${name} differs from the library.`)
      : lines(
          differences.flatMap(({ agents, state, path, text }) => [
            screen.strong(`${agents.join(', ')}  ${state}  ${printableLine(path)}`),
            printableText(text).trimEnd(),
          ]),
        ),
})
