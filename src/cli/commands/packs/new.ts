import type { NewPack } from '../../../app/loadout.ts'
import { PROFILES, RUNTIME_MODES } from '../../../domain/packs/vocabulary.ts'
import { defineCommand } from '../../command.ts'
import { lines, printableLine } from '../../screen.ts'

export const packsNew = defineCommand({
  name: 'packs new',
  summary: 'start a knowledge pack',
  details:
    'Writes a small pack that is complete and valid, as a draft: in .agents/knowledge of the project, or with --user of your home folder. Nothing that is there is overwritten.',
  args: [{ name: 'name', summary: 'lower case letters, digits and hyphens', required: true }],
  flags: {
    profile: { kind: 'choice', choices: PROFILES, summary: 'its facts (default: wiki-first)' },
    mode: { kind: 'choice', choices: RUNTIME_MODES, summary: 'facts or voice (default: data)' },
    description: { kind: 'text', value: 'text', summary: 'what it knows, when to use it' },
    user: { kind: 'switch', summary: 'for all your projects' },
    project: { kind: 'place', value: 'folder', summary: 'which project (default: here)' },
  },
  run: async ({ args, flags }, loadout) =>
    loadout.startPack({
      name: args.name ?? '',
      profile: flags.profile,
      mode: flags.mode,
      description: flags.description,
      isUser: flags.user,
      project: flags.project,
    }),
  print: ({ name, path, files, next }: NewPack) =>
    lines(
      `started ${name} in ${printableLine(path)}`,
      files.map((file) => `  ${file}`),
      'write it, then:',
      next.map((command) => `  ${printableLine(command)}`),
    ),
})
