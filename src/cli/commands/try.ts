import type { SampleTour } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { lines, printableLine, type Screen } from '../screen.ts'
import { printBudget, printOverlaps } from './analysis.ts'
import { printExplanation } from './explain.ts'
import { printPlan } from './plan.ts'

export const tryIt = defineCommand({
  name: 'try',
  summary: 'see it work on sample data, touching nothing of yours',
  args: [{ name: 'task', summary: 'a task of your own for the sample workspace', rest: true }],
  flags: { keep: { kind: 'switch', summary: 'keep the sample workspace and say where it is' } },
  run: ({ args, flags }, loadout) => loadout.trySample({ task: args.task || undefined, keep: flags.keep }),
  print: printTour,
})

function printTour({ plan, explanation, overlaps, budget, folder }: SampleTour, screen: Screen): string {
  const heading = (text: string) => `\n${screen.strong(text)}\n\n`
  return [
    lines('Sample workspace ready in a temporary folder (nothing of yours was touched).', ''),
    printPlan(plan, screen),
    heading('Why is an entry in or out?   loadout explain commit-style --task "…"'),
    printExplanation(explanation, screen),
    heading('Which keywords are ambiguous?   loadout overlaps'),
    printOverlaps(overlaps, screen),
    heading('What does it cost, and was the estimate right?   loadout budget'),
    printBudget(budget, screen),
    lines(
      '',
      folder === undefined
        ? 'The sample was removed again; loadout try --keep leaves it for you to explore.'
        : `The sample project is in ${printableLine(folder)}; remove its parent folder when you are done.`,
      'Next:  loadout index migrate CLAUDE.md     split what you have',
      '       loadout index build                 or index payloads you wrote',
      '       loadout plan "your own task"        then ask',
    ),
  ].join('')
}
