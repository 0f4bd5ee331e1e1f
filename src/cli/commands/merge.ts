import { shellWord } from '../../text/printable.ts'
import { COMMIT_FLAGS, defineCommand } from '../command.ts'
import { alignRows, commitText, count, lines, printableLine } from '../screen.ts'
import { operationRow } from './installs.ts'

export const merge = defineCommand({
  name: 'merge',
  summary: 'show and finish merges that need a decision',
  details:
    'update, adopt, sync and other commands leave conflicts here. Edit the listed files: remove the\n' +
    'markers from texts, and rename either x.library or x.other to x. Then use --continue. The library does not\n' +
    'change before that. The copies whose edits were merged get the result.',
  args: [{ name: 'name', summary: 'the skill (default: list all open merges)' }],
  flags: {
    continue: { kind: 'switch', summary: 'store the merged skill in the library' },
    abort: { kind: 'switch', summary: 'abandon the merge; a copy goes to the backup folder' },
    take: {
      kind: 'choice',
      choices: ['library', 'other'],
      summary: 'resolve every remaining conflict with this version',
    },
    ...COMMIT_FLAGS,
  },
  run: ({ request }, loadout) => loadout.skills.finishMerge(request),
  print: ({ merges, merged, aborted, commit, operations = [] }, screen) => {
    if (merged !== undefined) {
      return lines(
        screen.strong(`${merged} merged, ${commitText(commit)}`),
        alignRows(operations.map((operation) => operationRow(operation, false))),
        `  loadout sync refreshes its ${operations.length === 0 ? '' : 'other '}installed copies`,
      )
    }
    if (aborted !== undefined) return lines(`The merge of ${aborted} was abandoned. The library is unchanged.`)
    if (merges.length === 0) return lines('There are no open merges.')
    return lines(
      merges.flatMap(({ skill, files, conflicts, sides }) => [
        screen.strong(`${skill}  ${conflicts.length === 0 ? 'ready' : count(conflicts.length, 'conflict')}`),
        `  between ${printableLine(sides.ours)} and ${printableLine(sides.theirs)}`,
        `  in ${printableLine(files)}`,
        ...conflicts.map(({ message, path }) => `    ${printableLine(message)}: ${printableLine(path)}`),
        `  then: loadout merge ${shellWord(skill)} --continue`,
      ]),
    )
  },
})
