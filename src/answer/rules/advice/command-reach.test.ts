import { expect, it } from 'vitest'
import { type Language, readScript } from './command-reach.ts'

const ROWS: [what: string, text: string, language: Language, isNamed: boolean][] = [
  ['an identifier', 'const items = [{ id: "T-1" }]', 'javascript', false],
  ['a quoted word', "spawn('sh', ['id'])", 'javascript', true],
  ['a word inside a quoted command', "exec('sh id now')", 'javascript', true],
  ['a line of a template', 'exec(`\nsh id\n`)', 'javascript', true],
  ['a line of a long text', 'run("""\nsh id\n""")', 'python', true],
  ['any word of a shell', 'sh id', 'shell', true],
]
it.each(ROWS)('%s: is a file named id a part of it?', (_, text, language, isNamed) => {
  expect(readScript(text, language).names.includes('id')).toBe(isNamed)
})
