import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runLoadout } from './cli/run.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const COMMANDS = [...README.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command]) => command)

it('the first two commands of the README install, build and run what is tested here', () => {
  expect(COMMANDS.slice(0, 2)).toEqual(['npm ci && npm run try', 'npm ci && npm test'])
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(scripts.try).toBe('npm run --silent build && node dist/cli.js try')
  expect(scripts.test).toMatch(/ build types check && vitest run$/)
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^npm ci\nnpm test\n$/m)
})

it('the first command of the README shows the main job, as its picture has it', () => {
  const { code, stdout, stderr } = runLoadout(['try'])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  const picture = readFileSync(join(ROOT, 'docs/pictures/bundle.svg'), 'utf8')
  const pictured = [...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => unescapeMarkup(text))
  const shown = wordsOf(stdout)
  const words = pictured.flatMap(wordsOf)
  const from = shown.indexOf(words[0] ?? '')
  expect(words.length).toBeGreaterThan(120)
  expect(shown.slice(from, from + words.length)).toEqual(words)
})

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function unescapeMarkup(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
