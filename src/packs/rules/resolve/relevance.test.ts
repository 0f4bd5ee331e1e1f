import { expect, it } from 'vitest'
import { readTaskWords } from '../../../search/task-words.ts'
import { concerns } from './relevance.ts'

it.each([
  ['what does the K4 cost', 'KB-2 gives 20 hours of endurance.', false],
  ['what does the K4 cost', 'The K4 list price.', true],
  ['what does the K4 cost', 'Shipping firmware is 2.1. [source: sources/spec-sheet-k4.md#L13]', false],
  ['how long does the KB-2 battery last', 'KB-2 gives 20 hours of endurance.', true],
  ['and the for', 'Anything.', true],
])('%s: %s %s', (task, text, isAsked) => {
  const words = readTaskWords(task)
  expect(concerns({ words, rareWords: words }, text)).toBe(isAsked)
})
