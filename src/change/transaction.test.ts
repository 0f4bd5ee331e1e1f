import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { sha256 } from '../text/values.ts'
import { type PlannedChange, Transaction, workFolderIn } from './transaction.ts'

const OLD = { 'a.md': 'old a', 'b.md': 'old b', 'c.md': 'old c' }
const NEW = { 'a.md': 'new a', 'b.md': 'new b', 'd/e.md': 'new e' }
const made: string[] = []

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'loadout-transaction-'))
  made.push(root)
  for (const [path, text] of Object.entries(OLD)) writeFileSync(join(root, path), text)
  return root
}

function open(root: string): Transaction {
  const work = workFolderIn(root)
  return new Transaction(root, work, join(work.path, 'log.json'), (path) => sha256(readFileSync(path)))
}

/** Replaces two files, removes one, and adds one in a new folder. */
const CHANGES = [
  ...Object.entries(NEW).map(([path, text]) => ({ path, write: (stage: string) => writeFileSync(stage, text) })),
  { path: 'c.md' },
]

function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.sort().map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]))
}

it('a transaction makes all changes and leaves nothing else behind', async () => {
  const root = makeRoot()
  const log = open(root)
  await log.asOnlyWriter('test', () => log.change(CHANGES))
  expect(filesIn(root)).toEqual(NEW)
})

it('changes nothing if one of the new files cannot be written', async () => {
  const root = makeRoot()
  const log = open(root)
  const write = () => {
    throw new Error('the disk is full')
  }
  const changing = log.asOnlyWriter('test', () => log.change([...CHANGES, { path: 'f.md', write }]))
  await expect(changing).rejects.toThrow('the disk is full')
  expect(filesIn(root)).toEqual(OLD)
})

/** What a killed process had done, and what the next one makes of it. */
const KILLS: [when: string, act: (log: Transaction, staged: PlannedChange[]) => void, expected: object][] = [
  ['before it wrote the log', (log) => log.end(), OLD],
  ['after it wrote the log', () => {}, NEW],
  ['after the first file was in place', (log, [first]) => log.putInPlace([first!]), NEW],
  ['after all files were in place', (log, staged) => log.putInPlace(staged), NEW],
  [
    'while it deleted the old files',
    (log, staged) => {
      log.putInPlace(staged)
      log.commit({ changes: staged })
      log.discardOld(staged.slice(2))
    },
    NEW,
  ],
]

it.each(KILLS)('a transaction is whole after a kill %s', async (_, act, expected) => {
  const root = makeRoot()
  const log = open(root)
  mkdirSync(log.work.path)
  act(log, await log.stage(CHANGES))
  await open(root).asOnlyWriter('test', async () => {})
  expect(filesIn(root)).toEqual(expected)
  expect(existsSync(log.work.path)).toBe(false)
})

it('a transaction puts everything back after a kill if a user has changed a file since, and keeps the file of the user', async () => {
  const root = makeRoot()
  const log = open(root)
  mkdirSync(log.work.path)
  const [first] = await log.stage(CHANGES)
  log.putInPlace([first!])
  writeFileSync(join(root, 'b.md'), 'by hand')
  await open(root).asOnlyWriter('test', async () => {})
  expect(filesIn(root)).toEqual({ ...OLD, 'b.md': 'by hand' })
})

it('ignores a log that it cannot read', async () => {
  const root = makeRoot()
  const log = open(root)
  mkdirSync(log.work.path)
  writeFileSync(join(log.work.path, 'log.json'), '{"changes": [')
  await log.asOnlyWriter('test', async () => {})
  expect(filesIn(root)).toEqual(OLD)
})
