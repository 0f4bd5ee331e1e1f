import { expect, it } from 'vitest'
import { testsOf } from './tests-of.ts'

const paths = [
  'src/app.rs',
  'src/gate.ts',
  'src/gate.test.tsx',
  'src/cors/index.ts',
  'src/cors/index.test.ts',
  'src/flask/app.py',
  'test/gate.ts',
  'tests/app.rs',
  'tests/test_app.py',
  'tests/sites/app.py',
  'tests/data/App.svelte',
  'tests/static/gate.json',
]

it.each([
  ['src/gate.ts', ['src/gate.test.tsx', 'test/gate.ts']],
  ['src/cors/index.ts', ['src/cors/index.test.ts']],
  ['src/app.rs', ['tests/app.rs']],
  ['src/flask/app.py', ['tests/test_app.py']],
  ['docs/gate.md', []],
])('tests of %s', (path, expected) => {
  expect(testsOf(path, { tests: [], paths }, new Set())).toEqual(expected)
})
