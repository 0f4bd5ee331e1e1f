import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSettings, SETTINGS } from './settings-shape.ts'

const intent = (more: object) => ({ intents: { a: { keywords: ['a'], include: ['a.md'], ...more } } })
const adapter = (more: object) => ({ adapters: [{ id: 'a', ...more }] })

describe('a mistake in loadout.json', () => {
  it.each<[unknown, string]>([
    [[], 'it must be a JSON object, but is a list'],
    [null, 'it must be a JSON object, but is null'],
    [{ payload: [] }, 'unknown setting "payload"; did you mean "payloads"?'],
    [{ xyzzy: 1 }, 'unknown setting "xyzzy"'],
    [JSON.parse('{"__proto__": {}}'), 'unknown setting "__proto__"'],
    [{ payloads: 'a' }, '"payloads" must be a list, but is "a"'],
    [{ payloads: ['a', 1] }, '"payloads[1]" must be a text, but is 1'],
    [{ payloads: ['../a'] }, '"payloads[0]" is refused: it leaves its root'],
    [{ routing: { strategy: 'best' } }, '"routing.strategy" must be one of keywords, ranked, but is "best"'],
    [{ routing: { strateg: 'ranked' } }, 'unknown setting "routing.strateg"; did you mean "routing.strategy"?'],
    [{ preset: 'x' }, '"preset" must be one of cortex, generic, but is "x"'],
    [{ controlPlane: {} }, '"controlPlane" must be a list, but is an object'],
    [{ controlPlane: [7] }, '"controlPlane[0]" must be a path, a glob or an object, but is 7'],
    [{ controlPlane: ['/etc/passwd'] }, '"controlPlane[0]" is refused: it is absolute'],
    [{ controlPlane: ['**/*'] }, '"controlPlane[0]" is refused: it matches everything: name a folder or an ending'],
    [{ controlPlane: [{}] }, '"controlPlane[0]" needs one of "path" and "glob"'],
    [{ controlPlane: [{ path: 'a', glob: 'b' }] }, '"controlPlane[0]" needs only one of "path" and "glob"'],
    [{ controlPlane: [{ path: '*.md' }] }, '"controlPlane[0].path" is refused: it is a glob; use a single path'],
    [{ controlPlane: [{ glob: '../*' }] }, '"controlPlane[0].glob" is refused: it leaves its root'],
    [{ controlPlane: [{ glob: 'a/*', take: 0 }] }, '"controlPlane[0].take" must be at least 1, but is 0'],
    [{ controlPlane: [{ glob: 'a/*', take: 1.5 }] }, '"controlPlane[0].take" must be a whole number, but is 1.5'],
    [
      { controlPlane: [{ glob: 'a/*', order: 'new' }] },
      '"controlPlane[0].order" must be one of path, latest, but is "new"',
    ],
    [
      { controlPlane: [{ path: 'a', require: true }] },
      'unknown setting "controlPlane[0].require"; did you mean "controlPlane[0].required"?',
    ],
    [
      { controlPlane: [{ path: 'a', required: 'yes' }] },
      '"controlPlane[0].required" must be true or false, but is "yes"',
    ],
    [{ controlPlane: [{ path: 'a', summary: [''] }] }, '"controlPlane[0].summary[0]" must be not empty, but is ""'],
    [{ intents: [] }, '"intents" must be an object, but is a list'],
    [
      { intents: { '1': { include: [] } } },
      '"intents.1" is not a valid name: use letters, digits, - and _, a letter first, 64 at most',
    ],
    [
      JSON.parse('{"intents": {"__proto__": {"include": []}}}'),
      '"intents.__proto__" is not a valid name: use letters, digits, - and _, a letter first, 64 at most',
    ],
    [intent({ keywords: undefined }), '"intents.a" needs "keywords"; only "default" goes without'],
    [intent({ keywords: [] }), '"intents.a" needs "keywords"; only "default" goes without'],
    [intent({ keywords: ['?!'] }), '"intents.a.keywords[0]" is refused: it contains no word'],
    [intent({ include: undefined }), '"intents.a.include" must be a list, but is missing'],
    [
      intent({ include: ['**'] }),
      '"intents.a.include[0]" is refused: it matches everything: name a folder or an ending',
    ],
    [intent({ includes: [] }), 'unknown setting "intents.a.includes"; did you mean "intents.a.include"?'],
    [{ tactical: {} }, '"tactical.path" must be a text, but is missing'],
    [{ tactical: { path: '../n.jsonl' } }, '"tactical.path" is refused: it leaves its root'],
    [{ adapters: [{ file: 'a' }] }, '"adapters[0].id" must be a text, but is missing'],
    [
      { adapters: [{ id: 'a b', file: 'a' }] },
      '"adapters[0].id" must be letters, digits, ".", "-" and "_", 64 at most, but is "a b"',
    ],
    [
      {
        adapters: [
          { id: 'a', file: 'a' },
          { id: 'a', file: 'b' },
        ],
      },
      '"adapters" has "a" twice',
    ],
    [adapter({}), '"adapters[0]" needs one of "file" and "command"'],
    [adapter({ file: 'a', command: ['b'] }), '"adapters[0]" needs only one of "file" and "command"'],
    [adapter({ command: 'b --json' }), '"adapters[0].command" must be a list, but is "b --json"'],
    [adapter({ command: [] }), '"adapters[0].command" must be not empty, but is a list'],
    [adapter({ command: [''] }), '"adapters[0].command" is refused: it has no program'],
    [adapter({ file: 'a', timeoutMs: 1e9 }), '"adapters[0].timeoutMs" must be at most 60000, but is 1000000000'],
    [
      adapter({ file: 'a', timeout: 1 }),
      'unknown setting "adapters[0].timeout"; did you mean "adapters[0].timeoutMs"?',
    ],
    [{ budget: { maxFiles: -1 } }, '"budget.maxFiles" must be at least 0, but is -1'],
    [{ budget: { maxFiles: '12' } }, '"budget.maxFiles" must be a number, but is "12"'],
    [{ budget: { maxChars: 1, maxTokens: 1 } }, '"budget" needs only one of "maxChars" and "maxTokens"'],
    [
      { budget: { partitions: { task: 60 } } },
      '"budget.partitions" must sum to at most 100, but is 110, defaults included: controlPlane 30, task 60, tactical 10, adapter 10',
    ],
    [{ budget: { partitions: { task: -1 } } }, '"budget.partitions.task" must be at least 0, but is -1'],
    [
      { budget: { partitions: { tasks: 1 } } },
      'unknown setting "budget.partitions.tasks"; did you mean "budget.partitions.task"?',
    ],
    [{ sanitize: 'hide' }, '"sanitize" must be one of warn, mask, drop, but is "hide"'],
  ])('%j: %s', (json, problem) => {
    expect(checkSettings(json).problems.map(({ says }) => says)).toEqual([problem])
  })

  it('does not hide another', () => {
    expect(checkSettings({ a: 1, budget: { b: 1 }, sanitize: 1 }).problems).toHaveLength(3)
  })

  it('is found in any JSON without failing', () => {
    const keys = fc.constantFrom(
      ...Object.keys(SETTINGS.keys),
      'path',
      'glob',
      'keywords',
      'include',
      'default',
      '__proto__',
      'x',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        fc.constantFrom('**', '../x', 'a.md'),
        tie('list'),
        tie('record'),
      ),
      list: fc.array(tie('value'), { maxLength: 3 }),
      record: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(value, (json) => {
        const { file, problems } = checkSettings(json)
        // Whatever is left of a file is without a mistake.
        expect(checkSettings(file)).toEqual({ file, problems: [] })
        if (problems.length === 0) expect(file).toBe(json)
      }),
    )
  })
})

