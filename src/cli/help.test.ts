import { expect, it } from 'vitest'
import { listedFlags } from './command.ts'
import { COMMANDS, SURFACE } from './commands.ts'
import { commandHelp, commandReference, everything, groupHelp, overview } from './help.ts'
import { createScreen } from './screen.ts'

const SCREEN = createScreen(false)
const PAGES: [name: string, text: string][] = [
  ['loadout', overview(SCREEN)],
  ['loadout --all', everything(SCREEN)],
  ...SURFACE.flatMap(({ rows }) => rows.map((row): [string, string] => [row.name, groupHelp(row, SCREEN)])),
  ...COMMANDS.map((command): [string, string] => [command.name, commandHelp(command, SCREEN)]),
]

it.each(PAGES)('the help of %s has at most 80 columns', (_, text) => {
  expect(text.split('\n').filter((line) => line.length > 80 && !line.startsWith('usage: '))).toEqual([])
})

it('the overview names at most 28 commands and fits a screen of 24 lines', () => {
  const names = SURFACE.flatMap(({ rows }) => rows.map(({ name }) => name))
  expect(names.length).toBeLessThanOrEqual(28)
  expect(new Set(names).size).toBe(names.length)
  const page = overview(SCREEN)
  expect(page.split('\n').length).toBeLessThanOrEqual(24)
  for (const name of names) expect(page).toMatch(new RegExp(` ${name}( |$)`, 'm'))
})

it('the reference names every argument and every flag of a command below its heading', () => {
  const parts = commandReference().split(/^####? loadout /m)
  for (const { name, args, flags } of COMMANDS) {
    const part = parts.find((each) => each.startsWith(`${name}\n`)) ?? ''
    for (const argument of args) expect(part, name).toMatch(new RegExp(`^- \`[<[]${argument.name}`, 'm'))
    for (const [flag] of listedFlags(flags))
      expect(part, name).toMatch(new RegExp(`^(?:-|Also) .*\`--${flag}[ \`]`, 'm'))
  }
})
