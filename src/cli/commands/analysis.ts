import type { BudgetReport, DeadEntry, KeywordOverlap, Loadout } from '../../app/loadout.ts'
import { defineCommand, type Input } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { alignRows, count, grouped, lines, type Screen } from '../screen.ts'
import { LOG_ARGUMENT } from './usage.ts'

const INDEX_ARGUMENT = {
  name: 'index',
  summary: 'an index file (default: all layers together)',
  complete: 'file',
} as const

function request({ args, flags }: Input<typeof LAYER_FLAGS>, loadout: Loadout) {
  return { index: args.index, log: args.log, layers: loadout.nameLayers(flags) }
}

export const dead = defineCommand({
  name: 'dead',
  summary: 'entries that were never loaded, the heaviest first',
  args: [INDEX_ARGUMENT, LOG_ARGUMENT],
  flags: LAYER_FLAGS,
  run: (input, loadout) => loadout.dead(request(input, loadout)),
  print: (found: DeadEntry[], screen) => {
    if (found.length === 0) return lines(screen.good('Every entry has been loaded at least once.'))
    const total = found.reduce((sum, { entry }) => sum + (entry.tokens_est || 0), 0)
    return lines(
      alignRows(
        found.map(({ entry }) => [
          `  ${entry.id}`,
          entry.priority,
          `${grouped(entry.tokens_est)} tok`,
          entry.summary ?? '',
        ]),
        [2],
      ),
      '',
      screen.strong(`${count(found.length, 'entry', 'entries')} never loaded, ${grouped(total)} tokens`),
      'loadout explain <id> --task "<task>" tells why one stays out.',
    )
  },
  toJson: (found) =>
    found.map(({ entry, reason }) => ({ id: entry.id, tokens: entry.tokens_est, reason, priority: entry.priority })),
})

export const overlaps = defineCommand({
  name: 'overlaps',
  summary: 'keywords that several entries claim',
  args: [INDEX_ARGUMENT],
  flags: LAYER_FLAGS,
  run: (input, loadout) => loadout.overlaps(request(input, loadout)),
  print: printOverlaps,
})

export function printOverlaps(found: readonly KeywordOverlap[], screen: Screen): string {
  if (found.length === 0) return lines(screen.good('No two entries share a keyword.'))
  return lines(
    alignRows(found.map(({ keyword, entries }) => [`  ${keyword}`, entries.join(', ')])),
    '',
    screen.strong(`${count(found.length, 'keyword')} shared`),
  )
}

export const budget = defineCommand({
  name: 'budget',
  summary: 'where the tokens are, and whether the estimate holds',
  args: [INDEX_ARGUMENT, LOG_ARGUMENT],
  flags: LAYER_FLAGS,
  run: (input, loadout) => loadout.budget(request(input, loadout)),
  print: printBudget,
})

export function printBudget(report: BudgetReport, screen: Screen): string {
  const { largestEntry, smallestEntry, observedPerTask, tasks } = report
  const tier = (name: string, entries: number, tokens: number) => [
    `  ${name}`,
    grouped(tokens),
    count(entries, 'entry', 'entries'),
  ]
  const observed =
    observedPerTask === null ? 'not measured yet' : `${grouped(observedPerTask)} measured over ${count(tasks, 'task')}`
  return lines(
    alignRows(
      [
        tier('core', report.coreEntries, report.coreTokens),
        tier('domain', report.domainEntries, report.domainTokens),
        tier('manual', report.manualEntries, report.manualTokens),
        tier('total', report.coreEntries + report.domainEntries + report.manualEntries, report.totalTokens),
      ],
      [1],
    ),
    '',
    largestEntry !== null &&
      smallestEntry !== null &&
      alignRows([
        ['  largest', `${largestEntry.id} (${grouped(largestEntry.tokens)})`],
        ['  smallest', `${smallestEntry.id} (${grouped(smallestEntry.tokens)})`],
      ]),
    screen.strong(`  tokens per task: ${grouped(report.estimatedPerTask)} estimated, ${observed}`),
  )
}
