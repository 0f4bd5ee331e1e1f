import type { Deletion } from '../../../app/loadout.ts'
import { shellWord } from '../../../domain/shared/shell-word.ts'
import { defineCommand } from '../../command.ts'
import { lines, printableLine } from '../../screen.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, SCOPE_FLAGS } from '../../skill-flags.ts'

export const deleteSkill = defineCommand({
  name: 'delete',
  summary: 'remove a skill from the library',
  details: 'Refused while an install depends on it. Git keeps its history; what git does not have is kept in a backup.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    ...COMMIT_FLAGS,
    yes: { kind: 'switch', summary: 'for scripts: nothing is asked in any case' },
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) =>
    loadout.deleteSkill({
      name: args.name ?? '',
      project: flags.project,
      commit: commitChoice(flags),
      dryRun: flags['dry-run'],
    }),
  print: ({ name, library, folder, commit, backup, isDryRun }: Deletion) =>
    lines(
      isDryRun
        ? `Nothing was changed. ${printableLine(folder)} would be deleted.`
        : `deleted ${name}${commit === undefined ? ' (not committed)' : ` (commit ${commit.slice(0, 7)})`}`,
      backup !== undefined && `what git does not have is in ${printableLine(backup)}`,
      commit !== undefined &&
        printableLine(`to undo: git -C ${shellWord(library)} revert --no-edit ${commit.slice(0, 7)}`),
    ),
})
