import { sheetSections } from '../../display-rules.ts'
import type { ListingRoom, SyncResult } from '../../loadout.ts'
import { count, grouped } from '../../text/count.ts'
import { type Line, plain, span, styled, wrapped } from '../frame/line.ts'
import { findingLines, inColumns, problemLines, unifiedLines } from '../frame/rows.ts'
import { BINDINGS, type Binding, isTypingPlace, type KeyPlace, keyName } from '../keys.ts'
import { type Model, shortPath } from '../model.ts'
import { SIGNS } from '../signs.ts'

/** The screens that are one text, which scrolls. */
export const TEXTS = {
  sync: {
    title: ({ sync: { result, preview, push } }) => {
      const what = result !== undefined ? 'Sync: done' : preview === undefined ? 'Sync' : 'Sync: what it would do'
      return `${what}${push ? ', with a push' : ''}`
    },
    lines: syncLines,
  },
  diff: {
    title: ({ diff: { name, value } }) =>
      value === undefined || value.differences.length === 0 ? name : `${name}: library → installed`,
    lines: diffLines,
  },
  review: { title: ({ review }) => `${review.name}: what it can do`, lines: reviewLines },
  help: { title: () => 'Help', lines: helpLines },
  lists: { title: () => 'What the agents list', lines: listsLines },
} satisfies Record<string, { title(model: Model): string; lines(model: Model, columns: number): Line[] }>

/** What a sync would do or did, its findings, and how texts would change. */
function syncLines({ sync, problems }: Model, columns: number): Line[] {
  const { result, preview, findings } = sync
  const value = result ?? preview
  if (value === undefined) return problemLines(problems.sync, 'asking the remote…', columns)
  const done = doneLines(value)
  const trouble = findings.flatMap((finding) => findingLines(finding, columns))
  const isCalm = findings.every(({ severity }) => severity === 'info')
  const nothing = isCalm
    ? styled('● everything is as the library has it', 'good')
    : styled(result === undefined ? 'no install would change' : 'no install was changed', 'faint')
  return [
    ...(done.length > 0 ? done : [nothing]),
    ...(trouble.length > 0 ? [[], ...trouble] : []),
    ...(result === undefined ? (preview?.diffs ?? []) : []).flatMap(({ skill, where, text }): Line[] => [
      [],
      [span(skill, 'strong'), span(`  ${where}`, 'faint')],
      ...unifiedLines(text),
    ]),
  ]
}

function doneLines({ steps, operations }: SyncResult): Line[] {
  // A new stamp on the same content is of no interest to the user.
  const told = operations.filter(({ kind }) => kind !== 'restamp')
  const row = inColumns(told, ({ kind, skill, agent, scope }) => [
    plain(kind),
    plain(skill),
    plain(agent),
    plain(scope),
  ])
  const moved = steps.map((step) => {
    const commits = step.commits === undefined ? 'all commits' : count(step.commits, 'commit')
    return plain(step.kind === 'fast-forward' ? `library: take ${commits} (fast-forward)` : `library: push ${commits}`)
  })
  return [...moved, ...told.map(row)]
}

/** How every installed copy differs. */
function diffLines(model: Model, columns: number): Line[] {
  const { value } = model.diff
  if (value === undefined) return problemLines(model.problems.diff, 'comparing…', columns)
  if (value.differences.length === 0) return [plain('No installed copy differs from the library.')]
  return value.differences.flatMap(({ agents, path, text }): Line[] => [
    styled(`${agents.join(', ')}  ${shortPath(model, path)}`, 'strong'),
    ...unifiedLines(text),
  ])
}

/** The whole sheet, each line with its quotation: what is allowed is what was shown. */
function reviewLines(model: Model, columns: number): Line[] {
  const { value } = model.review
  if (value === undefined) return problemLines(model.problems.review, 'looking through it…', columns)
  if (value.length === 0) return wrapped('Nothing in it needs an answer.', columns)
  return sheetSections(value).flatMap(([title, lines]): Line[] => [
    ...wrapped(title, columns, 'strong'),
    ...lines.flatMap(({ path, line, what, quote, isAlarming }): Line[] => {
      const place = `${path}${line > 0 ? `:${line}` : ''} ${what}`
      return [
        ...indented(isAlarming ? '! ' : '  ', wrapped(place, columns - 2, isAlarming ? 'alert' : undefined)),
        ...(quote === '' ? [] : indented('    ', wrapped(quote, columns - 4, 'faint'))),
      ]
    }),
    plain(' '),
  ])
}

