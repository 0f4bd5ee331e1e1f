import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSuite, readTestsBeside } from './suites.ts'

const folder = mkdtempSync(join(tmpdir(), 'loadout-suites-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  return join(folder, path)
}

const TESTS = 'should_trigger:\n  - bake a loaf\nshould_not_trigger:\n  - fry an egg\n'

test('reads tests that lie beside a skill as YAML, and names those it cannot read', () => {
  write('bread/evals/trigger.yaml', TESTS)
  const broken = write('cake/evals/trigger.yml', 'should_trigger: [')
  const { questions, unused } = readTestsBeside(folder)
  expect(questions.map(({ prompt, expected, not }) => [prompt, expected, not])).toEqual([
    ['bake a loaf', ['bread'], []],
    ['fry an egg', [], ['bread']],
  ])
  expect(unused).toEqual([broken])
  expect(readSuite(join(folder, 'bread'))).toEqual(questions)
  expect(() => readSuite(broken)).toThrow(/trigger\.yml cannot be used: line 1/)
})
