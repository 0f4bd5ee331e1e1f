import { expect, test } from 'vitest'
import { Lexicon } from './analyze.ts'

test('a term and a pair keep their numbers and texts', () => {
  const lexicon = new Lexicon()
  const [pull, request] = [lexicon.numberOf('pull'), lexicon.numberOf('request')]
  const pair = lexicon.numberOfPair(pull, request)
  expect([lexicon.numberOf('pull'), lexicon.numberOfPair(pull, request)]).toEqual([pull, pair])
  expect([pull, request, pair].map((number) => lexicon.textOf(number))).toEqual(['pull', 'request', 'pull request'])
})

test('many pairs stay apart while the table grows', () => {
  const lexicon = new Lexicon()
  const words = Array.from({ length: 120 }, (_, i) => lexicon.numberOf(`w${i}`))
  const numbers = words.flatMap((first) => words.map((second) => lexicon.numberOfPair(first, second)))
  expect(new Set(numbers).size).toBe(120 * 120)
  expect(lexicon.size).toBe(120 + 120 * 120)
  expect(words.flatMap((first) => words.map((second) => lexicon.numberOfPair(first, second)))).toEqual(numbers)
  expect(lexicon.textOf(lexicon.numberOfPair(words[7]!, words[119]!))).toBe('w7 w119')
})

test('ids of parts lead to the same numbers as their terms, in whatever order they come', () => {
  const lexicon = new Lexicon()
  const numbers = [5, 90_000, 5, 3, -1].map((id) => lexicon.numberOf(`w${id}`, id))
  expect(numbers).toEqual([0, 1, 0, 2, 3])
  expect(['w5', 'w90000', 'w3', 'w-1'].map((term) => lexicon.numberOf(term))).toEqual([0, 1, 2, 3])
})
