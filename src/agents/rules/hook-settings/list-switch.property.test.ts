import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { readSettings } from '../../disk/hook-settings/settings-file.ts'
import { addSwitches, removeSwitches, type Switches, type SwitchForm } from './list-switch.ts'

const read = (text: string) => readSettings(text, 'settings.json')
const OVERRIDES = { form: 'overrides' as SwitchForm, key: 'skillOverrides' }
const DISABLED = { form: 'disabled' as SwitchForm, key: 'disabledSkills' }
const TABLES = { form: 'switches' as SwitchForm, key: 'skills.config' }
const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
const space = fc.constantFrom(undefined, 0, 2, '\t')
const as = (what: Switches[string], list: readonly string[]): Switches =>
  Object.fromEntries(list.map((name) => [name, what]))

it('adds words to a table and removes them without a trace, in any layout', () => {
  const others = fc.dictionary(
    fc.constantFrom('model', 'env', 'hooks', 'skillOverrides'),
    fc.dictionary(fc.constantFrom('mine', 'yours'), fc.constantFrom('off', 'on')),
  )
  fc.assert(
    fc.property(others, space, names, (json, indent, added) => {
      const text = JSON.stringify(json, null, indent)
      const switches = as(
        'name-only',
        added.filter((name) => name !== 'mine' && name !== 'yours'),
      )
      const changed = addSwitches({ text, blanks: {} }, OVERRIDES, switches, read)
      const overrides = JSON.parse(changed.text).skillOverrides ?? {}
      for (const name of Object.keys(switches)) {
        expect(Object.getOwnPropertyDescriptor(overrides, name)?.value).toBe('name-only')
      }
      expect(addSwitches(changed, OVERRIDES, switches, read)).toEqual(changed)
      expect(removeSwitches(changed, OVERRIDES, switches, read).text).toBe(text)
    }),
    { numRuns: 300 },
  )
})

it('adds names to a list and removes them without a trace, in any layout', () => {
  const others = fc.record(
    { model: fc.string(), disabledSkills: fc.uniqueArray(fc.constantFrom('mine', 'yours')) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(others, space, names, (json, indent, added) => {
      const text = `// mine\n${JSON.stringify(json, null, indent)}`
      const switches = as(
        'off',
        added.filter((name) => name !== 'mine' && name !== 'yours'),
      )
      const changed = addSwitches({ text, blanks: {} }, DISABLED, switches, read)
      const { disabledSkills = [] } = JSON.parse(changed.text.slice('// mine\n'.length))
      expect(disabledSkills).toEqual(expect.arrayContaining(Object.keys(switches)))
      expect(removeSwitches(changed, DISABLED, switches, read).text).toBe(text)
    }),
    { numRuns: 300 },
  )
})

it('adds tables to TOML and removes them without a trace, whatever stands before and after', () => {
  const before = fc.constantFrom(
    '',
    'model = "x"',
    'model = "x"\n',
    '[a]\nb = 1\n\n',
    '[[skills.config]]\r\nname = "mine"\r\nenabled = true\r\n',
  )
  const after = fc.constantFrom('', '[projects."/p"]\ntrust_level = "trusted"\n')
  fc.assert(
    fc.property(before, after, names, (text, later, added) => {
      const switches = as(
        'off',
        added.filter((name) => name !== 'mine'),
      )
      const changed = addSwitches({ text, blanks: {} }, TABLES, switches, read)
      const { skills = { config: [] } } = parse(changed.text) as {
        skills?: { config: { name: string; enabled: boolean }[] }
      }
      const off = skills.config.filter(({ enabled }) => !enabled).map(({ name }) => name)
      expect(off).toEqual(Object.keys(switches))
      expect(removeSwitches({ ...changed, text: changed.text + later }, TABLES, switches, read).text).toBe(text + later)
    }),
    { numRuns: 300 },
  )
})

it.each([
  ['{"skillOverrides": []}', OVERRIDES, '"skillOverrides" is a list, not an object'],
  ['{"disabledSkills": {}}', DISABLED, '"disabledSkills" is an object, not a list'],
  ['{"skillOverrides": {}, "skillOverrides": {}}', OVERRIDES, '"skillOverrides" is there twice'],
  ['[]', OVERRIDES, 'the file is a list, not an object'],
])('refuses %s', (text, setting, message) => {
  expect(() => addSwitches({ text, blanks: {} }, setting, { a: 'off' }, read)).toThrow(message)
})

it('a switch of the list keeps edits that the user made meanwhile', () => {
  const switches = as('name-only', ['a', 'b'])
  const { text, blanks } = addSwitches({ text: '{}\n', blanks: {} }, OVERRIDES, switches, read)
  const changed = text.replace('"a": "name-only"', '"a": "off"')
  const after = removeSwitches({ text: changed, blanks }, OVERRIDES, switches, read).text
  expect(JSON.parse(after)).toEqual({ skillOverrides: { a: 'off' } })
})
