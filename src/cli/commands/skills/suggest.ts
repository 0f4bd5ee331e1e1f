import type { Suggestions } from '../../../app/loadout.ts'
import { describeWhy, percent } from '../../../domain/routing/ranked.ts'
import { defineCommand } from '../../command.ts'
import { lines, printableLine, wrap } from '../../screen.ts'
import { SCOPE_FLAGS } from '../../skill-flags.ts'

export const suggest = defineCommand({
  name: 'suggest',
  summary: 'which skills of the library fit a task',
  args: [{ name: 'task', summary: 'what is to be done', required: true, rest: true }],
  flags: {
    limit: { kind: 'number', value: 'n', summary: 'at most so many (default: 5)' },
    ...SCOPE_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.suggest({ task: args.task ?? '', limit: flags.limit, project: flags.project }),
  print: ({ known, skills, command }: Suggestions, screen) =>
    skills.length === 0
      ? lines(known === 0 ? 'The library is empty: loadout new <name>' : `None of ${known} skills fits.`)
      : lines(
          skills.flatMap(({ name, description, confidence, why, equipped, missing }) => [
            `  ${screen.strong(printableLine(name))}  ${percent(confidence)}  ${equippedText(equipped, missing)}`,
            ...wrap(description, 4),
            ...wrap(describeWhy(why), 4).map(screen.faint),
          ]),
          '',
          command === undefined ? 'All of them are equipped.' : `To equip the rest: ${command}`,
        ),
})

function equippedText(equipped: readonly string[], missing: readonly string[]): string {
  const parts = [
    equipped.length > 0 ? `● ${equipped.join(', ')}` : '',
    missing.length > 0 ? `○ ${missing.join(', ')}` : '',
  ]
  return parts.filter((part) => part !== '').join('  ')
}
