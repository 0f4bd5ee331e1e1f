import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject } from './cli/run.ts'

const SCRIPT = join(import.meta.dirname, '..', 'scripts', 'ratchet.mjs')
const NUMBERS = 'scripts/ratchet.json'

/** Not written out below, so that this file is not counted itself. */
const CLOCK = 'performance'

/** A tree in which every count finds something, beside what looks alike and is not counted. */
const PLANTED = {
  'src/cli/page.tsx': 'const a = 1, b = 2\ntype C = string\nfunction d() {}\nimport e from "e"\n',
  'src/answer/machine.ts': `const on = (machine: Machine) => next(machine)
const used = (machine: Machine) => machine.home
function apart(ws: Workspace) { const { clock } = ws; return clock }
`,
  'src/answer/rank.ts': 'createRanker([]); openSavedRanker(read)\n',
  'src/search/rank.ts': 'createRanker([])\n',
  'src/notes/disk/saved-notes.ts': 'function sectionsOf() {}\nuse(verdict.state)\n',
  'src/notes/read-task.ts':
    "function readTask() {}\nif (answer.decision === 'denied') stop()\nuse(a.decision, 'denied')\n",
  'src/notes/words.ts':
    'function wordsOf(asked) { return termsOf(asked.task.text) }\nfunction textOf(text) { termsOf(text) }\n',
  'src/payloads/words.ts': 'function match(task) { readWords(task) }\n',
  'src/answer/trouble.ts': `throw new LoadoutError('A', 'b'); report({ code: 'A', message }); send({ code: 1 })\n`,
  'src/answer/spread.ts': 'use({ ...(a ? { a } : {}), ...(b && { b }), ...(c ?? d), ...e })\n',
  'src/text/cut.ts': 'export function cut() {}\n',
  'src/answer/cut.ts': 'function cut() {}\n',
  'src/answer/rank.test.ts': 'createRanker()\n',
  'src/answer/rank.fixture.ts': 'createRanker()\n',
  'docs/commands.md': '### loadout a\n\n### loadout b\n',
  'docs/errors.md': '| `A_B` | x |\n| `a.b` | x |\n',
  'CHANGELOG.md': 'not counted',
  'test/time.test.ts': `const from = ${CLOCK}.now()
expect(${CLOCK}.now() - from).toBeLessThan(5)
expect(again - from).not.toBeGreaterThan(5)
expect(rows.length).toBeLessThan(5)
`,
}
const COUNTED = {
  'source lines': 21,
  'source files': 12,
  'names per 1,000 lines': 667,
  'pass-through parameters': 1,
  rankers: 2,
  'saved index forms': 1,
  'section cutters': 2,
  gates: 1,
  'task readers': 2,
  'sentences of trouble': 2,
  commands: 2,
  'error codes': 2,
  'elapsed times in tests': 2,
  'conditional spreads': 2,
  'words of documentation': 16,
}
const NOTHING = Object.fromEntries(Object.keys(COUNTED).map((name) => [name, { most: 0 }]))

/** A repository with these files, and numbers of which the named ones differ from nothing. */
function plant(files: Record<string, string>, numbers: Record<string, object> = {}): string {
  const folder = makeProject({ ...files, [NUMBERS]: JSON.stringify({ ...NOTHING, ...numbers }) })
  git(folder, 'init', '-q')
  return folder
}

function git(folder: string, ...args: string[]): void {
  const run = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder })
  expect(run.status, String(run.stderr)).toBe(0)
}

function commit(folder: string): void {
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'change')
}

function ratchet(folder: string, ...args: string[]) {
  return spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: 'utf8' })
}

function change(folder: string, numbers: Record<string, object>): void {
  const path = join(folder, NUMBERS)
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...numbers }))
}

describe('the ratchet', () => {
  it('accepts an empty tree where every number is 0', () => {
    expect(ratchet(plant({}))).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  it('refuses everything that is counted above its number', () => {
    const run = ratchet(plant(PLANTED))
    expect(run.status).toBe(1)
    const rows = run.stderr.trim().split('\n')
    expect(rows.map((row) => row.replace(/ \(.*/, ''))).toEqual(
      Object.entries(COUNTED).map(([name, count]) => `${name}: ${count}, at most 0`),
    )
  })

  it('refuses a count without a number', () => {
    const run = ratchet(plant({}, { rankers: {} }))
    expect(run.stderr).toBe('rankers: scripts/ratchet.json has no number for it; counted 0\n')
    expect(run.status).toBe(1)
  })

  it('prints a count that has fallen, and writes it only when asked', () => {
    const folder = plant({ 'src/a.ts': '' }, { 'source files': { most: 3, why: 'Two files were needed.' } })
    const before = readFileSync(join(folder, NUMBERS), 'utf8')
    expect(ratchet(folder)).toMatchObject({ status: 0, stdout: expect.stringContaining('source files 3 → 1;') })
    expect(readFileSync(join(folder, NUMBERS), 'utf8')).toBe(before)
    expect(ratchet(folder, '--lower')).toMatchObject({ status: 0, stdout: '' })
    expect(JSON.parse(readFileSync(join(folder, NUMBERS), 'utf8'))).toEqual({ ...NOTHING, 'source files': { most: 1 } })
  })

  it('never writes a higher number', () => {
    const folder = plant({ 'src/a.ts': '' })
    expect(ratchet(folder, '--lower').status).toBe(1)
    expect(JSON.parse(readFileSync(join(folder, NUMBERS), 'utf8'))).toEqual(NOTHING)
  })

  it('refuses a raised number without a new reason, before and after it is committed', () => {
    const folder = plant({})
    commit(folder)
    change(folder, { rankers: { most: 1 } })
    const message = 'rankers: raised from 0 to 1 without a new "why"\n'
    expect(ratchet(folder)).toMatchObject({ status: 1, stderr: message })
    commit(folder)
    expect(ratchet(folder)).toMatchObject({ status: 1, stderr: message })
    change(folder, { rankers: { most: 1, why: 'A second language needs its own.' } })
    commit(folder)
    expect(ratchet(folder).status).toBe(0)
    change(folder, { rankers: { most: 2, why: 'A second language needs its own.' } })
    expect(ratchet(folder).stderr).toBe('rankers: raised from 1 to 2 without a new "why"\n')
  })
})
