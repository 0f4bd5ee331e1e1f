import type { SampleTour } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { defineCommand } from '../command.ts'
import { count, grouped, lines, printableLine, printableText, type Screen, shorten } from '../screen.ts'
import { explainChoice } from './explain-bundle.ts'

type Plan = SampleTour['plan']

interface Answer extends SampleTour {
  isWhole: boolean
}

export const tryIt = defineCommand({
  name: 'try',
  summary: 'see it work on sample data, touching nothing of yours',
  args: [{ name: 'task', summary: 'a task of your own for the sample workspace', rest: true }],
  flags: {
    whole: { kind: 'switch', summary: 'print the bundle to its end' },
    keep: { kind: 'switch', summary: 'keep the sample workspace and say where it is' },
  },
  run: async ({ args, flags }, loadout) => {
    const { value, findings } = await loadout.trySample({ task: args.task || undefined, keep: flags.keep })
    return { value: { ...value, isWhole: flags.whole ?? false }, findings }
  },
  print: printTour,
  toJson: ({ context, plan, kept }: Answer) => ({ bundle: context.bundle, plan, kept }),
})

function printTour({ context, plan, kept, isWhole }: Answer, screen: Screen): string {
  const { bundle, renderings } = context
  return [
    lines(
      'Sample workspace ready in a temporary folder (nothing of yours was touched).',
      '',
      `${screen.strong('Task:')} "${shorten(bundle.task, LONGEST_TASK)}"`,
      '',
    ),
    explainChoice(bundle, screen),
    lines(`routing   ${describeRouting(plan)}`, '', screen.strong('The bundle, as a model gets it:'), ''),
    isWhole ? printableText(renderings.text) : lines(beginningOf(renderings.text)),
    lines('', kept === undefined ? REMOVED : wherever(kept, bundle.task), '', NEXT),
  ].join('')
}

const LONGEST_TASK = 72

const REMOVED = 'The sample was removed again; loadout try --keep leaves it for you to explore.'

const NEXT = [
  'Next:  loadout context "your own task" --explain   in a project of yours',
  '       loadout index migrate CLAUDE.md             split what you have',
  '       loadout                                     the terminal interface',
]

/** With its own home and its own day, the sample answers the same again. */
function wherever({ project, home, now }: NonNullable<SampleTour['kept']>, task: string): string[] {
  return [
    `The sample project is in ${printableLine(project)}; remove its parent folder when you are done.`,
    `  cd ${shellWord(project)}`,
    `  HOME=${shellWord(home)} loadout context ${shellWord(task)} --now ${now}`,
  ]
}

function describeRouting({ preload, onDemand, preloadTokens, onDemandTokens, knownEntries, knownTokens }: Plan) {
  const matching = preload.length + onDemand.length
  const loaded = preloadTokens + onDemandTokens
  return `${matching} of ${count(knownEntries, 'payload')} match: ${grouped(loaded)} of ${grouped(knownTokens)} tokens`
}

const WIDTH = 80
const MOST_LINES = 14

/** The first lines and the first files. What is between them, warnings and table, was explained already. */
function beginningOf(text: string): string[] {
  const all = text.trimEnd().split('\n')
  const head = all.slice(0, Math.max(0, all.indexOf('')))
  const files = all.slice(
    Math.max(
      0,
      all.findIndex((line) => line.startsWith('<')),
    ),
  )
  const rest = files.length - MOST_LINES
  return [
    ...head,
    '\u2026',
    ...files.slice(0, MOST_LINES),
    ...(rest > 0 ? [`\u2026 ${count(rest, 'more line')}: loadout try --whole`] : []),
  ].map((line) => shorten(line, WIDTH))
}
