import type {
  BudgetReport,
  Conversations,
  DeadEntry,
  EntryUsage,
  Erasure,
  KeywordOverlap,
  Loadout,
  Similar,
  TaskKeeping,
  UsageExport,
  UsageOverTime,
} from '../../loadout.ts'
import { addCost, type Cost, describeCost, formatAmount, noCost, tokensOfCost } from '../../text/cost.ts'
import { failWith, LoadoutError, type Report } from '../../text/trouble.ts'
import { defineCommand, type Input, LAYER_FLAGS } from '../command.ts'
import { alignRows, count, grouped, lines, MOST_SHOWN, printableLine, type Screen, shorten, wrap } from '../screen.ts'

/** The views of an index and its log, by flag. */
const VIEWS = ['dead', 'overlaps', 'budget', 'similar'] as const

const USAGE_FLAGS = {
  dead: { kind: 'switch', summary: 'entries that were never loaded, the largest first' },
  overlaps: { kind: 'switch', summary: 'keywords that several entries share' },
  budget: { kind: 'switch', summary: 'tokens by priority, and tokens per task, estimated and measured' },
  similar: { kind: 'switch', summary: 'entries of every kind that answer the same questions' },
  by: { kind: 'choice', choices: ['hour', 'day', 'week'], summary: 'show usage over time, and by agent' },
  sessions: { kind: 'switch', summary: 'list conversations that loaded something, the newest first' },
  since: { kind: 'text', value: 'time', summary: 'only events since then: 30d, 12h, 2w or a date' },
  'keep-tasks': {
    kind: 'choice',
    choices: ['on', 'off'],
    summary: 'whether to keep the words of tasks, without secrets (default: off)',
  },
  export: {
    kind: 'choice',
    choices: ['otlp'],
    summary: 'send totals to an OpenTelemetry collector: --export otlp http://localhost:4318',
  },
  erase: { kind: 'switch', summary: 'delete the log of this machine' },
  yes: { kind: 'switch', summary: 'with --erase: do not ask' },
  ...LAYER_FLAGS,
} as const

type UsageInput = Input<typeof USAGE_FLAGS>

/** One of several answers: its printed form, and its value for --json. */
interface Shown {
  json: unknown
  print(screen: Screen): string
}

export const usage = defineCommand({
  name: 'usage',
  aliases: { dead: ['--dead'], overlaps: ['--overlaps'], budget: ['--budget'] },
  summary: 'show how often each entry was planned, delivered and used',
  details:
    'Also lists entries that were offered but never used, and entries that were used although no plan named them.\n--by shows them over time and by agent, --sessions by conversation.\n--erase asks first. In a script it exits with 3: you must answer first, or add --yes.',
  args: [
    {
      name: 'file',
      summary: 'a usage log; with --dead, --overlaps or --budget an index; with --export an address',
      complete: 'file',
    },
    { name: 'log', summary: 'with --dead or --budget: a usage log (default: this machine’s)', complete: 'file' },
  ],
  flags: USAGE_FLAGS,
  run: async (input, loadout): Promise<Report<Shown>> => {
    const { flags } = input
    const views = VIEWS.filter((view) => flags[view])
    const [view, ...others] = views
    if (others.length > 0) throw misuse(`${views.map((each) => `--${each}`).join(' and ')} cannot be combined`)
    return view === undefined ? showLog(input, loadout) : showView(view, input, loadout)
  },
  print: (shown: Shown, screen) => shown.print(screen),
  toJson: (shown: Shown) => shown.json,
})

function present<Value>(
  { value, findings }: Report<Value>,
  print: (value: Value, screen: Screen) => string,
  json: unknown = value,
): Report<Shown> {
  return { value: { json, print: (screen) => print(value, screen) }, findings }
}

async function showView(
  view: (typeof VIEWS)[number],
  { args: { file: index, log }, flags }: UsageInput,
  loadout: Loadout,
): Promise<Report<Shown>> {
  const alone = (['since', 'by', 'sessions', 'keep-tasks', 'export', 'erase', 'yes'] as const).find(
    (flag) => flags[flag] !== undefined,
  )
  if (alone !== undefined) throw misuse(`--${alone} and --${view} cannot be combined`)
  const extra = view === 'similar' ? (index ?? log) : view === 'overlaps' ? log : undefined
  if (extra !== undefined) throw misuse(`Unexpected argument: ${extra}`)
  const request = { index, log, layers: loadout.nameLayers(flags) }
  if (view === 'overlaps') return present(await loadout.overlaps(request), printOverlaps)
  if (view === 'budget') return present(await loadout.budget(request), printBudget)
  if (view === 'similar')
    return present(await loadout.similar({ layers: request.layers, project: flags.project }), printSimilar)
  const report = await loadout.dead(request)
  const json = report.value.map(({ entry, reason }) => {
    return { id: entry.id, tokens: entry.tokens_est, reason, priority: entry.priority }
  })
  return present(report, printDead, json)
}

