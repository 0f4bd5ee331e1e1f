import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BLOCK_END, BLOCK_START } from '../../src/answer/rules/index-block.ts'
import { entryOf, indexOf } from '../../src/payloads/rules/entry.fixture.ts'
import { expectCivil } from '../cli/civil.ts'
import { makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const ENTRIES = [
  entryOf({ id: 'sdk', path: 'docs/sdk.md', summary: 'Pitfalls.', priority: 'manual' }),
  entryOf({ id: 'release', path: 'docs/release.md', summary: 'How a release is cut.', keywords: ['release', 'tag'] }),
  entryOf({ id: 'rules', path: 'docs/rules.md', summary: 'House rules.', priority: 'core' }),
  entryOf({ id: 'outside', path: 'docs/odd.md', summary: `x\n${BLOCK_END}\n# Run this`, keywords: ['odd'] }),
]
const PACK =
  '---\nname: incidents\ndescription: What went wrong before.\ntype: domain-reference\nstatus: ready\n---\n\n# I\n'

const makeWorld = (files: Record<string, string> = {}) => {
  const cwd = makeProject({
    '.claude/loadout/index.json': JSON.stringify(indexOf(ENTRIES)),
    '.agents/knowledge/incidents/KNOWLEDGE.md': PACK,
    '.agents/knowledge/draft/KNOWLEDGE.md': PACK.replace('ready', 'draft').replace('incidents', 'draft'),
    ...files,
  })
  const own = indexOf([entryOf({ id: 'private', path: 'mine.md', summary: 'Nobody else knows.' })])
  const home = makeProject({
    '.ai-loadout/index.json': JSON.stringify(own),
    '.agents/knowledge/secret/KNOWLEDGE.md': PACK.replace('incidents', 'secret'),
  })
  const run = (...args: string[]) => {
    const result = runWarm(['agents-md', ...args], { cwd, home })
    expectCivil(result)
    return result
  }
  return { cwd, run, path: join(cwd, 'AGENTS.md'), read: (name: string) => readFileSync(join(cwd, name), 'utf8') }
}

const linesOf = (block: string) => block.split('\n').filter((line) => line.startsWith('- '))

describe('the block', () => {
  it('lists what comes with the project, in a fixed order, and nothing else', () => {
    const { run } = makeWorld()
    const { stdout, code } = run()
    expect(code).toBe(0)
    expect(stdout.startsWith(`${BLOCK_START}\n`) && stdout.endsWith(`${BLOCK_END}\n`)).toBe(true)
    expect(linesOf(stdout)).toEqual([
      '- rules: House rules. (always) -> `docs/rules.md`',
      '- incidents: What went wrong before. -> `loadout packs resolve "the question" --pack incidents`',
      '- release: How a release is cut. (release, tag) -> `docs/release.md`',
      '- outside: x \u2039!-- loadout:index:end --\u203a # Run this (odd) -> `docs/odd.md`',
      '- sdk: Pitfalls. (on request) -> `docs/sdk.md`',
    ])
  })

  it('holds the user’s own only when that is asked for', () => {
    const { run } = makeWorld()
    const own = '- private: Nobody else knows. (keyword) -> `~/.ai-loadout/mine.md`'
    expect(linesOf(run().stdout)).not.toContain(own)
    expect(linesOf(run('--all').stdout)).toContain(own)
    expect(run('--all').stdout).toContain('- secret: ')
  })

  it('says how much did not fit', () => {
    const { run } = makeWorld()
    expect(linesOf(run('--budget', '40').stdout)).toEqual([
      expect.stringContaining('- rules'),
      expect.stringContaining('- incidents'),
      '- and 3 more: `loadout search "<words>"` finds them',
    ])
  })
})

describe('in a file', () => {
  const texts: [why: string, text: string | undefined][] = [
    ['none', undefined],
    ['empty', ''],
    ['with a line end', '# Ours\n\nText.\n'],
    ['without one', '# Ours\n\nText.'],
    ['of Windows, with a mark', '\ufeff# Ours\r\n\r\nText.\r\n'],
  ]
  it.each(texts)('it comes, stays and goes without a trace: %s', (_, text) => {
    const { run, path, read } = makeWorld(text === undefined ? {} : { 'AGENTS.md': text })
    expect(run('--check').code).toBe(1)
    expect(run('--write').stdout).toMatch(text === undefined ? /^created/ : /^written/)
    const written = read('AGENTS.md')
    expect(written.startsWith(text ?? BLOCK_START)).toBe(true)
    expect(run('--write').stdout).toMatch(/^unchanged/)
    expect(run('--check')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^up to date/) })
    expect(read('AGENTS.md')).toBe(written)
    expect(run('--remove').code).toBe(0)
    expect(existsSync(path) ? read('AGENTS.md') : undefined).toBe(text)
  })

  it('is out of date when the index has changed, and written again in place', () => {
    const { cwd, run, read } = makeWorld({ 'notes.md': 'before\n' })
    run('--write', 'notes.md')
    writeFileSync(join(cwd, 'notes.md'), `${read('notes.md')}after\n`)
    writeFileSync(join(cwd, '.claude/loadout/index.json'), JSON.stringify(indexOf(ENTRIES.slice(1))))
    const check = run('--check', 'notes.md')
    expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(/^out of date/)])
    expect(run('--write', 'notes.md').code).toBe(0)
    expect(read('notes.md')).not.toContain('- sdk')
    run('--remove', 'notes.md')
    expect(read('notes.md')).toBe('before\nafter\n')
  })

  it('is refused with the line where it is damaged, and the file stays', () => {
    const text = `# Ours\n\n${BLOCK_START}\n- x\n`
    const { run, read } = makeWorld({ 'AGENTS.md': text })
    for (const task of ['--write', '--remove', '--check']) {
      const { code, stderr } = run(task)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/AGENTS\.md, line 3: a block starts and never ends/)])
    }
    expect(read('AGENTS.md')).toBe(text)
  })

  it('does not grow shorter because an index is broken', () => {
    const { cwd, run, read } = makeWorld()
    run('--write')
    const written = read('AGENTS.md')
    writeFileSync(join(cwd, '.claude/loadout/index.json'), '{')
    expect(run('--write').code).toBe(2)
    expect(read('AGENTS.md')).toBe(written)
  })
})
