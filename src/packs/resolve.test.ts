import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shareBudget } from './resolve.ts'

it.each([
  [[100, 200], 1000, [100, 200]],
  [[3000, 200, 3000], 3000, [1400, 200, 1400]],
  [[3000, 3000], 1001, [500, 501]],
  [[5, 5], 0, [0, 0]],
  [[], 10, []],
])('%j in %i: %j', (needs, budget, shares) => expect(shareBudget(needs, budget)).toEqual(shares))

it('never gives more than the budget or the need, and leaves nothing that a pack needs', () => {
  const numbers = fc.array(fc.nat(5000), { maxLength: 6 })
  fc.assert(
    fc.property(numbers, fc.nat(10_000), (needs, budget) => {
      const shares = shareBudget(needs, budget)
      const given = shares.reduce((sum, share) => sum + share, 0)
      expect(given).toBe(
        Math.min(
          budget,
          needs.reduce((sum, need) => sum + need, 0),
        ),
      )
      expect(shares.every((share, at) => share <= (needs[at] ?? 0))).toBe(true)
    }),
  )
})
