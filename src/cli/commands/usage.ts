import type {
  BudgetReport,
  Conversations,
  DeadEntry,
  EntryUsage,
  Erasure,
  KeywordOverlap,
  TaskKeeping,
  UsageOverTime,
} from '../../loadout.ts'
import { addCost, type Cost, describeCost, formatAmount, noCost, tokensOfCost } from '../../text/cost.ts'
import { failWith, type Report } from '../../text/trouble.ts'
import { defineCommand, isYes, LAYER_FLAGS } from '../command.ts'
import { alignRows, count, grouped, lines, MOST_SHOWN, printableLine, type Screen, shorten, wrap } from '../screen.ts'

/** The views of an index and its log, by flag. */
const INDEX_VIEWS = ['dead', 'overlaps', 'budget'] as const

/** One of several answers: its printed form, and its value for --json. */
interface UsageAnswer {
  json: unknown
  print(screen: Screen): string
}

export const usage = defineCommand({
  name: 'usage',
  keepsPaths: true,
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
  flags: {
    dead: { kind: 'switch', summary: 'entries that were never loaded, the largest first' },
    overlaps: { kind: 'switch', summary: 'keywords that several entries share' },
    budget: { kind: 'switch', summary: 'tokens by priority, and tokens per task, estimated and measured' },
    by: { kind: 'choice', choices: ['hour', 'day', 'week'], summary: 'show usage over time, and by agent' },
    sessions: { kind: 'switch', summary: 'list conversations that loaded something, the newest first' },
    since: { kind: 'text', value: 'time', summary: 'only events since then: 30d, 12h, 2w or a date' },
    keepTasks: {
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
  },
  run: async ({ args, flags, ask }, loadout): Promise<Report<UsageAnswer>> => {
    const { file, log } = args
    const { by, sessions, since, erase, yes, keepTasks } = flags
    const apart = (flags: string) => failWith('USAGE/combined', { flags, command: 'usage' })
    const unexpected = (word: string) => failWith('USAGE/unexpected', { word, command: 'usage' })
    const views = INDEX_VIEWS.filter((each) => flags[each])
    const [view] = views
    if (views.length > 1) throw apart(views.map((each) => `--${each}`).join(' and '))
    if (view !== undefined) {
      const alone = ['since', 'by', 'sessions', 'keep-tasks', 'export', 'erase', 'yes'].find(
        (_, at) => [since, by, sessions, keepTasks, flags.export, erase, yes][at] !== undefined,
      )
      if (alone !== undefined) throw apart(`--${alone} and --${view}`)
      if (view === 'overlaps' && log !== undefined) throw unexpected(log)
      const request = { index: file, log, layers: loadout.knowledge.nameLayers(flags) }
      if (view === 'overlaps') return present(await loadout.knowledge.overlaps(request), printOverlaps)
      if (view === 'budget') return present(await loadout.knowledge.budget(request), printBudget)
      const report = await loadout.knowledge.dead(request)
      const json = report.value.map(({ entry, reason }) => {
        return { id: entry.id, tokens: entry.tokens_est, reason, priority: entry.priority }
      })
      return present(report, printDead, json)
    }

    if (by !== undefined && sessions) throw apart('--by and --sessions')
    if ((by !== undefined || sessions) && (keepTasks !== undefined || erase)) throw failWith('USAGE/alone')
    if (log !== undefined) throw unexpected(log)
    const layer = (['project', 'global', 'org', 'session'] as const).find((flag) => flags[flag] !== undefined)
    if (layer !== undefined)
      throw failWith('USAGE/needs', { flag: `--${layer}`, what: '--dead, --overlaps or --budget', command: 'usage' })
    if (flags.export !== undefined) {
      if (erase || keepTasks !== undefined) throw failWith('USAGE/export')
      if (file === undefined)
        throw failWith('USAGE/needs', { flag: '--export otlp', what: 'the address of a collector', command: 'usage' })
      return present(await loadout.knowledge.exportUsage({ endpoint: file, since }), ({ address, series, events }) =>
        lines(`Sent ${count(series, 'series', 'series')} about ${count(events, 'event')} to ${printableLine(address)}`),
      )
    }
    if (by !== undefined) {
      const report = await loadout.knowledge.usageOverTime({ log: file, since, step: by })
      return present(report, printOverTime, { ...report.value, entries: report.value.entries.map(withModes) })
    }
    if (sessions) return present(await loadout.knowledge.conversations({ log: file, since }), printConversations)
    if (keepTasks === undefined && !erase) {
      const report = await loadout.knowledge.usage({ log: file, since })
      return present(report, printEntries, report.value.map(withModes))
    }
    if (file !== undefined || since !== undefined || (keepTasks !== undefined && erase)) {
      throw failWith('USAGE/erase-file')
    }
    if (keepTasks !== undefined)
      return present(await loadout.knowledge.keepTasks({ isOn: keepTasks === 'on' }), printKeeping)
    const looked = await loadout.knowledge.eraseUsage({ dryRun: true })
    if (looked.value.bytes === 0) return present(looked, printErasure)
    const what = printableLine(looked.value.log)
    if (!yes && ask === undefined) throw failWith('CONFIRMATION_NEEDED/erase', { what })
    if (!yes && !isYes(ask?.(`Erase ${what}? It cannot be restored. [y/N] `) ?? ''))
      throw failWith('NOT_CONFIRMED/erase')
    return present(await loadout.knowledge.eraseUsage({}), printErasure)
  },
  print: (shown, screen) => shown.print(screen),
  toJson: (shown) => shown.json,
})

function present<Value>(
  { value, findings }: Report<Value>,
  print: (value: Value, screen: Screen) => string,
  json: unknown = value,
): Report<UsageAnswer> {
  return { value: { json, print: (screen) => print(value, screen) }, findings }
}

/** A set has no JSON form. */
function withModes<Entry extends { modes: Iterable<string> }>(entry: Entry) {
  return { ...entry, modes: [...entry.modes] }
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
  if (total === 0) return 'The log has no conversation yet. After loadout connect, agents write to it.\n'
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
      ? 'loadout test --past asks them again when an index has changed.'
      : 'To remove those already in the log: loadout usage --erase',
  )
}
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
  const room = Math.min(28, 76 - Math.max(...alignRows([head, ...cells]).map(({ length }) => length)))
  const rest = silent.slice(MOST_SILENT)
  return lines(
    wrap(title, 0).map((line) => screen.strong(line)),
    '',
    alignRows(
      [['', ...head], ...shown.map((entry, at) => [`  ${shorten(usedName(entry), room)}`, ...cells[at]!])],
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

function usedName({ entryId, kind }: EntryUsage): string {
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
            wrap(`${shorten(usedName(entry), 76)}: in ${count(times(entry), 'conversation')}`, 2),
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
