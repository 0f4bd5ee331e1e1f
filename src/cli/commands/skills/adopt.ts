import type { Adoption } from '../../../app/loadout.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, lines, printableText, type Screen } from '../../screen.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, SCOPE_FLAGS, TARGET_FLAG } from '../../skill-flags.ts'

export const adopt = defineCommand({
  name: 'adopt',
  summary: 'bring an edit of an installed copy into the library',
  details: 'Shows the difference first; on a terminal it asks before anything is changed.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    ...TARGET_FLAG,
    force: { kind: 'switch', summary: 'take the edit although the library has changed too' },
    yes: { kind: 'switch', summary: 'do not ask' },
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ args, flags, ask }, loadout) => {
    const { project, force, target } = flags
    const request = { name: args.name ?? '', targets: target, project, force, commit: commitChoice(flags) }
    if (flags['dry-run']) return loadout.adopt({ ...request, dryRun: true })
    if (ask !== undefined && !flags.yes) {
      const { value } = await loadout.adopt({ ...request, dryRun: true })
      if (value.diff !== '' && !isYes(ask(`${printableText(value.diff)}Bring this into the library? [y/N] `))) {
        throw new LoadoutError('NOT_CONFIRMED', 'nothing was changed', { hint: '--yes does not ask' })
      }
    }
    return loadout.adopt(request)
  },
  print: ({ name, diff, commit, operations, isDryRun }: Adoption, screen: Screen) =>
    lines(
      diff === '' ? `The edit of ${name} changes nothing in the library.` : printableText(diff).trimEnd(),
      diff !== '' && isDryRun && 'Nothing was changed. This would go into the library.',
      diff !== '' &&
        !isDryRun &&
        screen.strong(`${name} adopted${commit === undefined ? ', not committed' : `, commit ${commit.slice(0, 7)}`}`),
      alignRows(operations.map(({ skill, agent, root }) => ['  refreshed', skill, agent, root])),
    ),
})

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer)
}
