import type { NoteList } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { count, lines, printableLine, type Screen, wrap } from '../../screen.ts'
import { PROJECT_FLAG } from './project-flag.ts'

export const noteList = defineCommand({
  name: 'note list',
  summary: 'the notes of a project, newest first',
  args: [],
  flags: { all: { kind: 'switch', summary: 'also those whose time is over' }, ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.listNotes({ project: flags.project, all: flags.all ?? false }),
  print: ({ notes, hidden, path }: NoteList, screen) =>
    lines(
      notes.flatMap((note) => describe(note, screen)),
      notes.length === 0 && `There are no notes in ${printableLine(path)}.`,
      hidden > 0 && screen.faint(`${count(hidden, 'note')} expired: loadout note list --all`),
    ),
})

function describe({ recordId, content, expiresAt, isExpired }: NoteList['notes'][number], screen: Screen): string[] {
  const end = `${isExpired ? 'expired' : 'until'} ${expiresAt.slice(0, 16)}Z`
  const tags = content.tags.map((tag) => `#${tag}`)
  const facts = [recordId, content.class, end, ...tags].filter((fact) => fact !== '')
  return [screen.faint(printableLine(facts.join('  '))), ...content.text.split('\n').flatMap((line) => wrap(line, 2))]
}
