import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readSettings } from '../../disk/hook-settings/settings-file.ts'
import { addNameOnly, removeNameOnly } from './hook-settings.ts'

const read = (text: string) => readSettings(text, 'settings.json')
const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
const others = fc.dictionary(
  fc.constantFrom('model', 'env', 'hooks', 'skillOverrides'),
  fc.dictionary(fc.constantFrom('mine', 'yours'), fc.constantFrom('off', 'on')),
)

it('is added and removed without a trace, in any layout', () => {
  fc.assert(
    fc.property(others, fc.constantFrom(undefined, 0, 2, '\t'), names, (json, space, added) => {
      const text = JSON.stringify(json, null, space)
      const wanted = added.filter((name) => name !== 'mine' && name !== 'yours')
      const with_ = addNameOnly({ text, blanks: {} }, 'skillOverrides', wanted, read)
      const overrides = JSON.parse(with_.text).skillOverrides ?? {}
      expect(wanted.every((name) => Object.getOwnPropertyDescriptor(overrides, name)?.value === 'name-only')).toBe(true)
      expect(addNameOnly(with_, 'skillOverrides', wanted, read)).toEqual(with_)
      expect(removeNameOnly(with_, 'skillOverrides', wanted, read).text).toBe(text)
    }),
    { numRuns: 300 },
  )
})

it.each([
  ['{"skillOverrides": []}', '"skillOverrides" is a list, not an object'],
  ['{"skillOverrides": {}, "skillOverrides": {}}', '"skillOverrides" is there twice'],
  ['[]', 'the file is a list, not an object'],
])('refuses %s', (text, message) => {
  expect(() => addNameOnly({ text, blanks: {} }, 'skillOverrides', ['a'], read)).toThrow(message)
})

it('keeps edits that the user made meanwhile', () => {
  const { text, blanks } = addNameOnly({ text: '{}\n', blanks: {} }, 'skillOverrides', ['a', 'b'], read)
  const changed = text.replace('"a": "name-only"', '"a": "off"')
  const after = removeNameOnly({ text: changed, blanks }, 'skillOverrides', ['a', 'b'], read).text
  expect(JSON.parse(after)).toEqual({ skillOverrides: { a: 'off' } })
})
