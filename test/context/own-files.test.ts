import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { buildContext, replay } from '../../src/answer/answer.ts'
import type { ContextRequest } from '../../src/answer/settings.ts'
import { Machine } from '../../src/machine/machine.ts'
import { makeFolder, makeProject } from '../cli/run.ts'

const GATE = 'export function openGate(origins: string[]) {\n  return origins.length\n}\n'
const TEST = 'it("opens", () => openGate(["a"]))\n'
const TASK = 'let openGate take more origins'

function worldOf(files: Readonly<Record<string, string>>) {
  const machine = new Machine({
    cwd: makeProject(files),
    home: makeFolder(),
    env: { PATH: process.env.PATH },
    now: () => new Date(),
  })
  const ask = async (more: Partial<ContextRequest> = {}) =>
    (await buildContext(machine, { task: TASK, ...more })).bundle
  return { machine, ask }
}

const planeOf = ({ files }: Awaited<ReturnType<ReturnType<typeof worldOf>['ask']>>) =>
  files.filter(({ source_class }) => source_class === 'control_plane').map(({ path }) => path)

it.each<[string, Record<string, string>, string[]]>([
  ['an import', { 'CLAUDE.md': '@AGENTS.md\n', 'AGENTS.md': 'Rules.\n' }, ['AGENTS.md']],
  ['a sentence', { 'CLAUDE.md': '# Claude\n\nSee [AGENTS.md](AGENTS.md).\n', 'AGENTS.md': 'Rules.\n' }, ['AGENTS.md']],
  ['another file', { 'CLAUDE.md': 'Read @docs/rules.md first.\n', 'docs/rules.md': 'Rules.\n' }, ['docs/rules.md']],
  ['a nested one', { 'src/CLAUDE.md': '@../AGENTS.md\n', 'AGENTS.md': 'Rules.\n', 'src/gate.ts': GATE }, ['AGENTS.md']],
  [
    'more than that',
    {
      'CLAUDE.md': 'Never push to main. Run the tests before each commit, with coverage. See AGENTS.md for all else.\n',
      'AGENTS.md': 'Rules.\n',
    },
    ['AGENTS.md', 'CLAUDE.md'],
  ],
  ['what is not there', { 'CLAUDE.md': 'See RULES.md.\n' }, ['CLAUDE.md']],
  ['each other', { 'CLAUDE.md': '@AGENTS.md\n', 'AGENTS.md': '@CLAUDE.md\n' }, ['AGENTS.md', 'CLAUDE.md']],
])('an instruction file that says only %s is followed, and what says more is kept', async (_, files, expected) => {
  expect(planeOf(await worldOf(files).ask())).toEqual(expected)
})

it('tests are named, or shown behind their file on demand, and that is replayed', async () => {
  const { machine, ask } = worldOf({ 'src/gate.ts': GATE, 'src/gate.test.ts': TEST })
  const pointed = await ask()
  expect(pointed.files.map(({ path }) => path)).toEqual(['src/gate.ts'])
  expect(pointed.pointers?.map(({ group, path }) => [group, path])).toEqual([['test', 'src/gate.test.ts']])
  const shown = await ask({ withTests: true })
  expect(shown.files.map(({ path }) => path)).toEqual(['src/gate.ts', 'src/gate.test.ts'])
  const value = await replay(machine, { id: shown.digest.slice(0, 16) })
  expect(value).toMatchObject({ changes: [], context: { bundle: { digest: shown.digest } } })
})

it('a document that only past commits speak for is named, not shown', async () => {
  const { machine, ask } = worldOf({ 'src/gate.ts': GATE, 'docs/intro.md': '# Welcome\n\nHello.\n' })
  const me = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
  const git = (...words: string[]) => execFileSync('git', ['-C', machine.cwd, ...me, ...words])
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Let openGate take more origins')
  const { files, pointers } = await ask()
  expect(files.map(({ path }) => path)).toEqual(['src/gate.ts'])
  expect(pointers?.map(({ path }) => path)).toEqual(['docs/intro.md'])
})
