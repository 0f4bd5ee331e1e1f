import type { SkillPreview } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, grouped, lines, printableText, wrap } from '../../screen.ts'
import { SCOPE_FLAGS } from '../../skill-flags.ts'

export const inspect = defineCommand({
  name: 'inspect',
  summary: 'one skill: what it says and where it is installed',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: SCOPE_FLAGS,
  run: ({ args, flags }, loadout) => loadout.inspect({ name: args.name ?? '', project: flags.project }),
  print: ({ skill, path, files, placements, markdown }: SkillPreview, screen) =>
    lines(
      screen.strong(skill.name),
      wrap(skill.description, 2),
      alignRows([
        ['  tags', skill.tags.join(', ') || '–'],
        ['  agents', skill.targets.join(', ')],
        ['  source', path],
        ['  files', files.map((file) => `${file.path} (${grouped(file.bytes)})`).join(', ')],
      ]),
      placements.length > 0 && '',
      alignRows(
        placements.map(({ agents, scope, state, path: place }) => [`  ${agents.join(', ')}`, scope, state, place]),
      ),
      '',
      printableText(markdown).trimEnd(),
    ),
})
