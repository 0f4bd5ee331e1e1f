import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

// UPDATE_GOLDEN=1 writes the bundles again; read the difference before you commit it.
const isUpdating = process.env.UPDATE_GOLDEN === '1'

const GOLDEN = join(import.meta.dirname, 'golden')
const TASK = 'Prepare the release of the kiln tower'
const NOW = '2026-03-01T12:00:00Z'

/** In another folder, to show that the location of a project does not matter. */
function copyOf(name: string): string {
  const folder = makeFolder()
  cpSync(join(GOLDEN, name), folder, { recursive: true })
  return folder
}

const cwd = copyOf('project')
mkdirSync(join(cwd, '.git'))
writeFileSync(join(cwd, '.git', 'HEAD'), 'ref: refs/heads/main\n')
const home = copyOf('home')

const FORMATS = ['json', 'markdown', 'xml', 'text'] as const
const rows: [file: string, flags: string[]][] = [
  ...FORMATS.map((format): [string, string[]] => [`bundle.${format}`, ['--format', format]]),
  ['small.json', ['--format', 'json', '--chars', '4000']],
  ['small.text', ['--format', 'text', '--chars', '4000']],
  ['tokens.json', ['--format', 'json', '--tokens', '900', '--tokenizer', 'o200k_base']],
]

it.each(rows)('%s', (file, flags) => {
  const run = runWarm(['context', TASK, '--now', NOW, ...flags], { cwd, home })
  expect(run.code).toBe(0)
  const path = join(GOLDEN, file)
  if (isUpdating) writeFileSync(path, run.stdout)
  expect(run.stdout).toBe(readFileSync(path, 'utf8'))
})

it('a bundle is the same when it is written to a file, in another time zone and language', () => {
  const out = join(makeFolder(), 'bundle.md')
  const flags = ['--format', 'markdown', '--now', '2026-03-01T13:00:00+01:00', '--out', out]
  const env = { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
  const run = runWarm(['context', TASK, ...flags], { cwd: copyOf('project'), home: copyOf('home'), env })
  expect(run.code).toBe(0)
  expect(readFileSync(out, 'utf8')).toBe(readFileSync(join(GOLDEN, 'bundle.markdown'), 'utf8'))
})
