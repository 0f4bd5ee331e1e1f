import type { TeamReport } from '../../loadout.ts'
import { formatMoney } from '../../text/cost.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, grouped, lines, MOST_SHOWN, type Screen, shorten } from '../screen.ts'

const WIDEST_ID = 30
const SHORT_VERSION = 10

export const teamReport = defineCommand({
  name: 'team report',
  summary: 'show what the team uses, and what it costs',
  details:
    'Counts whole weeks, from Monday to Sunday in UTC. More than five people stand behind every figure; what fewer people did is added to that of others, or left out. The figures of a week change at most once a day.\nDelivered, hardly used: five people or fewer asked for it. Dead weight: installed or planned, and five people or fewer received or used it.',
  args: [],
  flags: {
    since: { kind: 'text', value: 'time', summary: 'a day of the first week: 30d, 12w or a date (default: 30d)' },
    until: { kind: 'text', value: 'date', summary: 'a day of the last week (default: today)' },
    group: { kind: 'text', value: 'name', summary: 'only this group' },
  },
  run: ({ request }, loadout) => loadout.team.report(request),
  print: printReport,
})

function printReport(report: TeamReport, screen: Screen): string {
  const { from, to, people, events, tokens, listing, money, waiting, running, silent } = report
  const range = `${from} to ${to}, in whole weeks`
  return lines(
    screen.strong(`${range} · ${peopleText(people)} people · ${count(events, 'event')} · ${grouped(tokens)} tokens`),
    listing > 0 && `The lists of skills cost ${grouped(listing)} more tokens.`,
    money !== undefined && `By your prices: ${formatMoney(money, tokens + listing)}.`,
    running !== undefined && `This week is shown as of ${running.replace('T', ' ')}, and changes at most once a day.`,
    waiting > 0 && `${count(waiting, 'batch is', 'batches are')} not counted yet.`,
    section(
      screen.strong('Needs attention'),
      report.attention.map(({ about, wanted, machines, versions, ...row }) => [
        `  ${entryName(row)}`,
        versions.join(', '),
        about === 'behind' ? `older than ${wanted}` : 'stopped',
        about === 'gone'
          ? 'on no machine that reports'
          : `${about === 'stopped' ? 'still ' : ''}on ${peopleText(machines)} machines`,
      ]),
    ),
    adoption(report),
    section(
      screen.strong('Delivered, hardly used'),
      report.inVain.map((row) => [
        `  ${entryName(row)}`,
        `${grouped(row.delivered)} deliveries`,
        `${grouped(row.tokens)} tok`,
      ]),
      [2],
    ),
    section(
      screen.strong('Dead weight'),
      report.deadWeight.map((row) => [
        `  ${entryName(row)}`,
        row.listing > 0 ? `${grouped(row.listing)} tok in lists` : '',
        row.planned > 0 ? `planned ${grouped(row.planned)} times` : 'installed',
        row.machines === null ? '' : `on ${count(row.machines, 'machine')}`,
      ]),
      [1],
    ),
    rollout(report, screen),
    silent !== undefined && silent !== 0 && `  ${peopleText(silent)} machines are silent, and not in the roll-out`,
    section(
      screen.strong('Groups'),
      report.groups.map((row) => [
        `  ${shorten(row.group, WIDEST_ID)}`,
        `${peopleText(row.people)} people`,
        ...sums(row),
      ]),
      [1, 2, 3, 4, 5],
    ),
    section(
      screen.strong('Agents'),
      report.agents.map(({ agent, money: cost, ...row }) => [
        `  ${agent}`,
        ...sums(row),
        cost === undefined ? '' : formatMoney(cost, cost.tokens),
      ]),
      [1, 2, 3, 4, 5],
    ),
    section(
      screen.strong('Projects'),
      report.projects.map((row) => [`  ${row.project}`, ...sums(row)]),
      [1, 2, 3, 4],
    ),
  )
}

function adoption({ entries }: TeamReport): string[] {
  if (entries.length === 0) return ['', 'Nothing was counted in this range.']
  const rows = entries.flatMap((entry) => {
    const { planned, delivered, used, tokens, people, versions } = entry
    const numbers = [planned, delivered, used, tokens].map((number) => (number === null ? '–' : grouped(number)))
    const known = versions.filter(({ version }) => version !== '')
    return [
      [`  ${shorten(entryName(entry), WIDEST_ID)}`, ...numbers, peopleText(people)],
      ...(known.length < 2
        ? []
        : known.map((each) => [
            `    ${each.version === '*' ? 'several' : each.version.slice(0, SHORT_VERSION)}`,
            ...[each.planned, each.delivered, each.used, each.tokens].map((number) =>
              number === null ? '–' : grouped(number),
            ),
            peopleText(each.people),
          ])),
    ]
  })
  const head = ['', 'planned', 'delivered', 'used', 'tokens', 'people']
  return ['', ...cut(alignRows([head, ...rows], [1, 2, 3, 4, 5]))]
}

function rollout({ rollout: all }: TeamReport, screen: Screen): string[] {
  const rows = all.flatMap((entry) =>
    entry.versions.map(({ versions, share, machines, since }, at) => [
      at === 0 ? `  ${shorten(entryName(entry), WIDEST_ID)}` : '',
      versions
        .map(({ digest, name, state = entry.state }) => [name ?? digest.slice(0, SHORT_VERSION), state].filter(Boolean))
        .map((words) => words.join(' '))
        .join(', '),
      share === null ? '' : `${share} %`,
      `${machines === null ? '' : `${grouped(machines)} of `}${peopleText(entry.machines)} machines`,
      since === null ? '' : `since ${since}`,
    ]),
  )
  return section(screen.strong('Roll-out today'), rows, [2])
}

function section(title: string, rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  return rows.length === 0 ? [] : ['', title, ...cut(alignRows(rows, right))]
}

function cut(rows: readonly string[]): string[] {
  const more = rows.length - MOST_SHOWN
  return more > 0 ? [...rows.slice(0, MOST_SHOWN), `  … ${grouped(more)} more: --json has all`] : [...rows]
}

function sums({
  events,
  used,
  tokens,
  listing = 0,
}: {
  events: number
  used: number
  tokens: number
  listing?: number
}) {
  const lists = listing > 0 ? `${grouped(listing)} tok in lists` : ''
  return [`${grouped(events)} events`, `${grouped(used)} used`, `${grouped(tokens)} tok`, lists]
}

function entryName({ kind, id }: { kind: string; id: string }): string {
  return kind === 'payload' ? id : `${id} (${kind})`
}

function peopleText(people: number | null): string {
  return people === null ? '≤5' : grouped(people)
}
