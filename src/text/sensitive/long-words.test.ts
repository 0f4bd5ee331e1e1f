import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lettersOf, longWords } from './matching.ts'

describe('long words', () => {
  it('are those that a pattern finds', () => {
    const text = fc.array(fc.constantFrom('a', 'b9', '-', ' ', '\n', 'é', '→', 'abcdefgh'), { maxLength: 60 })
    fc.assert(
      fc.property(
        text.map((parts) => parts.join('')),
        fc.integer({ min: 1, max: 9 }),
        (read, shortest) => {
          const pattern = new RegExp(`[a-z0-9-]{${shortest},}`, 'g')
          const expected = [...read.matchAll(pattern)].map(({ 0: word, index }) => [index, index + word.length])
          expect([...longWords(read, lettersOf(/[a-z0-9-]/), shortest)]).toEqual(expected)
        },
      ),
    )
  })
})
