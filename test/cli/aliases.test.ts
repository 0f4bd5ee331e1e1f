import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runLoadout } from './run.ts'
import { makeMachine, skill } from './skills-machine.ts'

const ALIASES = COMMANDS.flatMap(({ aliases = {} }) => Object.keys(aliases))

describe('aliases', () => {
  it('are names that no command and no other alias has', () => {
    const names = [...COMMANDS.map(({ name }) => name), ...ALIASES]
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it('are not listed by help, completion and documentation', () => {
    const listed = [...readFileSync('docs/commands.md', 'utf8').matchAll(/^### loadout (.+)$/gm)].map(
      ([, name]) => name,
    )
    const helped = [...runLoadout([]).stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}/gm)].map(([, name]) => name)
    const [, completed = ''] =
      /COMP_CWORD" -eq 1.*?compgen -W "(.*?)"/s.exec(runLoadout(['completion', 'bash']).stdout) ?? []
    expect(helped.length).toBeGreaterThan(30)
    for (const alias of ALIASES) expect([...listed, ...helped, ...completed.split(' ')]).not.toContain(alias)
  })
})

describe('words that people type', () => {
  const machine = makeMachine({ skills: skill('alpha') })

  it.each([
    [['list'], ['inventory']],
    [
      ['ls', '--json'],
      ['inventory', '--json'],
    ],
    [
      ['install', 'alpha', '--dry-run'],
      ['equip', 'alpha', '--dry-run'],
    ],
    [
      ['add', 'alpha', '--dry-run'],
      ['equip', 'alpha', '--dry-run'],
    ],
    [
      ['remove', 'alpha', '--dry-run'],
      ['unequip', 'alpha', '--dry-run'],
    ],
    [
      ['uninstall', 'alpha', '--dry-run'],
      ['unequip', 'alpha', '--dry-run'],
    ],
    [['version'], ['--version']],
    [
      ['help', 'ls'],
      ['help', 'inventory'],
    ],
    [
      ['ls', '--help'],
      ['help', 'inventory'],
    ],
    [
      ['ls', '--nonsense'],
      ['inventory', '--nonsense'],
    ],
  ])('%j runs %j', (typed, meant) => {
    const run = machine.run(...typed)
    expect(run).toEqual(machine.run(...meant))
    expect([...run.stdout, ...run.stderr]).not.toHaveLength(0)
  })

  it.each([
    [['update'], 'loadout sync'],
    [['status'], 'loadout doctor'],
    [['status', '--json'], 'loadout doctor'],
    [['update', '--all'], 'loadout sync'],
    [['add', 'https://example.com/skills.git'], 'loadout import https://example.com/skills.git'],
    [['install', './alpha'], 'loadout import ./alpha'],
  ])('%j points to what does it today', (typed, command) => {
    const run = machine.run(...typed)
    expect(run.code).toBe(2)
    expect(run.stderr).toContain(command)
  })
})
