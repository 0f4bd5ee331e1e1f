import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readTextYaml } from './yaml.ts'

const key = fc.stringMatching(/^[a-z][a-z_-]{0,8}$/)
const value = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ,.;'"()/_+-]{0,30}$/)

it('plain fields are read as the whole reader reads them', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, minLength: 1 }), (fields) => {
      const text = fields.map(([name, held]) => `${name}: ${held}\n`).join('')
      expect(readTextYaml(text)).toEqual(parse(text, { schema: 'failsafe', stringKeys: true }))
    }),
    { numRuns: 2000 },
  )
})

it.each(['', '\n', 'a: b\na: c\n', 'a: [b]\n', 'a: b\n  c\n', 'a: b # c\n', '- a\n'])('%j is left to it', (text) => {
  const read = () => readTextYaml(text)
  if (text.includes('a: c')) expect(read).toThrow('twice')
  else expect(read() ?? null).toEqual(parse(text, { schema: 'failsafe' }) ?? null)
})
