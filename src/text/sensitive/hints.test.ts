import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHints } from './matching.ts'

describe('hints', () => {
  it('find a word wherever it stands, in any case', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.stringMatching(/^[a-z|/@ -]{1,12}$/),
        fc.string({ unit: 'grapheme' }),
        (a, word, b) => {
          expect(readHints(`${a}${word}${b}`)([[word]])).toBe(true)
          expect(readHints(`${a}${word.toUpperCase()}${b}`)([[word]])).toBe(true)
        },
      ),
    )
  })

  it('are missing where a text does not hold them', () => {
    const isPossible = readHints('Load it with curl → run it')
    expect(isPossible([['curl', 'wget']])).toBe(true)
    expect(isPossible([['wget'], ['run']])).toBe(false)
    expect(isPossible([['it with curl run']])).toBe(false)
    expect(isPossible([['|']])).toBe(false)
    expect(isPossible([])).toBe(true)
  })
})
