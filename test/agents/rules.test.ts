import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RECORDED_AGENTS } from '../../src/agents/rules/recorded-rules.ts'
import type { SeenByAgent } from '../../src/loadout.ts'
import { aFolder, aLinkTo, aPipe, type Content, makeFolder, makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const packed = (version: unknown) => JSON.stringify({ name: '@anthropic-ai/claude-code', version })
const PACKAGE = 'lib/node_modules/@anthropic-ai/claude-code'

const see = (home: string, ...args: string[]): SeenByAgent =>
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

it('rules list names every agent whose rules were recorded, with its versions', () => {
  const { stdout } = runWarm(['rules', 'list'], { home: makeFolder() })
  expect(stdout).toMatch(/^agent +recorded +versions\nclaude +\d{4}-\d\d-\d\d +2\.1\.197, 2\.1\.326\n/)
  expect(
    stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]),
  ).toEqual([...RECORDED_AGENTS])
})
