import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHints } from './matching.ts'
import { literalsOf, TOKEN_SHAPES } from './token-shapes.ts'

describe('what every token of a shape holds', () => {
  it.each([
    ['sk-ant-[\\w-]{20,255}', ['sk-ant-']],
    ['AT(?:ATT|CTT)3[\\w=-]{20,400}', ['at']],
    ['AIza[\\w-]{35}|ya29\\.[\\w-]{20,255}', ['aiza', 'ya29.']],
    ['A{22}[A-Za-z0-9%]{80,100}', ['']],
    ['(?:xoxe\\.)?xox[a-b]-\\d', ['xox']],
  ])('%s', (shape, expected) => {
    expect(literalsOf(shape)).toEqual(expected)
  })

  it.each(TOKEN_SHAPES.map(([name, shape]) => [name, shape]))('is found in %s %s', (_, shape) => {
    const token = fc.stringMatching(new RegExp(`^(?:${shape.replace(/\(\?!.*?\)/, '')})$`))
    fc.assert(
      fc.property(token, (text) => readHints(text)([literalsOf(shape)])),
      { numRuns: 10 },
    )
  })
})
