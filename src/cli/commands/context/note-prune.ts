import type { NotePruning } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { count, lines, printableLine } from '../../screen.ts'
import { PROJECT_FLAG } from './project-flag.ts'

export const notePrune = defineCommand({
  name: 'note prune',
  summary: 'remove the notes whose time is over',
  details: 'Lines that are no notes are moved to a file beside, with .corrupt at the end of its name.',
  args: [],
  flags: { 'dry-run': { kind: 'switch', summary: 'only say what would be done' }, ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.pruneNotes({ project: flags.project, dryRun: flags['dry-run'] ?? false }),
  print: ({ isDryRun, kept, expired, superseded, badLines, badLinesMovedTo }: NotePruning) =>
    lines(
      isDryRun && 'Nothing was changed. This would be done:',
      `${count(expired.length, 'note')} expired, ${count(kept, 'note')} kept`,
      superseded.length > 0 && `${count(superseded.length, 'note')} said again later`,
      badLines.length > 0 &&
        `${count(badLines.length, 'line')} that ${badLines.length === 1 ? 'is no note' : 'are no notes'}: in ${printableLine(badLinesMovedTo)}`,
    ),
})
