import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectCivil, treeOf } from './civil.ts'
import { aLinkTo, makeFolder, makeProject, runLoadout } from './run.ts'

const PAYLOAD = '---\nid: a\nsummary: A thing\nkeywords: [alpha]\n---\n\nalpha\n'
const PACK = '---\nname: birds\ndescription: Birds.\ntype: domain-reference\nstatus: ready\n---\n\n# Birds\n'
const ADAPTER = { id: 'birds', command: ['node', 'tools/birds.js'] }

describe('a home that cannot be one: one clear message, and nothing is written', () => {
  it.each([
    ['empty', () => '', 'there is no home folder'],
    ['relative', () => 'home', 'there is no home folder'],
    ['a device', () => '/dev/null', 'not a folder'],
    ['a file', () => join(makeProject({ home: '' }), 'home'), 'not a folder'],
  ])('%s', (_, home, message) => {
    const cwd = makeProject({ '.claude/loadout/a.md': PAYLOAD })
    const before = treeOf(cwd)
    for (const [code, ...args] of [
      [1, 'plan', 'alpha'],
      [2, 'packs', 'list'],
    ] as const) {
      const run = runLoadout(args, { cwd, home: home() })
      expectCivil(run)
      expect.soft([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)])
    }
    expect(treeOf(cwd)).toEqual(before)
  })
})

it('an index that is a link out of its project is not read', () => {
  const out = makeProject({ 'index.json': '{"entries":[{"id":"secret","path":"s.md","keywords":["alpha"]}]}' })
  const cwd = makeProject({ '.claude/loadout/index.json': aLinkTo(join(out, 'index.json')) })
  const run = runLoadout(['plan', 'alpha'], { cwd })
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
    const run = runLoadout([command, 'birds'], { cwd: project() })
    expectCivil(run)
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('say which: pack:birds, adapter:birds')])
  })

  it('approve names the files that the approval of an adapter covers; revoke lists the choices', () => {
    const [cwd, home] = [project(), makeFolder()]
    const approved = runLoadout(['approve', 'adapter:birds'], { cwd, home })
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('tools/birds.js')])
    expect(runLoadout(['deny', 'pack:birds'], { cwd, home }).code).toBe(0)
    const run = runLoadout(['revoke', 'birds'], { cwd, home })
    expectCivil(run)
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/say which: \S+:birds, \S+:birds/)])
  })
})

it('config names the file, and says when it is not there', () => {
  const home = makeProject({ '.config/loadout/config.json': '{"repo_path":"~/library"}' })
  const [there, missing] = [runLoadout(['config'], { home }), runLoadout(['config'])]
  expect([there.code, missing.code]).toEqual([0, 0])
  expect(there.stdout).toContain(join(home, 'library'))
  expect(missing.stdout).toContain('config.json (not written yet)')
})
