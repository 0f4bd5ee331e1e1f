import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeJson } from './merge-tree.ts'

describe('mergeJson', () => {
  const rows: [what: string, base: unknown, ours: unknown, theirs: unknown, value: unknown, conflicts?: string[]][] = [
    ['different keys', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    ['the same change', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
    ['the same key differently', { a: 1 }, { a: 2 }, { a: 3 }, { a: 2 }, ['a']],
    ['deep keys', { m: { x: 1 } }, { m: { x: 1, y: 2 } }, { m: { x: 3 } }, { m: { x: 3, y: 2 } }],
    ['a deep conflict', { m: { x: 1 } }, { m: { x: 2 } }, { m: { x: 3 } }, { m: { x: 2 } }, ['m.x']],
    ['removed there', { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }, { a: 1 }, { a: 1, c: 1 }],
    ['removed here, changed there', { a: 1 }, {}, { a: 2 }, {}, ['a']],
    ['lists grow on both sides', ['a'], ['a', 'b'], ['a', 'c'], ['a', 'b', 'c']],
    ['lists shrink on one side', ['a', 'b'], ['a', 'b', 'c'], ['b'], ['b', 'c']],
    ['lists of other things', [1], [1, 2], [1, 3], [1, 2], ['']],
    ['added alike in another order', {}, { m: { a: 1, b: 2 } }, { m: { b: 2, a: 1 } }, { m: { a: 1, b: 2 } }],
    ['a strange key', {}, JSON.parse('{"__proto__":1}'), { a: 1 }, JSON.parse('{"__proto__":1,"a":1}')],
  ]
  it.each(rows)('%s', (_, base, ours, theirs, value, conflicts = []) => {
    expect(mergeJson(base, ours, theirs)).toEqual({ value, conflicts })
  })

  it('gives the changed side when the other did not change', () => {
    const json = fc.jsonValue({ maxDepth: 2 })
    fc.assert(
      fc.property(json, json, (base, side) => {
        expect(mergeJson(base, side, base)).toEqual({ value: side, conflicts: [] })
        expect(mergeJson(base, base, side)).toEqual({ value: side, conflicts: [] })
      }),
    )
  })
})