describe('a part of loadout.json', () => {
  it.each<[isGood: boolean, json: unknown]>([
    [true, {}],
    [true, { $schema: './node_modules/loadout/schema/loadout.schema.json' }],
    [true, { payloads: [] }],
    [true, { payloads: ['a/**/*.md', '**/*.md', '{a,b}/*.md'] }],
    [true, { routing: {} }],
    [true, { routing: { strategy: 'ranked' } }],
    [true, { payloads: ['a.md'], routing: { strategy: 'keywords' }, preset: 'generic', budget: {}, sanitize: 'warn' }],
    [false, { $schema: 1 }],
    [false, { payloads: null }],
    [false, { payloads: 'a.md' }],
    [false, { payloads: {} }],
    [false, { payloads: ['a', null] }],
    [false, { payloads: [''] }],
    [false, { payloads: ['/a'] }],
    [false, { payloads: ['a/../b'] }],
    [false, { payloads: ['{a,..}/b'] }],
    [false, { payloads: ['**'] }],
    [false, { payloads: ['a\\b'] }],
    [false, { routing: null }],
    [false, { routing: [] }],
    [false, { routing: 'ranked' }],
    [false, { routing: { strategy: null } }],
    [false, { routing: { strategy: 'Ranked' } }],
    [false, { routing: { strategies: 'ranked' } }],
    [false, { Payloads: [] }],
    [false, JSON.parse('{"__proto__": 1}')],
    [false, []],
    [false, 'x'],
    [false, null],
  ])('is good or not: %s for %j', (isGood, json) => {
    expect(checkSettings(json).problems.length === 0).toBe(isGood)
  })

  const good = { payloads: ['a.md'], routing: { strategy: 'ranked' }, budget: { maxFiles: 1 } }
  it.each<[more: object, left: object, parts: string[]]>([
    [{ adapters: [{ id: 'a' }] }, good, ['adapters']],
    [{ intents: { a: { include: [1] } } }, good, ['intents']],
    [{ budget: { maxFile: 1 } }, { payloads: good.payloads, routing: good.routing }, ['budget']],
    [{ payload: [] }, good, ['payload']],
    [{ santize: 'drop' }, good, ['sanitize']],
    [{ xyzzy: 1 }, good, ['xyzzy']],
    [{ routing: 7, payloads: 8 }, { budget: good.budget }, ['payloads', 'routing']],
  ])('with a mistake costs only itself: %j', (more, left, parts) => {
    const { file, problems } = checkSettings({ ...good, ...more })
    expect(file).toEqual(left)
    expect(problems.map(({ part }) => part)).toEqual(parts)
  })
})
