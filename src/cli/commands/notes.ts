import { DRY_RUN_FLAG, defineCommand, PROJECT_FLAG } from '../command.ts'
import { count, lines, printableLine, WOULD, wrap } from '../screen.ts'

export const noteCommands = [
  defineCommand({
    name: 'note add',
    summary: 'add a note that matters for the next few days',
    details: 'Add the same note again to renew it. A note expires; put lasting knowledge into a document.',
    args: [{ name: 'text', summary: 'the note', required: true, rest: 'text' }],
    flags: {
      tags: { name: 'tag', kind: 'list', value: 'word', summary: 'a word to find it by; may be repeated' },
      class: { kind: 'text', value: 'word', summary: 'the kind of note (default: note)' },
      ttl: { kind: 'text', value: 'time', summary: 'how long it is valid: 90m, 12h, 7d, 2w (default: 7d)' },
      ...PROJECT_FLAG,
    },
    run: ({ request }, loadout) => loadout.knowledge.addNote(request),
    print: ({ path, record }) =>
      lines(`added note ${record.recordId} to ${printableLine(path)}, until ${record.expiresAt.slice(0, 16)}Z`),
  }),
  defineCommand({
    name: 'note list',
    summary: 'list the notes of a project, newest first',
    args: [],
    flags: { all: { kind: 'switch', summary: 'include expired notes' }, ...PROJECT_FLAG },
    run: ({ request }, loadout) => loadout.knowledge.listNotes(request),
    print: ({ notes, hidden, path }, screen) =>
      lines(
        notes.flatMap(({ recordId, content, expiresAt, isExpired }) => {
          const end = `${isExpired ? 'expired' : 'until'} ${expiresAt.slice(0, 16)}Z`
          const facts = [recordId, content.class, end, ...content.tags.map((tag) => `#${tag}`)]
          const head = printableLine(facts.filter((fact) => fact !== '').join('  '))
          return [screen.faint(head), ...content.text.split('\n').flatMap((line) => wrap(line, 2))]
        }),
        notes.length === 0 && `There are no notes in ${printableLine(path)}.`,
        hidden > 0 && screen.faint(`${count(hidden, 'note')} expired: loadout note list --all`),
      ),
  }),
  defineCommand({
    name: 'note prune',
    summary: 'remove expired notes',
    details: 'Loadout moves lines that are not notes to a file beside it, with .corrupt at the end of its name.',
    args: [],
    flags: { ...DRY_RUN_FLAG, ...PROJECT_FLAG },
    run: ({ request }, loadout) => loadout.knowledge.pruneNotes(request),
    print: ({ isDryRun, kept, expired, superseded, badLines, badLinesMovedTo }) =>
      lines(
        isDryRun && WOULD,
        `${count(expired.length, 'note')} expired, ${count(kept, 'note')} kept`,
        superseded.length > 0 && `${count(superseded.length, 'note')} replaced by a newer copy`,
        badLines.length > 0 &&
          `${count(badLines.length, 'line')} that ${badLines.length === 1 ? 'is not a note' : 'are not notes'}: in ${printableLine(badLinesMovedTo)}`,
      ),
  }),
]
