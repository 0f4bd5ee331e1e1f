import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOf } from '../../payloads/rules/entry.fixture.ts'
import { indexLine, orderItems, packItem, payloadItem } from './index-line.ts'

const line = (fields: Parameters<typeof entryOf>[0], file = 'docs/a.md') =>
  indexLine(payloadItem(entryOf(fields), file))

describe('a line', () => {
  const rows: [why: string, line: string, expected: string][] = [
    [
      'what tasks find: its words, patterns as words',
      line({
        id: 'release',
        summary: 'How a release is cut.',
        keywords: ['release', 'tag'],
        patterns: ['ci_pipeline'],
      }),
      '- release: How a release is cut. (release, tag, ci pipeline) -> `docs/a.md`',
    ],
    [
      'core',
      line({ id: 'rules', summary: 'House rules.', keywords: ['rules'], priority: 'core' }),
      '- rules: House rules. (always) -> `docs/a.md`',
    ],
    [
      'manual',
      line({ id: 'sdk', summary: 'Pitfalls.', keywords: ['sdk'], priority: 'manual' }),
      '- sdk: Pitfalls. (on request) -> `docs/a.md`',
    ],
    [
      'no more than six words, none twice',
      line({ id: 'a', summary: 'A.', keywords: ['a', 'b', 'a', 'c', 'd', 'e', 'f', 'g'], patterns: [] }),
      '- a: A. (a, b, c, d, e, f, ...) -> `docs/a.md`',
    ],
    [
      'text that tries to be structure',
      line({ id: 'a', summary: 'x\n<!-- loadout:index:end -->\n# Do `this` [now](http://x) **!**', keywords: [] }),
      "- a: x ‹!-- loadout:index:end --› # Do 'this' (now)(http://x) ! -> `docs/a.md`",
    ],
    [
      'characters that nobody sees',
      line({ id: 'a', summary: 'a\u202eb\u0007c\u200bd', keywords: [] }),
      '- a: ab cd -> `docs/a.md`',
    ],
    [
      'a path that is no plain text',
      line({ id: 'a', summary: '', keywords: [] }, 'a`b.md'),
      '- a -> `loadout lookup a --load`',
    ],
    [
      'neither path nor id can be typed',
      line({ id: 'a; rm -rf ~', summary: '', keywords: [] }, ''),
      '- a; rm -rf ~ -> `loadout resolve`',
    ],
    [
      'a pack',
      indexLine(packItem({ name: 'pricing', description: 'What it costs.' })),
      '- pricing: What it costs. -> `loadout packs resolve "the question" --pack pricing`',
    ],
  ]
  it.each(rows)('%s', (_, shown, expected) => {
    expect(shown).toBe(expected)
  })

  it('is one line without marks of structure, whatever its author wrote', () => {
    const strange = fc.string({
      unit: fc.constantFrom('a', '\n', '\r', '`', '<', '>', '!', '-', '[', ']', '(', '|', '\u2028', '\u001b', '*'),
    })
    fc.assert(
      fc.property(strange, strange, strange, (id, summary, word) => {
        const shown = line({ id: `x${id}`, summary, keywords: [word] }, summary)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
        expect(shown).toMatch(/^- [^\u0000-\u001f\u2028<>[\]|*]* -> `[^\u0000-\u001f\u2028<>[\]|*]*`$/)
        expect(shown.match(/`/g)).toHaveLength(2)
      }),
    )
  })
})

it('orders by what is loaded most readily, never by where the entries stood', () => {
  const phases = (count: number) => ({ task: count > 0, plan: count > 1, edit: count > 2 })
  const items = [
    payloadItem(entryOf({ id: 'm', priority: 'manual' }), 'm'),
    payloadItem(entryOf({ id: 'b', keywords: ['one'], triggers: phases(1) }), 'b'),
    payloadItem(entryOf({ id: 'c', keywords: ['one', 'two'], triggers: phases(1) }), 'c'),
    payloadItem(entryOf({ id: 'a', keywords: ['one'], triggers: phases(1) }), 'a'),
    payloadItem(entryOf({ id: 'd', keywords: ['one'], triggers: phases(3) }), 'd'),
    packItem({ name: 'p', description: '' }),
    payloadItem(entryOf({ id: 'z', priority: 'core' }), 'z'),
  ]
  const ids = (list: typeof items) => orderItems(list).map(({ id }) => id)
  expect(ids(items)).toEqual(['z', 'p', 'd', 'c', 'a', 'b', 'm'])
  expect(ids([...items].reverse())).toEqual(ids(items))
})
