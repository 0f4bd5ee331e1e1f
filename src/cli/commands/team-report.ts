import type { TeamReport } from '../../loadout.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, grouped, lines, MOST_SHOWN, type Screen, shorten } from '../screen.ts'

const WIDEST_ID = 30
const SHORT_VERSION = 10

export const teamReport = defineCommand({
  name: 'team report',
  summary: 'show what the team uses, and what it costs',
  details:
    'Numbers of people and machines appear only above five. Groups with five people or fewer are combined.\nDelivered, never used: agents received it in this range and never asked for it. Dead weight: installed or planned, but neither delivered nor used.',
  args: [],
  flags: {
    since: { kind: 'text', value: 'time', summary: 'start of the range: 30d, 12w or a date (default: 30d)' },
    until: { kind: 'text', value: 'date', summary: 'the last day (default: today)' },
    group: { kind: 'text', value: 'name', summary: 'only this group' },
  },
  run: ({ flags }, loadout) => loadout.reportTeam(flags),
  print: (report: TeamReport, screen) => printReport(report, screen),
})

function printReport(report: TeamReport, screen: Screen): string {
  const { from, to, people, events, tokens, waiting } = report
  const range = `${from} to ${dayBefore(to)}`
  return lines(
    screen.strong(`${range} · ${shown(people)} people · ${count(events, 'event')} · ${grouped(tokens)} tokens`),
    waiting > 0 && `${count(waiting, 'batch is', 'batches are')} not counted yet.`,
    adoption(report),
    section(
      screen.strong('Delivered, never used'),
      report.inVain.map((row) => [
        `  ${nameOf(row)}`,
        `${grouped(row.delivered)} deliveries`,
        `${grouped(row.tokens)} tok`,
      ]),
      [2],
    ),
    section(
      screen.strong('Dead weight'),
      report.deadWeight.map((row) => [
        `  ${nameOf(row)}`,
        row.planned > 0 ? `planned ${grouped(row.planned)} times` : 'installed',
        row.machines === null ? '' : `on ${count(row.machines, 'machine')}`,
      ]),
    ),
    rollout(report, screen),
    section(
      screen.strong('Groups'),
      report.groups.map((row) => [`  ${shorten(row.group, WIDEST_ID)}`, `${shown(row.people)} people`, ...sums(row)]),
      [1, 2, 3, 4],
    ),
    section(
      screen.strong('Agents'),
      report.agents.map((row) => [`  ${row.agent}`, ...sums(row)]),
      [1, 2, 3],
    ),
    section(
      screen.strong('Projects'),
      report.projects.map((row) => [`  ${row.project}`, ...sums(row)]),
      [1, 2, 3],
    ),
  )
}

function adoption({ entries }: TeamReport): string[] {
  if (entries.length === 0) return ['', 'Nothing was counted in this range.']
  const rows = entries.flatMap((entry) => {
    const { planned, delivered, used, tokens, people, versions } = entry
    const numbers = [planned, delivered, used, tokens].map((number) => (number === 0 ? '–' : grouped(number)))
    const known = versions.filter(({ version }) => version !== '')
    return [
      [`  ${shorten(nameOf(entry), WIDEST_ID)}`, ...numbers, shown(people)],
      ...(known.length < 2
        ? []
        : known.map((each) => [
            `    ${each.version.slice(0, SHORT_VERSION)}`,
            ...[each.planned, each.delivered, each.used, each.tokens].map((number) =>
              number === 0 ? '–' : grouped(number),
            ),
            shown(each.people),
          ])),
    ]
  })
  const head = ['', 'planned', 'delivered', 'used', 'tokens', 'people']
  return ['', ...cut(alignRows([head, ...rows], [1, 2, 3, 4, 5]))]
}

function rollout({ rollout: all }: TeamReport, screen: Screen): string[] {
  const rows = all.flatMap((entry) =>
    entry.versions.map(({ version, share, machines, since }, at) => [
      at === 0 ? `  ${shorten(nameOf(entry), WIDEST_ID)}` : '',
      version.slice(0, SHORT_VERSION),
      `${share} %`,
      machines === null ? '' : `of ${entry.machines} machines`,
      `since ${since}`,
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

function sums({ events, used, tokens }: { events: number; used: number; tokens: number }): string[] {
  return [`${grouped(events)} events`, `${grouped(used)} used`, `${grouped(tokens)} tok`]
}

function nameOf({ kind, id }: { kind: string; id: string }): string {
  return kind === 'payload' ? id : `${id} (${kind})`
}

function shown(people: number | null): string {
  return people === null ? '≤5' : grouped(people)
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}
