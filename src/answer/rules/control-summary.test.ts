import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summarizeJson } from './control-summary.ts'

describe('the summary of a JSON file', () => {
  const text = JSON.stringify({
    status: 'pass',
    counts: { open: 2, 'by.kind': { a: 1 } },
    entries: [{ id: 'first' }, { id: 'second' }],
    required: false,
    owner: null,
    note: 'two\nlines   and\tblanks',
    long: '\u{1f600}'.repeat(300),
  })

  it.each([
    ['status', 'pass'],
    ['counts.open', 2],
    ['counts.by.kind', 1],
    ['counts', 2],
    ['entries', 2],
    ['entries.1.id', 'second'],
    ['required', false],
    ['owner', null],
    ['note', 'two lines and blanks'],
    ['long', `${'\u{1f600}'.repeat(199)}\u2026`],
  ])('shows %s', (field, value) => {
    expect(summarizeJson(text, [field])).toEqual({ [field]: value })
  })

  it.each(['missing', 'status.length', 'entries.length', 'entries.9', 'counts.', '', '.', 'toString', '__proto__'])(
    'leaves out %j, which the file does not have',
    (field) => {
      expect(summarizeJson(text, [field])).toEqual({})
    },
  )

  it('keeps the order of the fields, and `__proto__` is one like others', () => {
    const summary = summarizeJson('\ufeff{"b": 1, "a": 2, "__proto__": 3}', ['b', '__proto__', 'a'])
    expect(Object.entries(summary ?? {})).toEqual([
      ['b', 1],
      ['__proto__', 3],
      ['a', 2],
    ])
  })

  it.each([
    ['nothing', ''],
    ['blanks', '  '],
    ['half an object', '{'],
    ['an object and more', '{"a": 1} x'],
    ['200,000 open lists', '[['.repeat(100_000)],
    ['no JSON', 'undefined'],
  ])('does not exist for %s', (_, broken) => {
    expect(summarizeJson(broken, ['a'])).toBeUndefined()
  })

  it('is empty for JSON that has no fields', () => {
    for (const json of ['1', '"text"', 'null', '[]']) expect(summarizeJson(json, ['a', 'length', '0'])).toEqual({})
  })

  it('never fails, and holds plain values only', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.array(fc.string()), (json, fields) => {
        for (const value of Object.values(summarizeJson(json, fields) ?? {})) {
          expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true)
        }
      }),
    )
  })
})
