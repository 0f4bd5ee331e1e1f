import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectCivil, treeOf } from './civil.ts'
import { aLinkTo, aPipe, makeFolder, makeProject } from './run.ts'
import { runWarm } from './warm.ts'

const PAYLOAD = '---\nid: a\nsummary: A thing\nkeywords: [alpha]\n---\n\nalpha\n'
const PACK = '---\nname: birds\ndescription: Birds.\ntype: domain-reference\nstatus: ready\n---\n\n# Birds\n'
const ADAPTER = { id: 'birds', command: ['node', 'tools/birds.js'] }

describe('no home: one clear message, and nothing is written', () => {
  it.each([
    ['empty', ''],
    ['relative', 'home'],
  ])('%s', (_, home) => {
    const cwd = makeProject({ '.claude/loadout/a.md': PAYLOAD })
    const before = treeOf(cwd)
    for (const [code, ...args] of [
      [1, 'plan', 'alpha'],
      [2, 'packs', 'list'],
    ] as [number, ...string[]][]) {
      const run = runWarm(args, { cwd, home })
      expectCivil(run)
      expect.soft([run.code, run.stderr]).toEqual([code, expect.stringContaining('there is no home folder')])
    }
    expect(treeOf(cwd)).toEqual(before)
  })
})

describe('a home that is no folder: what only reads works, what must be kept is an error', () => {
  it.each([
    ['a device', () => '/dev/null'],
    ['a file', () => join(makeProject({ home: '' }), 'home')],
    ['below a file', () => join(makeProject({ file: '' }), 'file/home')],
  ])('%s', (_, home) => {
    const cwd = makeProject({ '.claude/loadout/a.md': PAYLOAD, '.agents/knowledge/birds/KNOWLEDGE.md': PACK })
    const before = treeOf(cwd)
    for (const [code, ...args] of [
      [0, 'plan', 'alpha'],
      [0, 'packs', 'list'],
      [2, 'approve', 'pack:birds'],
    ] as const) {
      const run = runWarm(args, { cwd, home: home() })
      expectCivil(run)
      expect
        .soft([run.code, run.stderr], args.join(' '))
        .toEqual([code, expect.stringContaining(code === 2 ? 'not a folder' : '')])
    }
    expect(treeOf(cwd)).toEqual(before)
  })
})

describe('a home in which nothing can be made: what is only recorded is a warning, what must be kept is an error', () => {
  const homes: [what: string, home: string | (() => string), isBound: boolean][] = [
    // Below /proc the system says of a folder that is there that it is missing.
    ['/proc', '/proc', false],
    ['of a process', '/proc/self', false],
    ['read-only', makeReadOnly, true],
  ]
  it.each(homes)('%s', (_, named, isBound) => {
    const home = typeof named === 'string' ? named : named()
    const cwd = makeProject({ '.claude/loadout/a.md': PAYLOAD, '.agents/knowledge/birds/KNOWLEDGE.md': PACK })
    expect(runWarm(['index', 'build'], { cwd }).code).toBe(0)
    const before = treeOf(cwd)
    for (const [code, message, ...args] of [
      [0, 'the use was not recorded', 'plan', 'alpha'],
      [0, 'could not be recorded', 'context', 'alpha'],
      [2, 'could not be written', 'approve', 'pack:birds'],
      [2, 'could not be written', 'note', 'add', 'remember'],
      [2, 'could not be written', 'hooks', 'install', 'claude'],
      [2, 'could not be written', 'agents', 'disable', 'codex'],
    ] as const) {
      const run = runWarm(args, { cwd, home, isBound, isAlone: true })
      expectCivil(run)
      expect.soft([run.code, run.stderr], args.join(' ')).toEqual([code, expect.stringContaining(message)])
    }
    expect(treeOf(cwd)).toEqual(before)
  })
})

function makeReadOnly(): string {
  const home = makeFolder()
  chmodSync(home, 0o555)
  return home
}

