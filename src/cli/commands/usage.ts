import type { UsageSummary } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, grouped, lines } from '../screen.ts'

export const LOG_ARGUMENT = {
  name: 'log',
  summary: 'a usage log (default: this machine’s own)',
  complete: 'file',
} as const

export const usage = defineCommand({
  name: 'usage',
  summary: 'how often each entry was loaded',
  args: [LOG_ARGUMENT],
  flags: {},
  run: ({ args }, loadout) => loadout.usage({ log: args.log }),
  print: (summaries: UsageSummary[], screen) => {
    if (summaries.length === 0) return lines('Nothing was loaded yet. loadout plan "<task>" --load loads and records.')
    const loads = summaries.reduce((sum, { loadCount }) => sum + loadCount, 0)
    const total = summaries.reduce((sum, { totalTokens }) => sum + totalTokens, 0)
    return lines(
      alignRows(
        summaries.map(({ entryId, loadCount, totalTokens, lastLoaded }) => [
          `  ${entryId}`,
          count(loadCount, 'load'),
          `${grouped(totalTokens)} tok`,
          `last ${lastLoaded.slice(0, 10)}`,
        ]),
        [1, 2],
      ),
      '',
      screen.strong(
        `${count(summaries.length, 'entry', 'entries')} · ${count(loads, 'load')} · ${grouped(total)} tokens`,
      ),
    )
  },
  // A set has no JSON form of its own.
  toJson: (summaries) => summaries.map((summary) => ({ ...summary, modes: [...summary.modes] })),
})
