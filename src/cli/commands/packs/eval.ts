import type { PackEvaluation } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { count, lines, printableLine } from '../../screen.ts'

export const packsEval = defineCommand({
  name: 'packs eval',
  summary: 'ask the prompts of a pack whether they choose it',
  details:
    'A pack keeps them in evals/discovery.train.json and evals/discovery.validation.json. Each says whether the pack must be selected, rejected, or selected with a warning. Ends with 1 when a case fails, or when a suite is malformed.',
  args: [{ name: 'pack', summary: 'its name, or its folder', required: true, complete: 'file' }],
  flags: {
    suite: { kind: 'text', value: 'train|validation|file', summary: 'only this suite (default: all of the pack)' },
    write: { kind: 'switch', summary: 'leave the results in the pack, below runs/' },
  },
  run: ({ args, flags }, loadout) =>
    loadout.evaluatePack({ pack: args.pack ?? '', suite: flags.suite, write: flags.write }),
  print: ({ suites }: PackEvaluation, screen) =>
    lines(
      ...suites.flatMap(({ suite, summary, written }) => [
        screen.strong(printableLine(suite)),
        `  ${count(summary.passed, 'case')} passed, ${summary.failed} failed`,
        `  precision ${percent(summary.precision)}, recall ${percent(summary.recall)}, warnings ${percent(summary.warningAccuracy)}`,
        written !== undefined && `  written to ${printableLine(written)}`,
      ]),
    ),
})

function percent(share: number | null): string {
  return share === null ? '\u2013' : `${(share * 100).toFixed(1)} %`
}