describe('what a hook reads', () => {
  const ask = (cwd: string) => JSON.stringify({ session_id: 's', cwd, prompt: 'about alpha' })
  const hook = (cwd: string, home: string) =>
    runWarm(['hook', 'claude', 'UserPromptSubmit'], {
      cwd,
      home,
      stdin: ask(cwd),
    })

  it('5 MB of opening brackets as an index cost it that layer', () => {
    const cwd = makeProject({ '.claude/loadout/index.json': '['.repeat(5_000_000) })
    const run = hook(cwd, makeFolder())
    expect([run.code, run.stdout]).toEqual([0, ''])
    for (const [code, ...args] of [
      [1, 'plan', 'alpha'],
      [1, 'validate'],
      [0, 'context', 'alpha'],
    ] as const) {
      const other = runWarm(args, { cwd, isAlone: true })
      expectCivil(other)
      expect
        .soft([other.code, other.stdout + other.stderr])
        .toEqual([code, expect.stringContaining('layer is not used')])
    }
  })

  it('pipes in place of its caches, its sessions and its log', async () => {
    const [cwd, home] = [makeProject({ '.claude/loadout/a.md': PAYLOAD }), makeFolder()]
    runWarm(['index', 'build'], { cwd, home })
    // A file that was written just now is not remembered: it may change again within the same tick of the clock.
    await new Promise((wake) => setTimeout(wake, 200))
    const first = hook(cwd, home)
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('alpha')])
    const files = ['.cache/loadout', '.local/state/loadout'].flatMap((folder) => filesIn(join(home, folder)))
    expect(files.length).toBeGreaterThan(2)
    for (const path of [...files, join(home, '.local/state/loadout/hooks.log')]) {
      rmSync(path, { force: true })
      aPipe(path)
    }
    const run = hook(cwd, home)
    expectCivil(run)
    expect(run.code).toBe(0)
    expectCivil(runWarm(['hooks', 'status'], { cwd, home, isAlone: true }))
  })
})

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

it('a pipe in place of a file of git is not waited for', () => {
  const cwd = makeProject({ 'README.md': 'hello\n' })
  execFileSync('git', ['init', '--quiet', '--template=', cwd])
  const home = makeProject({ '.config/loadout/config.json': JSON.stringify({ repo_path: cwd }) })
  aPipe(join(cwd, '.git/index'))
  for (const [code, ...args] of [
    [0, 'context', 'hello'],
    [2, 'sync'],
    [1, 'doctor'],
  ] as const) {
    const run = runWarm(args, { cwd, home, isAlone: true })
    expectCivil(run)
    expect.soft([args[0], run.code]).toEqual([args[0], code])
    if (code > 0)
      expect.soft((run.stdout + run.stderr).replace(/\s+/g, ' ')).toContain('.git/index is not a regular file')
  }
})

it('both settings files broken: one message names both', () => {
  const cwd = makeProject({ 'loadout.json': '{', '.claude/loadout/a.md': PAYLOAD })
  const home = makeProject({ '.config/loadout/config.json': '[' })
  for (const args of [
    ['context', 'alpha'],
    ['plan', 'alpha'],
    ['index', 'build'],
    ['note', 'list'],
  ]) {
    const run = runWarm(args, { cwd, home })
    expectCivil(run)
    expect.soft(run.code, args.join(' ')).toBe(2)
    for (const name of ['loadout.json', 'config.json']) expect.soft(run.stderr.split(name)).toHaveLength(2)
  }
})

it('an index that is a link out of its project is not read', () => {
  const out = makeProject({ 'index.json': '{"entries":[{"id":"secret","path":"s.md","keywords":["alpha"]}]}' })
  const cwd = makeProject({ '.claude/loadout/index.json': aLinkTo(join(out, 'index.json')) })
  const run = runWarm(['plan', 'alpha'], { cwd })
  expectCivil(run)
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('a link that leaves its root')])
  expect(run.stdout + run.stderr).not.toContain('secret')
})

describe('an answer about a name that a pack and an adapter have', () => {
  const project = () =>
    makeProject({
      'loadout.json': JSON.stringify({ adapters: [ADAPTER] }),
      'tools/birds.js': 'console.log("{}")\n',
      '.agents/knowledge/birds/KNOWLEDGE.md': PACK,
    })

  it.each(['approve', 'deny'])('%s lists the choices', (command) => {
    const run = runWarm([command, 'birds'], { cwd: project() })
    expectCivil(run)
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('say which: pack:birds, adapter:birds')])
  })

  it('approve names the files that the approval of an adapter covers; revoke lists the choices', () => {
    const [cwd, home] = [project(), makeFolder()]
    const approved = runWarm(['approve', 'adapter:birds'], { cwd, home })
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('tools/birds.js')])
    expect(runWarm(['deny', 'pack:birds'], { cwd, home }).code).toBe(0)
    const run = runWarm(['revoke', 'birds'], { cwd, home })
    expectCivil(run)
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/say which: \S+:birds, \S+:birds/)])
  })
})

it('config names the file, and says when it is not there', () => {
  const home = makeProject({ '.config/loadout/config.json': '{"repo_path":"~/library"}' })
  const [there, missing] = [runWarm(['config'], { home }), runWarm(['config'])]
  expect([there.code, missing.code]).toEqual([0, 0])
  expect(there.stdout).toContain('~/library')
  expect(missing.stdout).toContain('config.json (not written yet)')
})
