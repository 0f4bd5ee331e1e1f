import { expect, test } from 'vitest'
import { confidenceOf } from './ranker.ts'

test.each([
  [0, 10, 0],
  [5, 0, 0],
  [1.6, 1, 0.5],
  [4.8, 9, 0.5],
])('score %d of %d: %d', (score, mass, expected) => {
  expect(confidenceOf(score, mass)).toBeCloseTo(expected, 6)
})

test('grows with the score', () => {
  const grown = [1, 2, 4, 8, 16].map((score) => confidenceOf(score, 20))
  expect(grown).toEqual(grown.toSorted((a, b) => a - b))
  expect(Math.max(...grown)).toBeLessThan(1)
})
