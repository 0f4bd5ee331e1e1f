import { execFile, spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Machine } from '../../src/machine/machine.ts'
import { findProjectFiles } from '../../src/project/find-files.ts'
import { readTask } from '../../src/search/task.ts'
import { makeFolder } from '../cli/run.ts'
import { git, makeGateProject, write } from './gate-project.ts'

const cli = resolve('dist/cli.cjs')

const TASK = 'allow a list of origins in the gate'

/** Long enough for a change to show in the times of files. */
const SETTLED = new Date(Date.now() + 60_000)

function ask(root: string, home: string) {
  const machine: Machine = new Machine({ cwd: home, home, env: { PATH: process.env.PATH }, now: () => SETTLED })
  return findProjectFiles(machine, { task: readTask(TASK), project: { root, repository: root } })
}

const path = fc.constantFrom(
  'src/gate.ts',
  'src/door.ts',
  'a.md',
  'new/deep/list.py',
  'out/x.ts',
  'x.log',
  'empty/y.ts',
)
const words = fc.constantFrom('origins', 'gate', 'list', 'door', '\n', 'def list():\n', '# Gate\n')
const text = fc.array(words, { maxLength: 8 }).map((each) => each.join(' '))

/** What may happen to a project between two questions. */
const change: fc.Arbitrary<(root: string) => void> = fc.oneof(
  fc.tuple(path, text).map(
    ([name, said]) =>
      (root: string) =>
        write(root, name, said),
  ),
  path.map((name) => (root: string) => rmSync(join(root, name), { force: true })),
  fc.tuple(path, path).map(([from, to]) => (root: string) => {
    if (!existsSync(join(root, from))) return
    mkdirSync(dirname(join(root, to)), { recursive: true })
    renameSync(join(root, from), join(root, to))
  }),
  path.map((name) => (root: string) => {
    if (existsSync(join(root, name))) utimesSync(join(root, name), new Date(1e12), new Date(1e12))
  }),
  // As long as before, and as old as before.
  path.map((name) => (root: string) => {
    if (!existsSync(join(root, name))) return
    const { atime, mtime, size } = statSync(join(root, name))
    writeFileSync(join(root, name), 'origins '.repeat(size).slice(0, size))
    utimesSync(join(root, name), atime, mtime)
  }),
  fc.constant((root: string) => mkdirSync(join(root, 'empty'), { recursive: true })),
  fc.constantFrom('*.md\n', 'out/\n', '!out/\nnew/\n').map((rule) => (root: string) => write(root, '.gitignore', rule)),
  fc.constant((root: string) => appendFileSync(join(root, '.git/info/exclude'), 'a.md\n')),
  fc.constant((root: string) => {
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '--allow-empty', '-m', 'Change the list of the door')
  }),
  fc.constantFrom('main', 'other').map((name) => (root: string) => git(root, 'checkout', '-qf', name)),
  fc.constant((root: string) => git(root, 'gc', '-q')),
)

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe('the same project gives the same answer', () => {
  it('cold, warm and half stale, whatever happened to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const root = makeGateProject()
        const home = makeFolder()
        await ask(root, home)
        for (const apply of changes) {
          apply(root)
          const warm = await ask(root, home)
          expect(warm).toEqual(await ask(root, makeFolder()))
          // The clock that stamps files ticks slowly.
          await pause(12)
        }
      }),
      { numRuns: process.env.LOADOUT_TEST_ALL === undefined ? 6 : 12 },
    )
  }, 120_000)

  it('to programs that run one after the other, at the same time, and in another clone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 3 }), async (changes) => {
        const root = makeGateProject()
        const home = makeFolder()
        await bundleOf(root, home)
        for (const apply of changes) {
          apply(root)
          const [first, ...others] = await Promise.all([
            ...[1, 2, 3].map(() => bundleOf(root, home)),
            bundleOf(root, makeFolder()),
          ])
          for (const other of others) expect(other).toBe(first)
          // What was too young to be kept is now old enough.
          await pause(120)
          expect(await bundleOf(root, home)).toBe(first)
          expect(await bundleOf(root, home)).toBe(first)
        }
        const copy = join(makeFolder(), 'project')
        cpSync(root, copy, { recursive: true })
        expect(await bundleOf(copy, makeFolder())).toBe(await bundleOf(root, home))
        expect(await bundleOf(copy, home)).toBe(await bundleOf(root, home))
      }),
      { numRuns: 1 },
    )
  }, 120_000)
})

