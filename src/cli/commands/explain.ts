import type { Explanation, PackTrail } from '../../app/loadout.ts'
import { PHASES } from '../../domain/routing/entry.ts'
import { STRATEGIES } from '../../domain/routing/strategy.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS, PACK_ARGUMENT, PROJECT_FLAG } from '../flags.ts'
import { alignRows, grouped, lines, printableLine, type Screen, wrap } from '../screen.ts'

export const explain = defineCommand({
  name: 'explain',
  summary: 'where an entry comes from and why a task loads it or not',
  args: [{ name: 'id', summary: 'the id of the entry', required: true }],
  flags: {
    task: { kind: 'text', value: 'task', summary: 'judge the entry for this task' },
    phase: { kind: 'choice', choices: PHASES, summary: 'and for this phase' },
    strategy: {
      kind: 'choice',
      choices: STRATEGIES,
      summary: 'and by this strategy (default: the project’s, else keywords)',
    },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.explain({
      id: args.id ?? '',
      task: flags.task,
      phase: flags.phase,
      strategy: flags.strategy,
      layers: loadout.nameLayers(flags),
    }),
  print: printExplanation,
})

function printExplanation({ id, verdict, definitions, paths }: Explanation, screen: Screen): string {
  const last = definitions.length - 1
  const sources = definitions.flatMap(({ layer, summary, keywords, tokens }, at) => [
    `  ${at === last ? 'defined in' : 'overridden'}  ${layer.padEnd(7)}  ${at === last && last > 0 ? '← this one counts' : ''}`.trimEnd(),
    ...wrap(summary ?? '', 14),
    ...wrap(`${grouped(tokens)} tok  keywords [${keywords?.join(', ') ?? ''}]`, 14),
    ...wrap(paths[at] ?? '', 14),
  ])
  return lines(
    verdict === undefined
      ? screen.strong(printableLine(id))
      : `${screen.strong(printableLine(id))} ${verdict.loaded ? 'is loaded' : 'is not loaded'}.`,
    verdict !== undefined && wrap(verdict.reason, 2),
    sources,
    verdict?.hint !== undefined && `To load it: ${printableLine(verdict.hint)}`,
  )
}

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
    ...PROJECT_FLAG,
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
