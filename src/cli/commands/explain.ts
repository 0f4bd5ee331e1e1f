import { type NamedExplanation, PHASES, STRATEGIES } from '../../loadout.ts'
import type { Report } from '../../text/trouble.ts'
import { defineCommand, LAYER_FLAGS, PACK_KIND_FLAG } from '../command.ts'
import { alignRows, grouped, lines, printableLine, type Screen, wrap } from '../screen.ts'

type Explained<Kind extends NamedExplanation['kind']> = Extract<NamedExplanation, { kind: Kind }>

export const explain = defineCommand({
  name: 'explain',
  aliases: { 'packs why': ['--kind', 'pack'] },
  summary: 'show where an item comes from and why it is used or not',
  details:
    'Takes a payload, pack:name, skill:name or adapter:name. A bare name is enough if only one kind has it. With --task it also shows whether that task uses it.',
  args: [{ name: 'id', summary: 'a payload, pack, skill or adapter', required: true }],
  flags: {
    task: { kind: 'text', value: 'task', summary: 'show whether this task uses it' },
    phase: { kind: 'choice', choices: PHASES, summary: 'for a payload: in this phase' },
    strategy: {
      kind: 'choice',
      choices: STRATEGIES,
      summary: 'for a payload: by this strategy (default: the project’s, else ranked)',
    },
    ...LAYER_FLAGS,
    ...PACK_KIND_FLAG,
  },
  run: async ({ request: { id, kind, ...request } }, loadout): Promise<Report<NamedExplanation>> => {
    if (kind === undefined)
      return loadout.context.explain({ id, ...request, layers: loadout.knowledge.nameLayers(request) })
    const { value, findings } = await loadout.knowledge.explainPack({ pack: id, ...request })
    return { value: { kind: 'pack' as const, ...value }, findings }
  },
  print: (value, screen) => {
    if (value.kind === 'payload') return printPayload(value, screen)
    return value.kind === 'pack' ? printPack(value, screen) : printSteps(value, screen)
  },
})

function printPayload({ id, verdict, definitions, paths }: Explained<'payload'>, screen: Screen): string {
  const last = definitions.length - 1
  const sources = definitions.flatMap(({ layer, summary, keywords, tokens }, at) => [
    `  ${at === last ? 'defined in' : 'overridden'}  ${layer.padEnd(7)}  ${at === last && last > 0 ? '← in effect' : ''}`.trimEnd(),
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

const OUTCOMES: Record<Explained<'pack'>['implicit'], string> = {
  admitted: 'it is used',
  'approval-needed': 'it needs an approval first',
  'confirmation-needed': 'it needs a confirmation first',
  refused: 'it is not used',
}

function printPack(trail: Explained<'pack'>, screen: Screen): string {
  const { name, implicit, explicit, collision } = trail
  return (
    printSteps(trail, screen) +
    lines(
      '',
      wrap(`When a task fits: ${OUTCOMES[implicit]}. When it is named: ${OUTCOMES[explicit]}.`, 0),
      collision &&
        collision.shadowed.length > 0 &&
        [
          '',
          `Packs named ${printableLine(name)}:`,
          alignRows([
            ['  used', collision.winner.scope, collision.winner.trust, collision.winner.path],
            ...collision.shadowed.map(({ scope, trust, path }) => ['  ignored', scope, trust, path]),
          ]),
        ].flat(),
    )
  )
}

function printSteps({ name, steps }: Explained<'pack' | 'skill' | 'adapter'>, screen: Screen): string {
  return lines(screen.strong(printableLine(name)), steps.flatMap(printStep))
}

const QUESTION_WIDTH = 12

/** A command stays on one line, whatever its length, so that it can be copied. */
function printStep({ question, isPassed, says, command }: Explained<'pack'>['steps'][number]): string[] {
  const [first = '', ...rest] = wrap(says, QUESTION_WIDTH)
  const start = `  ${isPassed ? '+' : '-'} ${question}`
  const hint = command === undefined ? [] : [' '.repeat(QUESTION_WIDTH) + printableLine(command)]
  return [start.padEnd(QUESTION_WIDTH) + first.slice(QUESTION_WIDTH), ...rest, ...hint]
}
