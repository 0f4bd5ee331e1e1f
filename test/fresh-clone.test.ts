import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from './cli/run.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [TRY = '', TEST = ''] = [...README.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command]) => command)
const INSTALL = 'npm ci && '
const LEFT_BEHIND = ['.git', 'node_modules', 'dist']

/** In a shell of somebody who has just arrived; the packages are those that this checkout has got. */
function runInClone(command: string) {
  const clone = join(makeFolder(), 'loadout')
  cpSync(ROOT, clone, { recursive: true, filter: (path) => !LEFT_BEHIND.some((name) => path === join(ROOT, name)) })
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  const env = { PATH: process.env.PATH, HOME: makeFolder() }
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: clone, env, timeout: 600_000 })
  return { code: status, stdout: String(stdout), stderr: String(stderr) }
}

it('shows the main job by the first command of the README, as its picture has it', { timeout: 600_000 }, () => {
  expect(TRY.startsWith(INSTALL)).toBe(true)
  const { code, stdout, stderr } = runInClone(TRY.slice(INSTALL.length))
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  const picture = readFileSync(join(ROOT, 'docs/pictures/bundle.svg'), 'utf8')
  const pictured = [...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => unescapeMarkup(text))
  const shown = wordsOf(stdout)
  const words = pictured.flatMap(wordsOf)
  const from = shown.indexOf(words[0] ?? '')
  expect(words.length).toBeGreaterThan(120)
  expect(shown.slice(from, from + words.length)).toEqual(words)
})

// Whoever runs the tests has just run these two.
it('names the commands that CI runs', () => {
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^npm ci\nnpm test\n$/m)
  expect(TEST).toBe(`${INSTALL}npm test`)
})

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function unescapeMarkup(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