async function showLog(input: UsageInput, loadout: Loadout): Promise<Report<Shown>> {
  const { args, flags } = input
  const { 'keep-tasks': keeping, erase, since, by, sessions } = flags
  if (by !== undefined && sessions) throw misuse('--by and --sessions cannot be combined')
  if ((by !== undefined || sessions) && (keeping !== undefined || erase))
    throw misuse('--erase and --keep-tasks cannot be combined with other flags')
  if (args.log !== undefined) throw misuse(`Unexpected argument: ${args.log}`)
  const layer = (['project', 'global', 'org', 'session'] as const).find((flag) => flags[flag] !== undefined)
  if (layer !== undefined) throw misuse(`--${layer} needs --dead, --overlaps or --budget`)
  if (flags.export !== undefined) return present(await exportAsked(input, loadout), printExport)
  if (by !== undefined) {
    const report = await loadout.usageOverTime({ log: args.file, since, step: by })
    const entries = report.value.entries.map((entry) => ({ ...entry, modes: [...entry.modes] }))
    return present(report, printOverTime, { ...report.value, entries })
  }
  if (sessions) return present(await loadout.conversations({ log: args.file, since }), printConversations)
  if (keeping === undefined && !erase) {
    const report = await loadout.usage({ log: args.file, since })
    // A set has no JSON form.
    return present(
      report,
      printEntries,
      report.value.map((entry) => ({ ...entry, modes: [...entry.modes] })),
    )
  }
  if (args.file !== undefined || since !== undefined || (keeping !== undefined && erase)) {
    throw failWith('USAGE/erase-file')
  }
  if (keeping === undefined) return present(await eraseAsked(input, loadout), printErasure)
  return present(await loadout.keepTasks({ isOn: keeping === 'on' }), printKeeping)
}

async function exportAsked({ args, flags }: UsageInput, loadout: Loadout): Promise<Report<UsageExport>> {
  if (flags.erase || flags['keep-tasks'] !== undefined) throw misuse('--export can be combined only with --since')
  if (args.file === undefined) throw misuse('--export otlp needs the address of a collector')
  return loadout.exportUsage({ endpoint: args.file, since: flags.since })
}

function printExport({ address, series, events }: UsageExport): string {
  return lines(`Sent ${count(series, 'series', 'series')} about ${count(events, 'event')} to ${printableLine(address)}`)
}

function printOverTime({ points, agents, step, starts, cost }: UsageOverTime): string {
  type Row = (typeof agents)[number] | (typeof points)[number]
  const costs = costColumns(cost)
  const head = [...(starts > 0 ? ['starts'] : []), 'planned', 'delivered', 'used', 'tokens', ...costs.head]
  const row = (name: string, { planned, delivered, used, tokens, ...more }: Row) => [
    `  ${name}`,
    ...[...(starts > 0 ? [more.starts] : []), planned, delivered, used, tokens].map(grouped),
    ...costs.cells(more.cost),
  ]
  const busy = points.filter((each) => each.planned + each.delivered + each.used + tokensOfCost(each.cost) > 0)
  if (busy.length === 0) return 'There are no events in this range.\n'
  const right = head.map((_, at) => at + 1)
  return lines(
    alignRows([[`  ${step}`, ...head], ...busy.map((point) => row(momentOf(point.at, step), point))], right),
    '',
    alignRows([['  agent', ...head], ...agents.map((agent) => row(printableLine(agent.via), agent))], right),
    costs.head.length > 0 && ['', ...wrap(describeCost(cost), 0)],
  )
}

/** What lists cost, and the price of all tokens, if there is such a thing. */
function costColumns({ listing, money }: Cost): { head: string[]; cells(cost: Cost): string[] } {
  const shown = (number: number) => (number === 0 ? '–' : grouped(number))
  return {
    head: [...(listing > 0 ? ['in lists'] : []), ...(money ? [money.currency] : [])],
    cells: (cost) => [
      ...(listing > 0 ? [shown(cost.listing)] : []),
      ...(money ? [cost.money === undefined ? '–' : formatAmount(cost.money.amount)] : []),
    ],
  }
}

function momentOf(instant: string, step: string): string {
  return step === 'hour' ? instant.slice(0, 16).replace('T', ' ') : instant.slice(0, 10)
}

function printConversations({ conversations, total }: Conversations): string {
  if (total === 0) return 'The log has no conversation yet. After loadout hooks install, agents write to it.\n'
  const rows = conversations
    .slice(0, MOST_SHOWN)
    .map(({ via, session, last, planned, delivered, used, tokens }) => [
      `  ${momentOf(last, 'hour')}`,
      printableLine(via),
      printableLine(shorten(session, 40)),
      ...[planned, delivered, used, tokens].map(grouped),
    ])
  const head = ['  last (UTC)', 'agent', 'session', 'planned', 'delivered', 'used', 'tokens']
  const more = total - rows.length
  return lines(
    alignRows([head, ...rows], [3, 4, 5, 6]),
    more > 0 && `  and ${grouped(more)} more`,
    '',
    count(total, 'conversation'),
  )
}