function indented(mark: string, lines: readonly Line[]): Line[] {
  return lines.map((line, at) => [span(at === 0 ? mark : ' '.repeat(mark.length)), ...line])
}

function listsLines({ attention }: Model, columns: number): Line[] {
  if (attention === undefined) return wrapped('reading…', columns)
  const { rooms } = attention
  if (rooms.length === 0) return wrapped('No enabled agent is known to limit its list of skills.', columns)
  return rooms.flatMap((room, at) => [...(at === 0 ? [] : [[]]), ...roomLines(room, columns)])
}

const GAUGE = 12

function roomLines(
  { label, agent, skills, cut, dropped, used, room, unit, problem }: ListingRoom,
  columns: number,
): Line[] {
  const isFull = dropped + cut > 0
  const share = room === 0 ? 0 : used / room
  const filled = isFull ? GAUGE : Math.min(GAUGE, Math.round(share * GAUGE))
  const style = isFull ? 'alert' : 'good'
  const gauge = span(`${'█'.repeat(filled)}${'░'.repeat(GAUGE - filled)}`, style)
  const how = span(isFull ? ' full' : ` ${Math.round(share * 100)}%`, style)
  const whole = skills - cut - dropped
  const counts = `${grouped(whole)} shown whole, ${grouped(cut)} cut, ${grouped(dropped)} without a description`
  return [
    [span(`${label}  `, 'strong'), gauge, how],
    ...wrapped(`${grouped(used)} of ${grouped(room)} ${unit}`, columns, 'faint'),
    ...wrapped(counts, columns),
    ...(problem === undefined ? [] : wrapped(problem.message, columns, 'alert')),
    ...(problem?.hint ?? '').split('; ').flatMap((hint) => wrapped(hint, columns, 'accent')),
    ...wrapped(`loadout see ${agent} lists every one`, columns, 'faint'),
  ]
}

const TEXT_PLACES: Partial<Record<KeyPlace, string>> = {
  inventory: 'Skills',
  import: 'Import',
  sync: 'Sync',
  update: 'Update',
  merge: 'Merges',
  doctor: 'Doctor',
  profiles: 'Profiles',
  settings: 'Settings',
  diff: 'Differences',
  review: 'Review',
  agents: 'Choosing an agent',
  facets: 'Choosing what is shown',
  confirm: 'A question',
}

/** All keys and signs, from the tables that define them. */
function helpLines(_: Model, columns: number): Line[] {
  const titles = [...new Set(BINDINGS.map(sectionOf))]
  const keys = titles.flatMap((title): Line[] => [
    styled(title, 'strong'),
    ...BINDINGS.filter((binding) => sectionOf(binding) === title).flatMap((binding) => keyLines(binding, columns)),
    [],
  ])
  return [...keys, styled('Signs', 'strong'), ...signLines(), [], styled('Status line', 'strong'), ...statusLines()]
}

function sectionOf({ places }: Binding): string {
  const title = places.length === 1 && places[0] !== undefined ? TEXT_PLACES[places[0]] : undefined
  return title ?? (places.every(isTypingPlace) ? 'While typing' : 'Everywhere')
}

function keyLines({ keys, help }: Binding, columns: number): Line[] {
  const names = keys.map(keyName).join(' ')
  // On a narrow screen the sentence matters more than alignment.
  const room = columns < 50 ? names.length : 16
  const [first = [], ...rest] = wrapped(help, columns - room - 4)
  const indent = span(' '.repeat(room + 4))
  return [[span(`  ${names.padEnd(room)}  `, 'accent'), ...first], ...rest.map((line) => [indent, ...line])]
}

function signLines(): Line[] {
  const words = new Map(Object.values(SIGNS).map((each) => [`${each.sign}  ${each.word}`, each]))
  return [...words.values()].map(({ sign, word, style }) => [span('  '), span(sign, style), ...plain(`  ${word}`)])
}

const STATUS = [
  ['↑', 'commits of the library to push'],
  ['↓', 'commits of the remote to pull'],
  ['±', 'files of the library that are not committed'],
  ['⚑', 'merges that wait for a decision'],
  ['+', 'skills in the agents’ folders that are not in the library'],
  ['≠', 'installed copies that are not as the library has them'],
  ['%', 'how full the list of skills is that an agent shows its model'],
] as const

function statusLines(): Line[] {
  return STATUS.map(([sign, meaning]) => [span(`  ${sign}  `, 'alert'), span(meaning)])
}
