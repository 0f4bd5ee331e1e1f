import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAnswer } from './teach-exchange.ts'

const isKnown = (id: string) => id === 'notes'
const item = (id: string, prompts: string[], negatives: string[] = []) => ({ id, prompts, negatives })

describe('an answer', () => {
  it.each([
    [
      'one object a line',
      '{"id":"skill:a","prompts":["p q"]}\n{"id":"skill:b","prompts":["r s"],"not":["t u"]}',
      [item('skill:a', ['p q']), item('skill:b', ['r s'], ['t u'])],
    ],
    [
      'with prose and fences',
      'Sure [1]! Here {as asked}:\n```json\n{"id":"a","prompts":["p q"]}\n```\nDone.',
      [item('a', ['p q'])],
    ],
    [
      'as a list over several lines',
      JSON.stringify([{ name: 'a', kind: 'skill', examples: ['p q'] }], null, 2),
      [item('skill:a', ['p q'])],
    ],
    ['as a list below a key', '{"entries":[{"id":"a","prompts":["p q"]}]}', [item('a', ['p q'])]],
    [
      'as a map',
      '{"skill:a":["p q"],"b":{"prompts":["r s"],"not":["t u"]}}',
      [item('skill:a', ['p q']), item('b', ['r s'], ['t u'])],
    ],
    [
      'one prompt a line',
      '{"id":"a","prompt":"p q"}\n{"id":"a","prompt":"r s","not":true}',
      [item('a', ['p q']), item('a', [], ['r s'])],
    ],
    [
      'with prompts as objects',
      '{"id":"a","prompts":[{"prompt":"p q"},{"text":"r s"},7]}',
      [item('a', ['p q', 'r s', ''])],
    ],
    ['with a comma too many', '{"id":"a","prompts":["p q",],}', [item('a', ['p q'])]],
    [
      'with braces in a prompt',
      '{"id":"a","prompts":["why does {x} ] break \\" here"]}',
      [item('a', ['why does {x} ] break " here'])],
    ],
    [
      'as Markdown',
      '# Prompts\n\n- not this\n\n## skill:a\n\n- "p q"\n* r s\n1. t u\n- not: v w\n\n### `notes` (2)\n- x y\n',
      [item('skill:a', ['p q', 'r s', 't u'], ['v w']), item('notes', ['x y'])],
    ],
    ['that was only asked', '{"id":"skill:a","description":"d","wanted":10}', []],
    ['as prose', 'I am sorry, I cannot do that.\n\n- first\n- second', []],
    ['that is empty', '', []],
  ])('%s', (_, text, items) => {
    expect(readAnswer(text, isKnown)).toEqual({ items, problems: [] })
  })

  it('loses only what is broken', () => {
    const text = '{"id":"a","prompts":["p q"]}\n{"id":"b, "prompts":["r s"]}\n{"id":"c","prompts":["t u"]}'
    const { items, problems } = readAnswer(text, isKnown)
    expect(items.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(problems).toEqual([{ line: 2, problem: 'it is not valid JSON' }])
  })

  it('of a list that was cut off keeps what is whole', () => {
    const { items } = readAnswer('[{"id":"a","prompts":["p q"]},\n{"id":"b","prompts":["r', isKnown)
    expect(items).toEqual([item('a', ['p q'])])
  })

  it('of any text is read without an error', () => {
    const odd = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', '\n', ':', ',', 'id', '"id":"a"', '- x', '# notes'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          odd.map((parts) => parts.join('')),
        ),
        (text) => void readAnswer(text, isKnown),
      ),
    )
  })

  it('of brackets that never close is given up', () => {
    const { problems } = readAnswer('['.repeat(200_000), isKnown)
    expect(problems).toMatchObject([{ problem: /do not close/ }].map(() => ({ line: 1 })))
  })
})