describe('a list of files that is kept', () => {
  const rows: readonly [
    what: string,
    before: (root: string, home: string) => void,
    after: (root: string, home: string) => void,
  ][] = [
    [
      'a .gitignore is edited',
      (root) => write(root, 'a.md', 'x'),
      (root) => appendFileSync(join(root, '.gitignore'), 'a.md\n'),
    ],
    [
      'a .gitignore that ignores itself is edited',
      (root) => [write(root, 'b/.gitignore', '.gitignore\n'), write(root, 'b/a.md', 'x')],
      (root) => appendFileSync(join(root, 'b/.gitignore'), 'a.md\n'),
    ],
    [
      'info/exclude is edited',
      (root) => write(root, 'a.md', 'x'),
      (root) => appendFileSync(join(root, '.git/info/exclude'), 'a.md\n'),
    ],
    [
      'the settings name another file of ignored names',
      (root) => [write(root, 'a.md', 'x'), write(root, '.git/names', 'a.md\n')],
      (root) => git(root, 'config', 'core.excludesFile', join(root, '.git/names')),
    ],
    [
      'the file of ignored names is edited',
      (root) => [
        write(root, 'a.md', 'x'),
        write(root, '.git/names', 'b\n'),
        git(root, 'config', 'core.excludesFile', '.git/names'),
      ],
      (root) => appendFileSync(join(root, '.git/names'), 'a.md\n'),
    ],
    [
      'an included setting is edited',
      (root) => [
        write(root, 'a.md', 'x'),
        write(root, '.git/names', 'a.md\n'),
        write(root, '.git/more', '[core]\n'),
        git(root, 'config', 'include.path', 'more'),
      ],
      (root) => appendFileSync(join(root, '.git/more'), 'excludesFile = .git/names\n'),
    ],
    [
      'the user ignores more',
      (root) => write(root, 'a.md', 'x'),
      (_, home) => write(home, '.config/git/ignore', 'a.md\n'),
    ],
    [
      'an empty folder gets a file',
      (root) => mkdirSync(join(root, 'b/c/d'), { recursive: true }),
      (root) => write(root, 'b/c/d/a.md', 'x'),
    ],
    [
      'a folder of ignored files gets another',
      (root) => write(root, 'b/x.log', 'x'),
      (root) => write(root, 'b/a.md', 'x'),
    ],
    [
      'a repository inside becomes a folder',
      (root) => [write(root, 'b/a.md', 'x'), git(join(root, 'b'), 'init', '-q')],
      (root) => rmSync(join(root, 'b/.git'), { recursive: true }),
    ],
    ['an ignored file is tracked', (root) => write(root, 'x.log', 'x'), (root) => git(root, 'add', '-f', 'x.log')],
    [
      'a tracked file is no longer',
      (root) => [write(root, 'x.log', 'x'), git(root, 'add', '-f', 'x.log')],
      (root) => git(root, 'rm', '-q', '--cached', 'x.log'),
    ],
  ]

  it.each(rows)('is made anew when %s', async (_, before, after) => {
    const root = makeGateProject()
    const home = makeFolder()
    before(root, home)
    const old = await ask(root, home)
    expect(await ask(root, home)).toEqual(old)
    await pause(12)
    after(root, home)
    const warm = await ask(root, home)
    expect(warm.signals.files).not.toBe(old.signals.files)
  })
})

async function bundleOf(project: string, home: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home }
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'context', TASK], { cwd: project, env })
  return stdout
}

describe('a program that is killed while it writes the index', () => {
  it('leaves the next question its answer, and no remains', async () => {
    const root = makeGateProject()
    for (let at = 0; at < 300; at++)
      write(root, `many/${at}.ts`, `export const gate${at} = ['origins', ${at}]\n`.repeat(20))
    await pause(120)
    const expected = await bundleOf(root, makeFolder())
    const home = makeFolder()
    const cache = join(home, '.cache/loadout')
    // Killed when the first traces of each kind show, and later.
    for (const [kind, delay] of [
      ['project-paths', 0],
      ['project', 0],
      ['project', 3],
      ['project-history', 0],
    ] as const) {
      rmSync(join(cache, kind), { recursive: true, force: true })
      const child = spawn(process.execPath, [cli, 'context', TASK], {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: home },
      })
      const ended = new Promise((done) => child.once('exit', done))
      while (child.exitCode === null && !existsSync(join(cache, kind))) await pause(1)
      await pause(delay)
      child.kill('SIGKILL')
      await ended
      expect(await bundleOf(root, home)).toBe(expected)
    }
    const left = ['project', 'project-paths', 'project-history'].flatMap((kind) => readdirSync(join(cache, kind)))
    expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([])
  }, 60_000)
})
