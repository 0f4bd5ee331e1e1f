import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ContextBundle } from '../../src/answer/rules/bundle.ts'
import { makeFolder } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const GOLDEN = join(import.meta.dirname, 'golden')

function copyOf(name: string): string {
  const folder = makeFolder()
  cpSync(join(GOLDEN, name), folder, { recursive: true })
  return folder
}

const home = copyOf('home')

function context(cwd: string, ...flags: string[]): ContextBundle {
  const args = ['context', 'Prepare the release', '--format', 'json', '--now', '2026-03-01T12:00:00Z', ...flags]
  return JSON.parse(runWarm(args, { cwd, home }).stdout)
}

const ofClasses = ({ files }: ContextBundle, ...classes: string[]) =>
  files.filter(({ source_class }) => classes.includes(source_class)).map(({ rank, ...file }) => file)

describe.each(['1500', '2500', '4000', '30000'])('in %s characters', (chars) => {
  it('an adapter that is off or fails, and notes that are off or broken, change nothing else', () => {
    const whole = context(copyOf('project'), '--chars', chars)
    const broken = copyOf('project')
    writeFileSync(join(broken, '.loadout/tracker.json'), '{"items": ')
    writeFileSync(join(broken, '.loadout/notes.jsonl'), 'no note\n'.repeat(50))
    const without = context(copyOf('project'), '--chars', chars, '--without', 'adapter')
    expect(ofClasses(without, 'control_plane', 'task', 'tactical')).toEqual(
      ofClasses(whole, 'control_plane', 'task', 'tactical'),
    )
    const silent = context(copyOf('project'), '--chars', chars, '--without', 'tactical')
    expect(ofClasses(silent, 'control_plane', 'task', 'adapter')).toEqual(
      ofClasses(whole, 'control_plane', 'task', 'adapter'),
    )
    const failed = context(broken, '--chars', chars)
    expect(failed.degraded.map(({ source }) => source)).toContain('adapter:tracker')
    expect(failed.files).toEqual(
      ofClasses(whole, 'control_plane', 'task').map((file, at) => ({ ...file, rank: at + 1 })),
    )
  })
})

it('an unrestricted bundle shows files to their end', () => {
  const { files, fallback } = context(copyOf('project'), '--chars-per-file', '10', '--files', '3', '--unrestricted')
  expect(fallback.level).toBe('unrestricted')
  const long = files.find(({ path }) => path === 'docs/release-steps.md')
  expect(long).toMatchObject({ truncated: false, chars_emitted: 3979, chars_total: 3979 })
})

it('the age of a page of a pack is judged at the time that --now names', () => {
  const own = makeFolder()
  const pack = (path: string, text: string) => {
    const file = join(own, '.agents/knowledge/fares', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const head = ['name: fares', 'description: Fares of the ferry', 'type: domain-reference', 'status: ready']
  pack('KNOWLEDGE.md', `---\n${[...head, 'profile: wiki-first'].join('\n')}\n---\n# Fares\n`)
  pack(
    'wiki/fares.md',
    '---\nstale_after: 2026-06-01\n---\n\n# Fares\n\nA ferry crossing with a cart costs nine coins.\n',
  )
  const ask = (now: string) =>
    runWarm(['context', 'what does a ferry crossing with a cart cost', '--now', now], { cwd: makeFolder(), home: own })
  expect(ask('2026-05-01T00:00:00Z').stdout).toContain('costs nine coins')
  expect(ask('2026-05-01T00:00:00Z').stdout).not.toContain('claim.doubtful')
  expect(ask('2026-07-01T00:00:00Z').stdout).toContain('claim.doubtful')
})

it('a bundle calls nothing missing that a file in it says', () => {
  const cwd = makeFolder()
  const page = ['# Kiln', '', 'The kiln fires at 1,200 degrees for nine hours.', ''].join('\n')
  const pack =
    '---\nname: kiln\ndescription: Degrees and hours of the kiln\ntype: domain-reference\nstatus: ready\n---\n# Kiln\n'
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  write('.agents/knowledge/kiln/KNOWLEDGE.md', pack)
  write('.agents/knowledge/kiln/documents/kiln.md', page)
  const own = makeFolder()
  expect(runWarm(['approve', 'kiln'], { cwd, home: own }).code).toBe(0)
  const ask = () =>
    JSON.parse(
      runWarm(['context', 'how many degrees and hours does the kiln fire the celadon', '--json'], { cwd, home: own })
        .stdout,
    )
  expect(ask().missing).toEqual(['nothing was found about: celadon'])
  write('src/celadon.md', '# Celadon\n\nThe kiln fires the celadon at 1,100 degrees.\n')
  expect(ask().missing).toEqual([])
})
