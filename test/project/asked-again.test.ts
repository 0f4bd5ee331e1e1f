import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Machine } from '../../src/machine/machine.ts'
import { findProjectFiles, readSections } from '../../src/project/find-files.ts'
import { readTask } from '../../src/search/task.ts'
import { makeFolder } from '../cli/run.ts'
import { git, makeGateProject, write } from './gate-project.ts'

function makeProject(): string {
  const root = makeGateProject()
  mkdirSync(join(root, 'empty'))
  return root
}

function machineIn(home: string): Machine {
  return new Machine({ cwd: home, home, env: { PATH: process.env.PATH }, now: () => new Date() })
}

/** Until times of files tell of their next change. */
const settle = () => new Promise((done) => setTimeout(done, 120))

async function ask(root: string, home: string) {
  const task = 'allow a list of origins in the gate'
  const { files, terms, paths, signals } = await findProjectFiles(machineIn(home), {
    task: readTask(task),
    project: { root, repository: root },
    leaveOutBy: '',
  })
  const sections = files.map(({ path: name }) => readSections(root, name, terms))
  for (const [at, { path: name }] of files.entries()) {
    expect(sections[at]?.text).toBe(readFileSync(join(root, name), 'utf8'))
  }
  return { files, paths, signals, sections }
}

const path = fc.constantFrom('src/gate.ts', 'src/door.ts', 'a.md', 'new/deep/list.py', 'out/x.ts', 'empty/y.ts')
const word = fc.constantFrom('origins', 'gate', 'list', 'door')

type Edit = (root: string) => void
const ifThere = (root: string, name: string, edit: (full: string) => void) => {
  if (existsSync(join(root, name))) edit(join(root, name))
}
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(path, word).map(
    ([name, text]): Edit =>
      (root) =>
        write(root, name, `${text}\n`),
  ),
  fc.tuple(path, word).map(
    ([name, text]): Edit =>
      (root) =>
        ifThere(root, name, (full) => appendFileSync(full, `${text}\n`)),
  ),
  // As many bytes, and the time set back.
  fc.tuple(path, word).map(
    ([name, text]): Edit =>
      (root) =>
        ifThere(root, name, (full) => {
          const { size, atime, mtime } = statSync(full)
          writeFileSync(full, `${text} `.repeat(size).slice(0, size), { flag: 'r+' })
          utimesSync(full, atime, mtime)
        }),
  ),
  path.map(
    (name): Edit =>
      (root) =>
        rmSync(join(root, name), { force: true }),
  ),
  path.map(
    (name): Edit =>
      (root) =>
        ifThere(root, name, (full) => renameSync(full, join(root, 'src/moved.ts'))),
  ),
  // Gone and there again, under the same name.
  fc.constant<Edit>((root) => {
    rmSync(join(root, 'src'), { recursive: true, force: true })
    write(root, 'src/list.ts', 'export const list = 1\n')
  }),
  word.map(
    (text): Edit =>
      (root) =>
        write(root, '.gitignore', `${text}.ts\nout/\n`),
  ),
  fc.constantFrom<Edit>(
    (root) => git(root, 'checkout', '-qf', 'other'),
    (root) => git(root, 'commit', '-qam', 'Close the door', '--allow-empty'),
  ),
)

it('a process that stays answers as one that has only started, after every edit', async () => {
  const steps = fc.array(fc.tuple(edits, fc.boolean()), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const [root, home] = [makeProject(), makeFolder()]
      await settle()
      for (let time = 0; time < 3; time++) await ask(root, home)
      for (const [edit, isSettled] of all) {
        edit(root)
        if (isSettled) await settle()
        const fresh = await ask(root, makeFolder())
        expect(await ask(root, home)).toEqual(fresh)
        expect(await ask(root, home)).toEqual(fresh)
      }
    }),
    { numRuns: 12 },
  )
}, 120_000)
