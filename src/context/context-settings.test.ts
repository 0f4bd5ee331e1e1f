import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parseSettings, SETTINGS_KEYS } from '../machine/settings.ts'
import { readContextSettings } from './context-settings.ts'
import { parseSettingsFile } from './disk/settings-problems.ts'
import { settingsSchema } from './disk/settings-schema.ts'
import { CORTEX, DEFAULT_BUDGET, GENERIC } from './rules/presets.ts'

const root = mkdtempSync(join(tmpdir(), 'loadout-settings-'))
afterAll(() => rmSync(root, { recursive: true }))
let count = 0

function project(files: Record<string, string>): string {
  const folder = join(root, String(++count))
  mkdirSync(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const withSettings = (settings: unknown, files = {}) =>
  readContextSettings(project({ 'loadout.json': JSON.stringify(settings), ...files }))

const MANIFEST = { '.cortex/manifest_v0.json': '{}' }

describe('context settings', () => {
  it('come from the preset that fits the project', () => {
    expect(readContextSettings(project({}))).toEqual(GENERIC)
    expect(readContextSettings(project(MANIFEST))).toEqual(CORTEX)
    expect(readContextSettings(project({ '.cortex/manifest_v0.json/x': '' }))).toEqual(GENERIC)
    expect(withSettings({}, MANIFEST)).toEqual(CORTEX)
    expect(withSettings({ preset: 'generic' }, MANIFEST)).toEqual(GENERIC)
    expect(withSettings({ preset: 'cortex' })).toEqual(CORTEX)
  })

  it('name the project when it has a control plane or intents of its own', () => {
    expect(withSettings({ controlPlane: [] }).preset).toBe('project')
    expect(withSettings({ intents: {} }).preset).toBe('project')
    expect(withSettings({ budget: { maxFiles: 3 } }).preset).toBe('generic')
  })

  it('take a control plane in its order, a text for a path or a glob', () => {
    const controlPlane = [
      'STATE.md',
      'notes (old).md',
      'adr/*.md',
      { path: 'a.json', required: true, summary: ['status'] },
      { glob: 'd/*_v*.md', take: 3, order: 'latest' },
    ]
    expect(withSettings({ controlPlane }).controlPlane).toEqual([
      { pattern: 'STATE.md', isRequired: false, take: 1, order: 'path', summary: [] },
      { pattern: 'notes (old).md', isRequired: false, take: 1, order: 'path', summary: [] },
      { pattern: 'adr/*.md', isRequired: false, take: 12, order: 'path', summary: [] },
      { pattern: 'a.json', isRequired: true, take: 1, order: 'path', summary: ['status'] },
      { pattern: 'd/*_v*.md', isRequired: false, take: 3, order: 'latest', summary: [] },
    ])
  })

  it('put the default intent last, and take it from the preset when there is none', () => {
    const own = {
      default: { include: ['x.md'] },
      z: { keywords: ['z'], include: ['z/*'] },
      a: { keywords: ['a'], include: [] },
    }
    expect(withSettings({ intents: own }).intents).toEqual([
      { key: 'z', keywords: ['z'], include: ['z/*'] },
      { key: 'a', keywords: ['a'], include: [] },
      { key: 'default', keywords: [], include: ['x.md'] },
    ])
    expect(withSettings({ intents: { z: own.z } }).intents).toEqual([
      { key: 'z', keywords: ['z'], include: ['z/*'] },
      GENERIC.intents.at(-1),
    ])
  })

  it('complete notes, adapters and the policy', () => {
    const adapters = [
      { id: 'a', file: 'a.json', maxItems: 5 },
      { id: 'b', command: ['b', '--json'] },
    ]
    expect(withSettings({ tactical: { path: 'notes.jsonl' }, sanitize: 'drop', adapters })).toMatchObject({
      tactical: { path: 'notes.jsonl' },
      sanitize: 'drop',
      adapters: [
        { id: 'a', file: 'a.json', command: undefined, maxItems: 5, staleAfterSeconds: 86_400, timeoutMs: 2000 },
        {
          id: 'b',
          file: undefined,
          command: ['b', '--json'],
          maxItems: 20,
          staleAfterSeconds: 86_400,
          timeoutMs: 2000,
        },
      ],
    })
  })

  it.each([
    [{}, {}],
    [{ maxFiles: 2 }, { maxFiles: 2, maxChars: 5000 }],
    [
      { maxFiles: 2, maxCharsPerFile: 10 },
      { maxFiles: 2, maxCharsPerFile: 10, maxChars: 20 },
    ],
    [{ maxChars: 0 }, { maxChars: 0 }],
    [{ maxTokens: 100 }, { maxTokens: 100, maxChars: 400 }],
    [{ partitions: { task: 0 } }, { partitions: { controlPlane: 30, task: 0, tactical: 10, adapter: 10 } }],
  ])('complete the budget %j', (given, expected) => {
    expect(withSettings({ budget: given }).budget).toEqual({ ...DEFAULT_BUDGET, ...expected })
  })

  it('are refused with the file, the place and the number of mistakes', () => {
    expect(() => withSettings({ budget: { maxFile: 1 }, sanitize: 'x' })).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTINGS',
        message: expect.stringMatching(
          /loadout\.json: there is no setting "budget\.maxFile"; did you mean "budget\.maxFiles"\? \(and 1 more\)$/,
        ),
      }),
    )
    expect(() => readContextSettings(project({ 'loadout.json': '{' }))).toThrow(
      expect.objectContaining({ code: 'BAD_JSON' }),
    )
  })
})

