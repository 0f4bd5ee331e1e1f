import type { NewSkill } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { lines, printableLine } from '../../screen.ts'
import { DRY_RUN_FLAG } from '../../skill-flags.ts'

export const newSkill = defineCommand({
  name: 'new',
  summary: 'start a skill in the library',
  args: [{ name: 'name', summary: 'lower case letters, digits and hyphens', required: true }],
  flags: {
    description: { kind: 'text', value: 'text', summary: 'what it does, and when to use it' },
    targets: { kind: 'list', value: 'a,b', summary: 'agents it supports (default: all enabled)' },
    tag: { kind: 'list', value: 'tag', summary: 'a tag to find it by' },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) =>
    loadout.startSkill({
      name: args.name ?? '',
      description: flags.description,
      targets: flags.targets,
      tags: flags.tag,
      dryRun: flags['dry-run'],
    }),
  print: ({ name, path, files, isDryRun }: NewSkill) =>
    lines(
      isDryRun ? 'Nothing was changed. This would be written:' : `started ${name}`,
      files.map((file) => `  ${printableLine(`${path}/${file}`)}`),
      !isDryRun && `write it, commit it, then: loadout equip ${name}`,
    ),
})
