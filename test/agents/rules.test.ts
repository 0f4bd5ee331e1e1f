import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentSight } from '../../src/loadout.ts'
import { expectCivil, treeOf } from '../cli/civil.ts'
import { aFolder, aLinkTo, aPipe, type Content, makeFolder, makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const packed = (version: unknown) => JSON.stringify({ name: '@anthropic-ai/claude-code', version })
const PACKAGE = 'lib/node_modules/@anthropic-ai/claude-code'

const see = (home: string, ...args: string[]): AgentSight =>
  JSON.parse(runWarm(['see', 'claude', '--json', ...args], { home, env: { PATH: join(home, 'bin') } }).stdout)
const shown = (home: string) => runWarm(['see', 'claude'], { home, env: { PATH: join(home, 'bin') } }).stdout

describe('the installed version', () => {
  const rows: [why: string, files: Record<string, Content>, version: string | undefined, says: string][] = [
    [
      'nothing is installed',
      { 'bin/other': '' },
      undefined,
      'Claude Code was not found in the PATH: these are the rules of Claude Code 2.1.326',
    ],
    [
      'npm',
      {
        [`${PACKAGE}/package.json`]: packed('2.1.326'),
        [`${PACKAGE}/cli.js`]: '',
        'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`),
      },
      '2.1.326',
      'These are the rules of Claude Code 2.1.326',
    ],
    [
      'a newer one',
      {
        [`${PACKAGE}/package.json`]: packed('2.2.0'),
        [`${PACKAGE}/cli.js`]: '',
        'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`),
      },
      '2.2.0',
      'You have 2.2.0; the nearest known rules are those of Claude Code 2.1.326',
    ],
    [
      'an older one',
      {
        [`${PACKAGE}/package.json`]: packed('2.1.200'),
        [`${PACKAGE}/cli.js`]: '',
        'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`),
      },
      '2.1.200',
      'You have 2.1.200; the nearest known rules are those of Claude Code 2.1.197',
    ],
    [
      'its own installer',
      {
        '.local/share/claude/versions/2.1.326': 'binary',
        'bin/claude': aLinkTo('../.local/share/claude/versions/2.1.326'),
      },
      '2.1.326',
      'These are the rules of',
    ],
    [
      'a script that starts it',
      {
        [`${PACKAGE}/package.json`]: packed('2.1.326-beta.1'),
        'bin/claude': `#!/bin/sh\nexec node "$basedir/../${PACKAGE}/cli.js" "$@"\n`,
      },
      '2.1.326',
      'These are the rules of',
    ],
    [
      'its old place',
      { '.claude/local/node_modules/@anthropic-ai/claude-code/package.json': packed('2.1.197') },
      '2.1.197',
      'These are the rules of Claude Code 2.1.197',
    ],
    [
      'a program without a version',
      { 'bin/claude': 'binary' },
      undefined,
      'The version of ~/bin/claude is unknown: no file beside it contains the version',
    ],
    ['half removed', { 'bin/claude': aLinkTo('../gone/claude') }, undefined, 'is unknown: it is a broken link'],
    [
      'no version in its package',
      {
        [`${PACKAGE}/package.json`]: packed('soon'),
        [`${PACKAGE}/cli.js`]: '',
        'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`),
      },
      undefined,
      'is unknown: its package.json has no version',
    ],
    [
      'a package that is broken',
      { [`${PACKAGE}/package.json`]: '{', [`${PACKAGE}/cli.js`]: '', 'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`) },
      undefined,
      'is unknown: the package.json beside it is not valid',
    ],
    ['a pipe in its place', { 'bin/claude': aPipe }, undefined, 'was not found'],
    ['a folder in its place', { 'bin/claude': aFolder }, undefined, 'was not found'],
    [
      'of another program, in a folder with a version',
      { 'tools/node/20.1.0/bin/claude': 'binary', 'bin/claude': aLinkTo('../tools/node/20.1.0/bin/claude') },
      undefined,
      'no file beside it contains the version',
    ],
  ]
  it.each(rows)('%s', (_, files, version, says) => {
    const home = makeProject(files)
    expect(see(home).program?.version).toBe(version)
    expect(shown(home).replaceAll(/\s+/g, ' ')).toContain(says)
  })

  it('AGENTS.md counts with the version that reads it, where the project has no CLAUDE.md', () => {
    const files = (version: string, more = {}) =>
      makeProject({
        'bin/claude': aLinkTo(`../share/claude/${version}`),
        [`share/claude/${version}`]: '',
        'p/AGENTS.md': 'x',
        ...more,
      })
    const read = (home: string) =>
      see(home, '--project', join(home, 'p')).instructions.map(({ path }) => path.slice(home.length + 3))
    expect(read(files('2.1.197'))).toEqual([])
    expect(read(files('2.1.326'))).toEqual(['AGENTS.md'])
    expect(read(files('2.1.326', { 'p/CLAUDE.md': 'y' }))).toEqual(['CLAUDE.md'])
  })
})

const RULES = join(import.meta.dirname, '../../src/agents/rules/recorded')
const claude = () => JSON.parse(readFileSync(join(RULES, 'claude.json'), 'utf8'))
const newer = (window: number) => {
  const file = claude()
  return { ...file, rows: [...file.rows, { version: '2.9.0', recorded: '2027-01-01', listing: { window } }] }
}

describe('rules update', () => {
  it('takes newer rules, which see then goes by', () => {
    const home = makeProject({ 'new/claude.json': JSON.stringify(newer(2_000_000)) })
    const update = (...words: string[]) => runWarm(['rules', 'update', ...words], { home, cwd: home })
    expect(update('new', '--dry-run').stdout).toBe(
      'Nothing was changed. This would be done:\n  installed  claude  2.9.0  recorded on 2027-01-01\n',
    )
    expect(treeOf(home).some((path) => path.includes('state'))).toBe(false)
    const taken = update('new/claude.json')
    expectCivil(taken)
    expect(taken.stdout).toBe('  installed  claude  2.9.0  recorded on 2027-01-01\n')
    expect(see(home)).toMatchObject({
      recordedFrom: { version: '2.9.0', day: '2027-01-01' },
      budget: { budget: 60_000 },
    })
    expect(update('new').stdout).toContain('already here  claude')
    expect(runWarm(['rules', 'list'], { home }).stdout).toContain('claude    2027-01-01  2.1.197, 2.1.326, 2.9.0')
    writeFileSync(join(home, 'new/claude.json'), JSON.stringify(claude()))
    expect(update('new').stdout).toContain('older than the current one  claude')
  })

  it('a file that went bad later is reported, and does not count', () => {
    const home = makeProject({ '.local/state/loadout/rules/claude.json': '{"agent":' })
    const run = runWarm(['see', 'claude'], { home })
    expect(run.stdout).toContain('lists skills in 30,000')
    expect(run.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /claude\.json: it is not valid JSON.*the rules that came with loadout are used/,
    )
  })

  const bad: [why: string, make: (home: string) => void, says: RegExp][] = [
    ['nothing there', () => {}, /new does not exist/],
    ['an empty folder', (home) => mkdirSync(join(home, 'new')), /new has no JSON file/],
    ['no JSON', (home) => writeFileSync(join(home, 'new'), 'x'), /not valid JSON: see line 1/],
    [
      'an unknown agent',
      (home) => writeFileSync(join(home, 'new'), JSON.stringify({ ...claude(), agent: 'cladue' })),
      /there is no agent "cladue"/,
    ],
    [
      'a wrong value',
      (home) => writeFileSync(join(home, 'new'), JSON.stringify(newer(-1))),
      /"rows\[2\]\.listing\.window" must be at least 1/,
    ],
    [
      'two of one agent',
      (home) => {
        mkdirSync(join(home, 'new'))
        for (const name of ['a', 'b']) writeFileSync(join(home, 'new', `${name}.json`), JSON.stringify(newer(1)))
      },
      /two files of new are about claude/,
    ],
    [
      'one bad file beside a good one',
      (home) => {
        mkdirSync(join(home, 'new'))
        writeFileSync(join(home, 'new', 'a.json'), JSON.stringify(newer(1)))
        writeFileSync(join(home, 'new', 'b.json'), '[]')
      },
      /must be a JSON object/,
    ],
    ['a device', (home) => symlinkSync('/dev/zero', join(home, 'new')), /new/],
  ]
  it.each(bad)('refuses %s, and takes nothing', (_, make, says) => {
    const home = makeFolder()
    make(home)
    const run = runWarm(['rules', 'update', 'new'], { home, cwd: home })
    expectCivil(run)
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toMatch(says)
    expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(2)
    expect(treeOf(home).some((path) => path.includes('state'))).toBe(false)
  })
})
