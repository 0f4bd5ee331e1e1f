import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderLatest } from './control-summary.ts'

const dated = (path: string, line: string) => ({ path, text: `# Decision\n\n${line}\n\nBecause.\n` })

describe('the latest of some documents', () => {
  it('come by their date of promotion, then version, then name; undated ones last', () => {
    const files = [
      { path: 'd/decision_none_v9.md', text: 'no date' },
      dated('d/decision_b_v2.md', 'PromotedAt: 2026-02-20T00:00:00Z'),
      dated('d/decision_old_v9.md', 'PromotedAt: 2025-12-31T23:59:59Z'),
      dated('d/decision_a_v2.md', 'PromotedAt: 2026-02-20T00:00:00Z'),
      dated('d/decision_c_v10.md', 'PromotedAt: 2026-02-20T00:00:00Z'),
      { path: 'd/decision_none_v10.md', text: '' },
    ]
    expect(orderLatest(files)).toEqual([
      'd/decision_c_v10.md',
      'd/decision_a_v2.md',
      'd/decision_b_v2.md',
      'd/decision_old_v9.md',
      'd/decision_none_v10.md',
      'd/decision_none_v9.md',
    ])
  })

  it.each([
    'promoted_at: 2026-02-20',
    'promoted_at: "2026-02-20T08:00:00Z"',
    'promoted-at: 2026-02-20',
    '- PromotedAt: `2026-02-20T08:00:00Z`',
    '- **Promoted at:** 2026-02-20',
    '**Promotion date**: 2026-02-20 08:00',
    '> Date promoted: 20260220T080000Z',
    '"promoted_at": "2026-02-20",',
    '---\npromoted: 2026-02-20\n---',
    'Promoted: 2026-02-20T08:00:00.123+02:00',
    'Date: 2026-02-20',
    '\ufeffpromoted_at: 2026-02-20\r\nmore',
    'Date: 2020-01-01\nPromotedAt: 2026-02-20',
  ])('know a date stated as %j', (line) => {
    const files = [
      dated('before_v1.md', 'PromotedAt: 2026-02-19'),
      dated('this_v1.md', line),
      dated('after_v1.md', 'PromotedAt: 2026-02-21'),
    ]
    expect(orderLatest(files)).toEqual(['after_v1.md', 'this_v1.md', 'before_v1.md'])
  })

  it.each([
    'PromotedAt: 2026-02-30',
    'PromotedAt: 2026-13-01',
    'PromotedAt: 2026-00-00',
    'PromotedAt: 2026-02-20T25:00',
    'PromotedAt: yesterday',
    'PromotedAt:',
    'PromotedAt: 99999999999999',
    'It was promoted at last: 2026-02-20',
    `PromotedAt: 2026-02-20${' '.repeat(500)}`,
  ])('take %j for undated', (line) => {
    expect(orderLatest([dated('a_v9.md', line), dated('b_v1.md', 'PromotedAt: 1971-01-01')])).toEqual([
      'b_v1.md',
      'a_v9.md',
    ])
  })

  it('take a time without a zone for universal time, wherever they are ordered', () => {
    const files = [
      dated('a_v1.md', 'PromotedAt: 2026-02-20T12:00:00'),
      dated('b_v1.md', 'PromotedAt: 2026-02-20T12:00:00+00:30'),
      dated('c_v1.md', 'PromotedAt: 2026-02-20T12:00:00-00:30'),
    ]
    expect(orderLatest(files)).toEqual(['c_v1.md', 'a_v1.md', 'b_v1.md'])
  })

  it('compare versions as numbers of any length', () => {
    const names = ['a_v9.md', 'a_v010.md', 'a_v9007199254740993.md', 'a_v9007199254740992.md', 'a.md', 'a_v1_v11.md']
    expect(orderLatest(names.map((path) => ({ path, text: '' })))).toEqual([
      'a_v9007199254740993.md',
      'a_v9007199254740992.md',
      'a_v1_v11.md',
      'a_v010.md',
      'a_v9.md',
      'a.md',
    ])
  })

  it('are the same in whatever order they are found', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('date: 2026-01-01', 'PromotedAt: 2026-01-01', 'PromotedAt: x'))
    const files = fc.uniqueArray(fc.record({ path: fc.string(), text: line }), { selector: ({ path }) => path })
    fc.assert(
      fc.property(files, (given) => {
        expect(orderLatest([...given].reverse())).toEqual(orderLatest(given))
      }),
    )
  })
})
