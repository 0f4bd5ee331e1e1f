import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { makeFolder } from './cli/run.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [TRY = '', TEST = ''] = [...README.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command]) => command)
const LEFT_BEHIND = ['.git', 'node_modules', 'dist']

let clone: string
let home: string

beforeAll(() => {
  clone = join(makeFolder(), 'loadout')
  home = makeFolder()
  cpSync(ROOT, clone, { recursive: true, filter: (path) => !LEFT_BEHIND.some((name) => path === join(ROOT, name)) })
})

/** In a shell of somebody who has just arrived; packages come from where this checkout has got them. */
function run(command: string) {
  const cache = String(spawnSync('npm', ['config', 'get', 'cache'], { cwd: ROOT }).stdout).trim()
  const env = { PATH: process.env.PATH, HOME: home, npm_config_cache: cache, npm_config_prefer_offline: 'true' }
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: clone, env, timeout: 600_000 })
  return { code: status, stdout: String(stdout), stderr: String(stderr) }
}

it('installs and shows the main job, as the README pictures it', { timeout: 600_000 }, () => {
  const { code, stdout, stderr } = run(TRY)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  const picture = readFileSync(join(ROOT, 'docs/pictures/bundle.svg'), 'utf8')
  const pictured = [...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => unescapeMarkup(text))
  const shown = wordsOf(stdout)
  const words = pictured.flatMap(wordsOf)
  const from = shown.indexOf(words[0] ?? '')
  expect(words.length).toBeGreaterThan(200)
  expect(shown.slice(from, from + words.length)).toEqual(words)
})

it('passes the tests by the command that the README and CI give', { timeout: 600_000 }, () => {
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^npm ci\nnpm test\n$/m)
  expect(TEST).toBe('npm ci && npm test')
  // All of them would run this one again.
  const { code, stdout, stderr } = run(`${TEST.replace('npm ci && ', '')} -- src/usage test/architecture.test.ts`)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/Test Files .*\d+ passed/)
})

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function unescapeMarkup(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
