import { expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { commandHelp, overview } from './help.ts'
import { createScreen } from './screen.ts'

const SCREEN = createScreen(false)
const PAGES: [name: string, text: string][] = [
  ['loadout', overview('0.0.0', SCREEN)],
  ...COMMANDS.map((command): [string, string] => [command.name, commandHelp(command, SCREEN)]),
]

it.each(PAGES)('the help of %s has at most 80 columns', (_, text) => {
  expect(text.split('\n').filter((line) => line.length > 80 && !line.startsWith('usage: '))).toEqual([])
})
