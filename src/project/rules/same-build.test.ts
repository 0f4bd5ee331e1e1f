import { expect, it } from 'vitest'
import { isSameBuild } from './candidates.ts'

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('')

const rows: [one: string, other: string, text: string, isSame: boolean][] = [
  ['out/app.js', 'out/app.mjs', lines(0, 100), true],
  ['out/app.js', 'out/app.cjs.js', `wrapped\n  ${lines(0, 95)}`, true],
  ['out/app.js', 'out/app.mjs', lines(30, 130), false],
  ['out/app.js', 'out/app.d.ts', lines(0, 10), false],
  ['out/app.js', 'out/app-x.js', lines(0, 100), false],
  // A mirrored tree.
  ['src/app.js', 'deno/app.js', lines(0, 100), false],
  ['.a.js', '.b.js', lines(0, 100), false],
]
it.each(rows)('%s and %s', (one, other, text, isSame) => {
  expect(isSameBuild({ path: one, text: lines(0, 100) }, { path: other, text })).toBe(isSame)
  expect(isSameBuild({ path: other, text }, { path: one, text: lines(0, 100) })).toBe(isSame)
})
