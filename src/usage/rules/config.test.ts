import { expect, it } from 'vitest'
import { parseKeepsTasks } from './config.ts'

it.each([
  [{}, false],
  [{ usage: {} }, false],
  [{ usage: { keep_tasks: true } }, true],
  // Other parts of the file are not its concern.
  [{ repo_path: 1, targets: [], usage: { keep_tasks: true } }, true],
])('%j keeps tasks: %s', (json, expected) => {
  expect(parseKeepsTasks(json, 'config.json')).toBe(expected)
})

it.each([
  [{ usage: 1 }, '"usage" must be a JSON object'],
  [{ usage: { keep_tasks: 'yes' } }, '"usage.keep_tasks" must be true or false'],
])('%j: %s', (json, problem) => {
  expect(() => parseKeepsTasks(json, 'config.json')).toThrow(`config.json: ${problem}`)
})
