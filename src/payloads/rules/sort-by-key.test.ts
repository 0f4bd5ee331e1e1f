import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortByKey } from './match.ts'

it('sorts by key and keeps the order of equal ones', () => {
  const key = fc.oneof(fc.nat(5), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), fc.constantFrom(1, 30), (few, times) => {
      const keys = Uint32Array.from(Array.from({ length: times }, () => few).flat())
      const items = Uint32Array.from(keys.keys()).reverse()
      const expected = [...items].sort((a, b) => keys[a]! - keys[b]!)
      expect([...sortByKey(items.slice(), keys)]).toEqual(expected)
    }),
  )
})
