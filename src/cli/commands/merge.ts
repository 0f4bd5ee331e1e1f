import type { MergeResult } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { COMMIT_FLAGS, commitChoice, defineCommand } from '../command.ts'
import { count, lines, printableLine, type Screen } from '../screen.ts'

export const merge = defineCommand({
  name: 'merge',
  shortensHome: true,
  summary: 'show and finish merges that need a decision',
  details:
    'update, adopt and sync --merge leave here what changed on both sides. Edit the files that are named: remove the\n' +
    'markers from texts, and of x.library and x.other keep one under the name x. Then --continue. The library does not\n' +
    'change before that.',
  args: [{ name: 'name', summary: 'the skill (default: list all that wait)' }],
  flags: {
    continue: { kind: 'switch', summary: 'bring the merged skill into the library' },
    abort: { kind: 'switch', summary: 'give the merge up; a copy goes to the backup folder' },
    take: {
      kind: 'choice',
      choices: ['library', 'other'],
      summary: 'end every conflict that is left with this version',
    },
    ...COMMIT_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.finishMerge({
      name: args.name,
      continue: flags.continue,
      abort: flags.abort,
      take: flags.take,
      commit: commitChoice(flags),
    }),
  print: printMerges,
})

function printMerges({ merges, merged, aborted, commit }: MergeResult, screen: Screen): string {
  if (merged !== undefined) {
    const how = commit === undefined ? 'not committed' : `commit ${commit.slice(0, 7)}`
    return lines(screen.strong(`${merged} merged, ${how}`), '  loadout sync refreshes its installed copies')
  }
  if (aborted !== undefined) return lines(`The merge of ${aborted} was given up. The library is as it was.`)
  if (merges.length === 0) return lines('No merge waits for a decision.')
  return lines(
    merges.flatMap(({ skill, files, conflicts, sides }) => [
      screen.strong(`${skill}  ${conflicts.length === 0 ? 'ready' : count(conflicts.length, 'conflict')}`),
      `  between ${printableLine(sides.ours)} and ${printableLine(sides.theirs)}`,
      `  in ${printableLine(files)}`,
      ...conflicts.map(({ message, path }) => `    ${printableLine(message)}: ${printableLine(path)}`),
      `  then: loadout merge ${shellWord(skill)} --continue`,
    ]),
  )
}
