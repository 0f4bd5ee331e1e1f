import type { Explanation } from '../../app/loadout.ts'
import { PHASES } from '../../domain/routing/entry.ts'
import { STRATEGIES } from '../../domain/routing/strategy.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { grouped, lines, printableLine, type Screen, wrap } from '../screen.ts'

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

export function printExplanation({ id, verdict, definitions, paths }: Explanation, screen: Screen): string {
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
