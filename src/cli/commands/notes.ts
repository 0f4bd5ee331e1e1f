import type { AddedNote, NoteList, NotePruning } from '../../loadout.ts'
import { defineCommand, PROJECT_FLAG } from '../command.ts'
import { count, lines, printableLine, type Screen, wrap } from '../screen.ts'

export const noteAdd = defineCommand({
  name: 'note add',
  summary: 'add a note that matters for the next few days',
  details: 'Add the same note again to renew it. A note expires; put lasting knowledge into a document.',
  args: [{ name: 'text', summary: 'the note', required: true, rest: true }],
  flags: {
    tag: { kind: 'list', value: 'word', summary: 'a word to find it by; may be repeated' },
    class: { kind: 'text', value: 'word', summary: 'the kind of note (default: note)' },
    ttl: { kind: 'text', value: 'time', summary: 'how long it is valid: 90m, 12h, 7d, 2w (default: 7d)' },
    ...PROJECT_FLAG,
  },
  run: ({ args, flags }, loadout) =>
    loadout.addNote({
      text: args.text ?? '',
      project: flags.project,
      tags: flags.tag,
      class: flags.class,
      ttl: flags.ttl,
    }),
  print: ({ path, record }: AddedNote) =>
    lines(`added note ${record.recordId} to ${printableLine(path)}, until ${record.expiresAt.slice(0, 16)}Z`),
})

export const noteList = defineCommand({
  name: 'note list',
  summary: 'list the notes of a project, newest first',
  args: [],
  flags: { all: { kind: 'switch', summary: 'include expired notes' }, ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.listNotes({ project: flags.project, all: flags.all ?? false }),
  print: ({ notes, hidden, path }: NoteList, screen) =>
    lines(
      notes.flatMap((note) => describeNote(note, screen)),
      notes.length === 0 && `There are no notes in ${printableLine(path)}.`,
      hidden > 0 && screen.faint(`${count(hidden, 'note')} expired: loadout note list --all`),
    ),
})

function describeNote(
  { recordId, content, expiresAt, isExpired }: NoteList['notes'][number],
  screen: Screen,
): string[] {
  const end = `${isExpired ? 'expired' : 'until'} ${expiresAt.slice(0, 16)}Z`
  const tags = content.tags.map((tag) => `#${tag}`)
  const facts = [recordId, content.class, end, ...tags].filter((fact) => fact !== '')
  return [screen.faint(printableLine(facts.join('  '))), ...content.text.split('\n').flatMap((line) => wrap(line, 2))]
}

export const notePrune = defineCommand({
  name: 'note prune',
  summary: 'remove expired notes',
  details: 'Loadout moves lines that are not notes to a file beside it, with .corrupt at the end of its name.',
  args: [],
  flags: { 'dry-run': { kind: 'switch', summary: 'only show what would change' }, ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.pruneNotes({ project: flags.project, dryRun: flags['dry-run'] ?? false }),
  print: ({ isDryRun, kept, expired, superseded, badLines, badLinesMovedTo }: NotePruning) =>
    lines(
      isDryRun && 'Nothing was changed. This would be done:',
      `${count(expired.length, 'note')} expired, ${count(kept, 'note')} kept`,
      superseded.length > 0 && `${count(superseded.length, 'note')} replaced by a newer copy`,
      badLines.length > 0 &&
        `${count(badLines.length, 'line')} that ${badLines.length === 1 ? 'is not a note' : 'are not notes'}: in ${printableLine(badLinesMovedTo)}`,
    ),
})