function printSimilar({ pairs, asked }: Similar): string {
  if (pairs.length === 0) return `No two of ${count(asked, 'entry', 'entries')} match the same questions.\n`
  const rows = pairs
    .slice(0, MOST_SHOWN)
    .flatMap(({ a, b, strength, questions: [first] }) => [
      `  ${printableLine(a)}  and  ${printableLine(b)}   ${Math.round(strength * 100)} %`,
      ...(first === undefined ? [] : [`      "${shorten(printableLine(first.question), 70)}"`]),
    ])
  const more = pairs.length - MOST_SHOWN
  return lines(
    rows,
    more > 0 && `  and ${grouped(more)} more`,
    '',
    `${count(pairs.length, 'pair')} among ${count(asked, 'entry', 'entries')}; loadout teach makes two entries distinguishable`,
  )
}

function misuse(message: string): LoadoutError {
  return new LoadoutError('USAGE', message, { hint: 'loadout help usage' })
}

async function eraseAsked({ flags, ask }: UsageInput, loadout: Loadout): Promise<Report<Erasure>> {
  const looked = await loadout.eraseUsage({ dryRun: true })
  const { log, bytes } = looked.value
  if (bytes === 0 || flags.yes) return bytes === 0 ? looked : loadout.eraseUsage({})
  const what = printableLine(log)
  if (ask === undefined) {
    throw failWith('CONFIRMATION_NEEDED/erase', { what })
  }
  if (/^y(es)?$/i.test(ask(`Erase ${what}? It cannot be restored. [y/N] `))) return loadout.eraseUsage({})
  throw failWith('NOT_CONFIRMED/erase')
}

function printErasure({ log, isErased, learned }: Erasure): string {
  return lines(
    `${isErased ? 'Erased' : 'Nothing to erase'}: ${printableLine(log)}`,
    learned !== undefined && `Erased: ${printableLine(learned)}`,
  )
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
      : 'To remove those already in the log: loadout usage --erase',
  )
}

const WIDEST_ID = 28
const LONGEST_ID = 76
/** Entries that agents only saw in a list. */
const MOST_SILENT = 10

function printEntries(entries: readonly EntryUsage[], screen: Screen): string {
  if (entries.length === 0) {
    return lines('Nothing was planned or loaded. loadout plan "<task>" --load loads and records.')
  }
  const loads = entries.reduce((sum, { loadCount }) => sum + loadCount, 0)
  const cost = sumOf(entries)
  const title = `${count(entries.length, 'entry', 'entries')} · ${count(loads, 'load')} · ${describeCost(cost)}`
  const named = entries.filter(({ loadCount, planned }) => loadCount + planned > 0)
  const silent = entries.filter((entry) => !named.includes(entry))
  const shown = [...named, ...silent.slice(0, MOST_SILENT)]
  const costs = costColumns(cost)
  // With a price there is no room for the day.
  const days = cost.money === undefined ? ['last'] : []
  const head = ['planned', 'delivered', 'used', 'tokens', ...costs.head, ...days]
  const right = [1, 2, 3, 4, ...costs.head.map((_, at) => at + 5)]
  const cells = shown.map(({ planned, delivered, used, totalTokens, lastSeen, cost: own }) => [
    ...[planned, delivered, used, totalTokens].map((number) => (number === 0 ? '–' : grouped(number))),
    ...costs.cells(own),
    ...days.map(() => (lastSeen === '' ? '–' : lastSeen.slice(0, 10))),
  ])
  const room = Math.min(WIDEST_ID, 76 - Math.max(...alignRows([head, ...cells]).map(({ length }) => length)))
  const rest = silent.slice(MOST_SILENT)
  return lines(
    wrap(title, 0).map((line) => screen.strong(line)),
    '',
    alignRows(
      [['', ...head], ...shown.map((entry, at) => [`  ${shorten(nameOf(entry), room)}`, ...cells[at]!])],
      right,
    ),
    rest.length > 0 && `  and ${grouped(rest.length)} more in lists, ${grouped(sumOf(rest).listing)} tokens`,
    conclusions(entries, screen),
    '',
    nextStep(entries),
  )
}

function sumOf(entries: readonly EntryUsage[]): Cost {
  const sum = noCost()
  for (const { cost } of entries) addCost(sum, cost)
  return sum
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
    return 'loadout explain <id> --task "<task>" shows why a plan does not contain an entry.'
  }
  return 'loadout usage --dead lists the entries that were never loaded.'
}

function printDead(found: readonly DeadEntry[], screen: Screen): string {
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
    'loadout explain <id> --task "<task>" shows why an entry is not loaded.',
  )
}

function printOverlaps(found: readonly KeywordOverlap[], screen: Screen): string {
  if (found.length === 0) return lines(screen.good('No two entries share a keyword.'))
  return lines(
    alignRows(found.map(({ keyword, entries }) => [`  ${keyword}`, entries.join(', ')])),
    '',
    screen.strong(`${count(found.length, 'keyword')} shared`),
  )
}

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
