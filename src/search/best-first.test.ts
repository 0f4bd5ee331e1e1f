import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestFirst } from './ranker.ts'

test('yields what sorting yields', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (items) => {
      expect([...bestFirst(items, (a, b) => a < b)]).toEqual(items.toSorted((a, b) => a - b))
    }),
  )
})
