import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { evaluateHistory } from '../../src/lab/eval-history.ts'
import { Machine } from '../../src/machine/machine.ts'
import { runWarm } from '../cli/warm.ts'

const folder = mkdtempSync(join(tmpdir(), 'loadout-history-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const root = join(folder, 'project')

function commit(subject: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const me = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
  const options = { cwd: root, stdio: 'ignore' as const }
  execFileSync('git', ['add', '-A'], options)
  execFileSync('git', [...me, 'commit', '-qm', subject], options)
}

mkdirSync(root)
execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root })
const gate = 'export function openGate(origins) {\n  return origins.length\n}\n'
commit('Start with a gate', { 'src/gate.ts': gate, 'src/door.ts': 'export const door = 1\n', 'a.lock': 'x\n' })
commit('Let the gate take a list of origins (#7)', { 'src/gate.ts': gate.replace('length', 'every(Boolean)') })
commit('Paint everything in a nicer colour', { 'src/door.ts': 'export const door = 2\n' })
commit('chore(deps): bump the lock of all', { 'a.lock': 'y\n' })

const machine = new Machine({ cwd: root, home: folder, env: { PATH: process.env.PATH }, now: () => new Date() })

it('test --history asks the last commits for the files they changed, with the tree before each', async () => {
  const before = readdirSync(root, { recursive: true }).length
  const value = await evaluateHistory(machine, { commits: 10 })
  const half = { first: 0.5, five: 0.5, all: 0.5, lines: 0.5 }
  expect(value).toMatchObject({ tasks: 2, recall: { loadout: half, bm25: half } })
  expect(value.misses).toEqual([
    {
      commit: expect.stringMatching(/^[0-9a-f]{10}$/),
      task: 'Paint everything in a nicer colour',
      wanted: [{ path: 'src/door.ts', rank: null }],
      first: [],
    },
  ])
  expect(readdirSync(root, { recursive: true })).toHaveLength(before)
})

it('measures with the settings of the project', async () => {
  writeFileSync(join(root, 'loadout.json'), '{ "version": 1, "project": { "exclude": ["src/gate.ts"] } }')
  const value = await evaluateHistory(machine, { commits: 10 })
  expect(value.recall.loadout.all).toBe(0)
  rmSync(join(root, 'loadout.json'))
})

it('test --history is printed as a table with the misses', () => {
  const { code, stdout } = runWarm(['eval', '--history', '5'], { cwd: root })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^2 commits tested/)
  expect(stdout).toMatch(/loadout +50 % +50 % +50 % +50 %\n +plain BM25 /)
  expect(stdout).toContain('changed  src/door.ts  (not found)')
  expect(runWarm(['eval', '--history', '0'], { cwd: root }).code).toBe(2)
  const outside = runWarm(['eval', '--history', '5'], { cwd: folder })
  expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('has no git history')])
})
