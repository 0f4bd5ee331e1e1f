import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEEPEST_JSON, LONGEST_JSON, parseForeignJson, parseForeignJsonLines } from './json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('JSON of strangers', () => {
  const bad: [what: string, text: string, problem: string][] = [
    ['nothing', ' \n', 'it is empty'],
    ['too long', ' '.repeat(LONGEST_JSON + 1), `it is longer than ${LONGEST_JSON} characters`],
    ['prose', 'once upon', 'it is not valid JSON: see line 1, column 1'],
    ['a trailing comma', '{\n  "a": 1,\n}', 'it is not valid JSON: see line 3, column 1'],
    ['one level too many', nested(DEEPEST_JSON + 1), 'it is nested deeper than 64 levels'],
    ['a million open lists', '['.repeat(1_000_000), 'it is nested deeper than 64 levels'],
    ['a million open records', '{"a":'.repeat(1_000_000), 'it is nested deeper than 64 levels'],
    ['a string that never ends', '["[[[', 'it is not valid JSON: see line 1, column 2'],
  ]
  it.each(bad)('that is %s has a problem', (_, text, problem) => {
    expect(parseForeignJson(text)).toEqual({ problem })
  })

  const good: [what: string, text: string, value: unknown][] = [
    ['null', 'null', null],
    ['as deep as may be', nested(DEEPEST_JSON), JSON.parse(nested(DEEPEST_JSON))],
    ['brackets in strings', JSON.stringify(['['.repeat(200), '\\"['.repeat(200)]), undefined],
    ['siblings, which are not depth', JSON.stringify(Array(500).fill([])), undefined],
  ]
  it.each(good)('that is %s has a value', (_, text, value) => {
    expect(parseForeignJson(text)).toEqual({ value: value === undefined ? JSON.parse(text) : value })
  })

  it('is a list where each line is a value', () => {
    expect(parseForeignJsonLines('{"a":1}\n\n{"a":2}\n')).toEqual({ value: [{ a: 1 }, { a: 2 }] })
    expect(parseForeignJsonLines('{}\n{]\n')).toEqual({
      problem: 'it is not valid JSON: see line 2, column 2',
    })
  })

  it('is what JSON.parse says it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(parseForeignJson(text)).toEqual({ value: JSON.parse(text) })
      }),
    )
  })
})