const intent = (more: object) => ({ intents: { a: { keywords: ['a'], include: ['a.md'], ...more } } })
const adapter = (more: object) => ({ adapters: [{ id: 'a', ...more }] })

describe('a mistake in loadout.json', () => {
  it.each<[unknown, string]>([
    [[], 'it must be a JSON object, but is a list'],
    [null, 'it must be a JSON object, but is null'],
    [{ payload: [] }, 'there is no setting "payload"; did you mean "payloads"?'],
    [{ xyzzy: 1 }, 'there is no setting "xyzzy"'],
    [JSON.parse('{"__proto__": {}}'), 'there is no setting "__proto__"'],
    [{ payloads: 'a' }, '"payloads" must be a list, but is "a"'],
    [{ payloads: ['a', 1] }, '"payloads[1]" must be a text, but is 1'],
    [{ payloads: ['../a'] }, '"payloads[0]" is refused: it leaves its root'],
    [{ routing: { strategy: 'best' } }, '"routing.strategy" must be one of keywords, ranked, but is "best"'],
    [{ routing: { strateg: 'ranked' } }, 'there is no setting "routing.strateg"; did you mean "routing.strategy"?'],
    [{ preset: 'x' }, '"preset" must be one of cortex, generic, but is "x"'],
    [{ controlPlane: {} }, '"controlPlane" must be a list, but is an object'],
    [{ controlPlane: [7] }, '"controlPlane[0]" must be a path, a glob or an object, but is 7'],
    [{ controlPlane: ['/etc/passwd'] }, '"controlPlane[0]" is refused: it is absolute'],
    [{ controlPlane: ['**/*'] }, '"controlPlane[0]" is refused: it matches everything: name a folder or an ending'],
    [{ controlPlane: [{}] }, '"controlPlane[0]" needs one of "path" and "glob"'],
    [{ controlPlane: [{ path: 'a', glob: 'b' }] }, '"controlPlane[0]" needs only one of "path" and "glob"'],
    [
      { controlPlane: [{ path: '*.md' }] },
      '"controlPlane[0].path" is refused: it is a glob, but one path is asked for',
    ],
    [{ controlPlane: [{ glob: '../*' }] }, '"controlPlane[0].glob" is refused: it leaves its root'],
    [{ controlPlane: [{ glob: 'a/*', take: 0 }] }, '"controlPlane[0].take" must be at least 1, but is 0'],
    [{ controlPlane: [{ glob: 'a/*', take: 1.5 }] }, '"controlPlane[0].take" must be a whole number, but is 1.5'],
    [
      { controlPlane: [{ glob: 'a/*', order: 'new' }] },
      '"controlPlane[0].order" must be one of path, latest, but is "new"',
    ],
    [
      { controlPlane: [{ path: 'a', require: true }] },
      'there is no setting "controlPlane[0].require"; did you mean "controlPlane[0].required"?',
    ],
    [
      { controlPlane: [{ path: 'a', required: 'yes' }] },
      '"controlPlane[0].required" must be true or false, but is "yes"',
    ],
    [{ controlPlane: [{ path: 'a', summary: [''] }] }, '"controlPlane[0].summary[0]" must be not empty, but is ""'],
    [{ intents: [] }, '"intents" must be an object, but is a list'],
    [
      { intents: { '1': { include: [] } } },
      '"intents.1" is no name: use letters, digits, - and _, a letter first, 64 at most',
    ],
    [
      JSON.parse('{"intents": {"__proto__": {"include": []}}}'),
      '"intents.__proto__" is no name: use letters, digits, - and _, a letter first, 64 at most',
    ],
    [intent({ keywords: undefined }), '"intents.a" needs "keywords"; only "default" goes without'],
    [intent({ keywords: [] }), '"intents.a" needs "keywords"; only "default" goes without'],
    [intent({ keywords: ['?!'] }), '"intents.a.keywords[0]" is refused: it holds no word'],
    [intent({ include: undefined }), '"intents.a.include" must be a list, but is missing'],
    [
      intent({ include: ['**'] }),
      '"intents.a.include[0]" is refused: it matches everything: name a folder or an ending',
    ],
    [intent({ includes: [] }), 'there is no setting "intents.a.includes"; did you mean "intents.a.include"?'],
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
    [adapter({ command: [''] }), '"adapters[0].command" is refused: it names no program'],
    [adapter({ file: 'a', timeoutMs: 1e9 }), '"adapters[0].timeoutMs" must be at most 60000, but is 1000000000'],
    [
      adapter({ file: 'a', timeout: 1 }),
      'there is no setting "adapters[0].timeout"; did you mean "adapters[0].timeoutMs"?',
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
      'there is no setting "budget.partitions.tasks"; did you mean "budget.partitions.task"?',
    ],
    [{ sanitize: 'hide' }, '"sanitize" must be one of warn, mask, drop, but is "hide"'],
  ])('%j: %s', (json, problem) => {
    expect(parseSettingsFile(json)).toEqual({ problems: [problem] })
  })

  it('does not hide another', () => {
    expect(parseSettingsFile({ a: 1, budget: { b: 1 }, sanitize: 1 }).problems).toHaveLength(3)
  })

  it('of many, or with an endless name, is told in bounds', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, at]))
    const { problems = [] } = parseSettingsFile(many)
    expect([problems.length, problems.at(-1)]).toEqual([51, 'there are 950 more like these'])
    expect(parseSettingsFile({ ['x'.repeat(1e6)]: 1 }).problems?.join('').length).toBeLessThan(100)
  })

  it('is found in any JSON without failing', () => {
    const keys = fc.constantFrom(...SETTINGS_KEYS, 'path', 'glob', 'keywords', 'include', 'default', '__proto__', 'x')
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
        const { problems } = parseSettingsFile(json)
        if (problems !== undefined) expect(problems.length).toBeGreaterThan(0)
      }),
    )
  })
})

/** The reader that every plan starts with, and the whole schema. */
describe('both readers of loadout.json', () => {
  it('know the same keys', () => {
    expect(Object.keys(settingsSchema.shape)).toEqual([...SETTINGS_KEYS])
  })

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
  ])('agree: %s for %j', (isGood, json) => {
    const reads = (read: () => unknown) => {
      try {
        read()
        return true
      } catch {
        return false
      }
    }
    expect(parseSettingsFile(json).problems === undefined).toBe(isGood)
    expect(reads(() => parseSettings(json, 'loadout.json'))).toBe(isGood)
  })
})
