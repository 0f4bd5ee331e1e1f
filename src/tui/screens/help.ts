import { insideOf, type Line, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import { textPane } from '../frame/rows.ts'
import { BINDINGS, type Binding, isTypingPlace, keyName, type Place } from '../keys.ts'
import type { Model } from '../model.ts'
import { SIGNS } from '../signs.ts'

const PLACES: Partial<Record<Place, string>> = {
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

export function viewHelp(model: Model, size: Size): Line[] {
  return textPane(styled('Help', 'strong'), helpLines(model, insideOf(size).columns), model.help.at, size)
}

/** All keys and signs, from the tables that define them. */
export function helpLines(_: Model, columns: number): Line[] {
  const titles = [...new Set(BINDINGS.map(sectionOf))]
  const keys = titles.flatMap((title): Line[] => [
    styled(title, 'strong'),
    ...BINDINGS.filter((binding) => sectionOf(binding) === title).flatMap((binding) => keyLines(binding, columns)),
    [],
  ])
  return [...keys, styled('Signs', 'strong'), ...signLines(), [], styled('Status line', 'strong'), ...statusLines()]
}

function sectionOf({ places }: Binding): string {
  const title = places.length === 1 && places[0] !== undefined ? PLACES[places[0]] : undefined
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
