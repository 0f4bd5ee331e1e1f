import type { AddedNote } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { lines, printableLine } from '../../screen.ts'
import { PROJECT_FLAG } from './project-flag.ts'

export const noteAdd = defineCommand({
  name: 'note add',
  summary: 'write down what matters for the next few days',
  details: 'Saying the same again renews it. A note is advice with an end; what should last belongs into a document.',
  args: [{ name: 'text', summary: 'what is to be known', required: true, rest: true }],
  flags: {
    tag: { kind: 'list', value: 'word', summary: 'a word to find it by; may be repeated' },
    class: { kind: 'text', value: 'word', summary: 'what kind of note it is (default: note)' },
    ttl: { kind: 'text', value: 'time', summary: 'how long it holds: 90m, 12h, 7d, 2w (default: 7d)' },
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
    lines(`noted ${record.recordId} in ${printableLine(path)}, until ${record.expiresAt.slice(0, 16)}Z`),
})
