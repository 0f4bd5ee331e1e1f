import { expect, it } from 'vitest'
import { parseKeepsTasks, withKeptTasks } from './config.ts'

it.each([
  [{}, false],
  [{ usage: {} }, false],
  [{ usage: { keep_tasks: true } }, true],
  [withKeptTasks({ usage: { keep_tasks: true } }, false), false],
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

it('switches nothing else in the file', () => {
  expect(withKeptTasks({ theme: 'dark', usage: { other: 1 } }, true)).toEqual({
    theme: 'dark',
    usage: { other: 1, keep_tasks: true },
  })
})
