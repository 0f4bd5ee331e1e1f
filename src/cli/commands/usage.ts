import type {
  BudgetReport,
  DeadEntry,
  EntryUsage,
  Erasure,
  KeywordOverlap,
  Loadout,
  TaskKeeping,
} from '../../app/loadout.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { defineCommand, type Input } from '../command.ts'
import { LAYER_FLAGS } from '../flags.ts'
import { alignRows, count, grouped, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

export const LOG_ARGUMENT = {
  name: 'log',
  summary: 'a usage log (default: this machine’s own)',
  complete: 'file',
} as const

const USAGE_FLAGS = {
  since: { kind: 'text', value: 'time', summary: 'only what happened since then: 30d, 12h, 2w or a date' },
  'keep-tasks': {
    kind: 'choice',
    choices: ['on', 'off'],
    summary: 'whether the words of tasks are kept, without secrets (default: off)',
  },
  erase: { kind: 'switch', summary: 'remove this machine’s log' },
  yes: { kind: 'switch', summary: 'with --erase: do not ask' },
} as const

export const usage = defineCommand({
  name: 'usage',
  summary: 'how often each entry was planned, delivered and used',
  details:
    'Also names what was offered and never used, and what was used though not planned.\nWith --erase it asks first, and ends with 3 when nobody can be asked.',
  args: [LOG_ARGUMENT],
  flags: USAGE_FLAGS,
  run: (input, loadout): Promise<Report<EntryUsage[] | Erasure | TaskKeeping>> => {
    const { args, flags } = input
    const { 'keep-tasks': keeping, erase, since } = flags
    if (keeping === undefined && !erase) return loadout.usage({ log: args.log, since })
    if (args.log !== undefined || since !== undefined || (keeping !== undefined && erase)) {
      throw new LoadoutError('USAGE', '--erase and --keep-tasks go alone', {
        hint: 'they are about this machine’s own log',
      })
    }
    return keeping === undefined ? eraseAsked(input, loadout) : loadout.keepTasks({ isOn: keeping === 'on' })
  },
  print: (value: EntryUsage[] | Erasure | TaskKeeping, screen) => {
    if (Array.isArray(value)) return printEntries(value, screen)
    return 'isErased' in value ? printErasure(value) : printKeeping(value)
  },
  // A set has no JSON form of its own.
  toJson: (value) => (Array.isArray(value) ? value.map((entry) => ({ ...entry, modes: [...entry.modes] })) : value),
})

async function eraseAsked({ flags, ask }: Input<typeof USAGE_FLAGS>, loadout: Loadout): Promise<Report<Erasure>> {
  const looked = await loadout.eraseUsage({ dryRun: true })
  const { log, bytes } = looked.value
  if (bytes === 0 || flags.yes) return bytes === 0 ? looked : loadout.eraseUsage({})
  const what = printableLine(log)
  if (ask === undefined) {
    throw new LoadoutError('CONFIRMATION_NEEDED', `somebody has to agree to erase ${what}`, {
      hint: 'loadout usage --erase --yes does not ask',
    })
  }
  if (/^y(es)?$/i.test(ask(`Erase ${what}? It cannot be brought back. [y/N] `))) return loadout.eraseUsage({})
  throw new LoadoutError('NOT_CONFIRMED', 'nothing was erased', { hint: '--yes does not ask' })
}

function printErasure({ log, isErased }: Erasure): string {
  return lines(`${isErased ? 'Erased' : 'Nothing to erase'}: ${printableLine(log)}`)
}

function printKeeping({ keepsTasks, config, log }: TaskKeeping): string {
  return lines(
    keepsTasks ? 'The words of tasks are kept from now on, without secrets.' : 'The words of tasks are not kept.',
    alignRows([
      ['  log', log],
      ['  setting', `usage.keep_tasks in ${config}`],
    ]),
    keepsTasks
      ? 'loadout replay-prompts routes them again when an index has changed.'
      : 'Those already in the log stay until: loadout usage --erase',
  )
}

const WIDEST_ID = 28
const LONGEST_ID = 76

function printEntries(entries: readonly EntryUsage[], screen: Screen): string {
  if (entries.length === 0) {
    return lines('Nothing was planned or loaded. loadout plan "<task>" --load loads and records.')
  }
  const loads = entries.reduce((sum, { loadCount }) => sum + loadCount, 0)
  const total = entries.reduce((sum, { totalTokens }) => sum + totalTokens, 0)
  return lines(
    screen.strong(`${count(entries.length, 'entry', 'entries')} · ${count(loads, 'load')} · ${grouped(total)} tokens`),
    '',
    alignRows([['', 'planned', 'delivered', 'used', 'tokens', 'last'], ...entries.map(rowOf)], [1, 2, 3, 4]),
    conclusions(entries, screen),
    '',
    nextStep(entries),
  )
}

function rowOf(entry: EntryUsage): string[] {
  const { planned, delivered, used, totalTokens, lastSeen } = entry
  const counts = [planned, delivered, used, totalTokens].map((number) => (number === 0 ? '–' : grouped(number)))
  return [`  ${shorten(nameOf(entry), WIDEST_ID)}`, ...counts, lastSeen.slice(0, 10)]
}

function nameOf({ entryId, kind }: EntryUsage): string {
  return kind === 'payload' ? entryId : `${entryId} (${kind})`
}

function conclusions(entries: readonly EntryUsage[], screen: Screen): string[] {
  const listed = (title: string, found: readonly EntryUsage[], times: (entry: EntryUsage) => number) =>
    found.length === 0
      ? []
      : [
          '',
          screen.strong(title),
          ...found.flatMap((entry) =>
            wrap(`${shorten(nameOf(entry), LONGEST_ID)}: in ${count(times(entry), 'conversation')}`, 2),
          ),
        ]
  return [
    ...listed(
      'Offered, and never used',
      entries.filter(({ isNeverUsed }) => isNeverUsed),
      ({ offered }) => offered,
    ),
    ...listed(
      'Used, though not planned',
      entries.filter(({ usedUnplanned }) => usedUnplanned > 0),
      ({ usedUnplanned }) => usedUnplanned,
    ),
  ]
}

function nextStep(entries: readonly EntryUsage[]): string {
  if (entries.some(({ usedUnplanned }) => usedUnplanned > 0)) {
    return 'loadout explain <id> --task "<task>" tells why a plan does not name one.'
  }
  return 'loadout dead lists the entries that were never loaded.'
}

const INDEX_ARGUMENT = {
  name: 'index',
  summary: 'an index file (default: all layers together)',
  complete: 'file',
} as const

function analysisRequest({ args, flags }: Input<typeof LAYER_FLAGS>, loadout: Loadout) {
  return { index: args.index, log: args.log, layers: loadout.nameLayers(flags) }
}

export const dead = defineCommand({
  name: 'dead',
  summary: 'entries that were never loaded, the heaviest first',
  args: [INDEX_ARGUMENT, LOG_ARGUMENT],
  flags: LAYER_FLAGS,
  run: (input, loadout) => loadout.dead(analysisRequest(input, loadout)),
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
  run: (input, loadout) => loadout.overlaps(analysisRequest(input, loadout)),
  print: printOverlaps,
})

function printOverlaps(found: readonly KeywordOverlap[], screen: Screen): string {
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
  run: (input, loadout) => loadout.budget(analysisRequest(input, loadout)),
  print: printBudget,
})

function printBudget(report: BudgetReport, screen: Screen): string {
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
