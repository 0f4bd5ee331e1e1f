import fc from 'fast-check'
import { expect, it } from 'vitest'
import { breakLongLines } from './pack.ts'

it.each([
  ['a short text. It stays.\nAs it is.\n', 1],
  ['One sentence of a long line. '.repeat(100), 8],
  [`| ${'a cell of a table. '.repeat(300)}|`, 1],
  ['\u4e00\u4e8c\u4e09\u3002'.repeat(1000), 10],
  ['word'.repeat(1000), 1],
])('%#: paragraphs', (text, count) => {
  expect(breakLongLines(text).split('\n\n')).toHaveLength(count)
})

it('no word is lost or split, and broken lines are not broken again', () => {
  const sentence = fc.stringMatching(/^[A-Za-z ]{1,80}\.$/)
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 120 }), (sentences) => {
      const text = sentences.join(' ')
      const broken = breakLongLines(text)
      expect(broken.split(/\s+/)).toEqual(text.split(/\s+/))
      expect(breakLongLines(broken)).toBe(broken)
    }),
  )
})
