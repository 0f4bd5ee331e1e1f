import { expect, test } from 'vitest'
import { stemWord } from './word-lists.ts'

test.each([
  ['tests', 'testing', 'tested'],
  ['deploy', 'deploys', 'deployed', 'deploying', 'deployment'],
  ['policy', 'policies'],
  ['migrate', 'migrates', 'migrating', 'migration', 'migrations'],
  ['configure', 'configuration', 'configuring'],
  ['generate', 'generator', 'generation'],
  ['optimize', 'optimizing', 'optimization', 'optimise', 'optimised', 'optimisation'],
  ['promise', 'promises', 'promised', 'promising'],
  ['analyze', 'analysis', 'analyses', 'analyzing'],
  ['run', 'runs', 'running', 'ran'],
  ['library', 'libraries'],
  ['hope', 'hoping'],
  ['failure', 'fails', 'failed'],
  ['expiry', 'expires', 'expiration'],
])('%s and its forms share a stem', (...words) => {
  expect(new Set(words.map(stemWord)).size).toBe(1)
})

test.each([
  ['hop', 'hope'],
  ['new', 'news'],
  ['universe', 'unite'],
  ['test', 'text'],
])('%s and %s stay apart', (one, other) => {
  expect(stemWord(one)).not.toBe(stemWord(other))
})

test.each(['', 'a', 'is', 'c++', 'привет', 'utf8', 'sky', 'press'])('%j is left alone', (word) => {
  expect(stemWord(word)).toBe(word)
})

test('a run of y ends', () => {
  expect(stemWord('y'.repeat(48))).toHaveLength(48)
})
