import type { PackTrail } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { PACK_ARGUMENT, WORKSPACE_FLAG } from '../../pack-flags.ts'
import { alignRows, lines, printableLine, wrap } from '../../screen.ts'

const OUTCOMES: Record<PackTrail['implicit'], string> = {
  admitted: 'it is used',
  'approval-needed': 'it needs an approval first',
  'confirmation-needed': 'it needs a yes first',
  refused: 'it is not used',
}

export const packsWhy = defineCommand({
  name: 'packs why',
  summary: 'why a knowledge pack is used, or is not',
  args: [PACK_ARGUMENT],
  flags: {
    task: { kind: 'text', value: 'text', summary: 'and whether this task would choose it' },
    ...WORKSPACE_FLAG,
  },
  run: ({ args, flags }, loadout) => loadout.explainPack({ pack: args.pack ?? '', ...flags }),
  print: ({ name, steps, implicit, explicit, collision }: PackTrail, screen) =>
    lines(
      screen.strong(printableLine(name)),
      steps.flatMap(printStep),
      '',
      wrap(`When a task fits: ${OUTCOMES[implicit]}. When it is named: ${OUTCOMES[explicit]}.`, 0),
      collision &&
        collision.shadowed.length > 0 &&
        [
          '',
          `Packs named ${printableLine(name)}:`,
          alignRows([
            ['  has the name', collision.winner.scope, collision.winner.trust, collision.winner.path],
            ...collision.shadowed.map(({ scope, trust, path }) => ['  kept out', scope, trust, path]),
          ]),
        ].flat(),
    ),
})

const QUESTION_WIDTH = 12

/** A command stays on one line, however long, so that it can be copied. */
function printStep({ question, isPassed, says, command }: PackTrail['steps'][number]): string[] {
  const [first = '', ...rest] = wrap(says, QUESTION_WIDTH)
  const start = `  ${isPassed ? '+' : '-'} ${question}`
  const hint = command === undefined ? [] : [' '.repeat(QUESTION_WIDTH) + printableLine(command)]
  return [start.padEnd(QUESTION_WIDTH) + first.slice(QUESTION_WIDTH), ...rest, ...hint]
}
