import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Machine } from '../../src/machine/machine.ts'
import { findProjectFiles } from '../../src/project/find-files.ts'
import { readTask } from '../../src/search/task.ts'
import { makeFolder } from '../cli/run.ts'
import { write } from './gate-project.ts'

// An index that grew with the project answers as one that was built at once. Texts are long enough to be added to what
// is saved: shorter ones are read again with every question.

const cli = resolve('dist/cli.cjs')
const TASK = 'allow a list of origins in the gate'
const SETTLED = new Date(Date.now() + 60_000)

function ask(root: string, home: string) {
  const machine: Machine = new Machine({ cwd: home, home, env: { PATH: process.env.PATH }, now: () => SETTLED })
  return findProjectFiles(machine, { task: readTask(TASK), project: { root, repository: undefined } })
}

function indexOf(home: string): string {
  const folder = join(home, '.cache/loadout/project')
  return join(folder, readdirSync(folder).find((name) => !name.includes('.')) ?? '')
}

const WORDS = ['origins', 'gate', 'list', 'door', 'allow', 'def list():\n', '# Gate\n']

/** About so many thousand characters, of some of the words. */
function textOf(seed: number, thousands: number): string {
  const words = Array.from({ length: 40 }, (_, at) => WORDS[(seed * (at + 1)) % (at % 3 === 0 ? 7 : 3)] ?? `w${seed}`)
  return `${words.join(' ')}\n${`filler${seed} of the line\n`.repeat(thousands * 45)}`
}

const path = fc.constantFrom('src/gate.ts', 'src/door.ts', 'a.md', 'new/list.py', 'origins.json', 'z/gate.md')
const content = fc.oneof(
  fc.tuple(fc.nat(50), fc.constantFrom(0, 1, 70, 150)).map(([seed, size]) => textOf(seed, size)),
  fc.constantFrom('', 'a\0binary', '// @generated\norigins\n'),
)
type Step = (root: string, home: string) => void
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(path, content).map(
      ([name, text]): Step =>
        (root) =>
          write(root, name, text),
    ),
  },
  {
    weight: 2,
    arbitrary: path.map(
      (name): Step =>
        (root) =>
          rmSync(join(root, name), { force: true }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (place): Step =>
        (_, home) => {
          const bytes = readFileSync(indexOf(home))
          bytes[place % bytes.length]! ^= 255
          writeFileSync(indexOf(home), bytes)
        },
    ),
  },
)

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe('an index that grew', () => {
  it('gives the same answer as one that is built anew, whatever was written, removed or damaged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), async (rounds) => {
        const [root, home] = [makeFolder(), makeFolder()]
        for (const [at, name] of ['src/gate.ts', 'b.ts', 'c.ts', 'd/e.md'].entries()) write(root, name, textOf(at, 80))
        write(root, 'odd.ts', 'a\0b')
        write(root, 'made.ts', '// @generated\norigins\n')
        await ask(root, home)
        for (const steps of rounds) {
          for (const apply of steps) apply(root, home)
          const cold = await ask(root, makeFolder())
          expect(await ask(root, home)).toEqual(cold)
          expect(await ask(root, home)).toEqual(cold)
          // The clock that stamps files ticks slowly.
          await pause(12)
        }
      }),
      { numRuns: 10 },
    )
  }, 120_000)

  it('keeps no file twice', async () => {
    const [root, home] = [makeFolder(), makeFolder()]
    for (let at = 0; at < 8; at++) write(root, `f${at}.ts`, textOf(at, 100))
    await ask(root, home)
    const first = readFileSync(indexOf(home)).length
    const sizes: number[] = []
    for (let round = 0; round < 6; round++) {
      await pause(12)
      write(root, 'f0.ts', textOf(round, 100))
      expect(await ask(root, home)).toEqual(await ask(root, makeFolder()))
      sizes.push(readFileSync(indexOf(home)).length)
    }
    expect(Math.max(...sizes)).toBeLessThan(2 * first)
  })
})

async function bundleOf(project: string, home: string, limit = ''): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home }
  const command = `${limit} exec "$0" "$@"`
  const words = ['-c', command, process.execPath, cli, 'context', TASK]
  return (await promisify(execFile)('sh', words, { cwd: project, env })).stdout
}

function writeMany(root: string, seed: number): void {
  for (let at = 0; at < 40; at++) write(root, `many/${at}.ts`, `export const gate${at} = 1\n${textOf(at + seed, 8)}`)
}

describe('a program that adds to the index', () => {
  it('a growing index that is killed leaves the next question its answer, and no remains', async () => {
    const [root, home] = [makeFolder(), makeFolder()]
    writeMany(root, 0)
    await bundleOf(root, home)
    for (const delay of [0, 2, 6]) {
      writeMany(root, delay + 1)
      await pause(120)
      const expected = await bundleOf(root, makeFolder())
      const folder = join(home, '.cache/loadout/project')
      const env = { PATH: process.env.PATH, HOME: home }
      const child = spawn(process.execPath, [cli, 'context', TASK], { cwd: root, env })
      const ended = new Promise((done) => child.once('exit', done))
      while (child.exitCode === null && readdirSync(folder).length < 2) await pause(1)
      await pause(delay)
      child.kill('SIGKILL')
      await ended
      expect(await bundleOf(root, home)).toBe(expected)
      expect(readdirSync(folder)).toHaveLength(1)
    }
  }, 60_000)

  it('an index that finds no room on the disk answers all the same', async () => {
    const [root, home] = [makeFolder(), makeFolder()]
    writeMany(root, 0)
    const expected = await bundleOf(root, makeFolder())
    // No file grows beyond some thousand bytes; who tries it is told, not ended.
    for (const blocks of [1, 8, 24]) {
      expect(await bundleOf(root, home, `trap '' XFSZ; ulimit -f ${blocks};`)).toBe(expected)
    }
    expect(await bundleOf(root, home)).toBe(expected)
    writeMany(root, 7)
    expect(await bundleOf(root, home, `trap '' XFSZ; ulimit -f 1;`)).toBe(await bundleOf(root, makeFolder()))
  }, 60_000)
})
