import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMANDS, findCommand } from '../../src/cli/commands.ts'
import { makeMachine, skill } from './skills-machine.ts'
import { runWarm } from './warm.ts'

const ALIASES = COMMANDS.flatMap(({ aliases = {} }) => Object.keys(aliases))

describe('aliases', () => {
  it('are names that no command and no other alias has', () => {
    const names = [...COMMANDS.map(({ name }) => name), ...ALIASES]
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  it('are not listed by help, completion and documentation', () => {
    const listed = [...readFileSync('docs/commands.md', 'utf8').matchAll(/^####? loadout (.+)$/gm)].map(
      ([, name]) => name,
    )
    const helped = [...runWarm(['help', '--all']).stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}/gm)].map(([, name]) => name)
    const [, completed = ''] =
      /COMP_CWORD" -eq 1.*?compgen -W "(.*?)"/s.exec(runWarm(['completion', 'bash']).stdout) ?? []
    expect(helped.length).toBeGreaterThan(30)
    for (const alias of ALIASES) expect([...listed, ...helped, ...completed.split(' ')]).not.toContain(alias)
  })
})

/** The commands of the first public reference: each of them runs for ever. */
const EARLIER =
  'inventory, suggest, inspect, equip, unequip, sync, diff, adopt, merge, doctor, init, new, import, targets, outdated, update, undo, pin, unpin, delete, share, plugin build, status, config, agents, agents enable, agents disable, profile save, profile apply, profile switch, profile list, context, replay, plan, search, lookup, explain, resolve, packs resolve, packs list, packs show, packs guide, packs new, packs compile, packs status, packs example, packs fetch, approve, deny, revoke, trust, note add, note list, note prune, adapters list, teach, eval, index build, index check, index migrate, validate, see, rules list, hooks install, hooks remove, hooks status, hook, mcp, agents-md, usage, replay-prompts, audit list, audit prune, team join, team leave, team status, team push, team report, catalog search, catalog publish, catalog approve, catalog retire, catalog quarantine, catalog sign, catalog accept, team serve, team invite, team tokens, team revoke, team machines, team migrate, web, try, completion'

it('every earlier name of a command still runs it', () => {
  for (const name of EARLIER.split(', ')) expect(findCommand([...name.split(' '), '-']).rest.at(-1), name).toBe('-')
})

describe('words that people type', () => {
  const machine = makeMachine({ skills: skill('alpha') })

  it.each([
    [['list'], ['inventory']],
    [
      ['--json', 'list'],
      ['list', '--json'],
    ],
    [
      ['list', '--no-color'],
      ['--no-color', 'list'],
    ],
    [
      ['equip', 'alpha', '--dry-run', '--agent', 'claude'],
      ['install', 'alpha', '--dry-run', '--target=claude'],
    ],
    [['profile'], ['help', 'profile']],
    [['packs'], ['help', 'packs']],
    [['index'], ['help', 'index']],
    [
      ['team', '--json'],
      ['help', 'team', '--json'],
    ],
    [['skills'], ['inventory']],
    [
      ['ls', '--json'],
      ['inventory', '--json'],
    ],
    [
      ['install', 'alpha', '--dry-run'],
      ['equip', 'alpha', '--dry-run'],
    ],
    [
      ['remove', 'alpha', '--copies', '--dry-run'],
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
    [['install', 'https://example.com/skills.git'], 'loadout add https://example.com/skills.git'],
    [['install', './alpha'], 'loadout add ./alpha'],
  ])('%j points to what does it today', (typed, command) => {
    const run = machine.run(...typed)
    expect(run.code).toBe(2)
    expect(run.stderr).toContain(command)
  })
})

describe('calls that are nearly right', () => {
  const machine = makeMachine({ skills: skill('alpha') })

  it.each([
    [['new', 'My Skill'], 'try: loadout new my-skill'],
    [['import', 'x.zip'], 'x.zip does not exist'],
    [['init', 'somewhere'], 'loadout init --new somewhere'],
    [['context', 'a task', '--bugdet', '3'], 'did you mean --budget?'],
    [['install', 'alpha', '--agnet', 'claude'], 'did you mean --agent?'],
    [['lits'], 'did you mean list?'],
    [['eqip'], 'did you mean equip?'],
  ])('%j says what would be right', (typed, told) => {
    const run = machine.run(...typed)
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain(told)
  })

  it('see without an agent has a line for each agent', () => {
    machine.write('.claude/skills/loose/SKILL.md', '---\nname: loose\ndescription: Text.\n---\nText.\n')
    expect(machine.run('see')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Claude Code') })
    expect(JSON.parse(machine.run('see', '--json').stdout).agents).toContainEqual(
      expect.objectContaining({ agent: 'claude' }),
    )
  })

  it('init --clone takes the folder as git does', () => {
    const clone = ['init', '--clone', machine.path('library'), machine.path('elsewhere')]
    expect(machine.run(...clone, '--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining('elsewhere') })
  })
})

describe('one command for every kind', () => {
  const pack =
    '---\nname: radio\ndescription: How the radio works.\ntype: domain\nstatus: ready\ntrust: trusted\nversion: 1.0.0\n---\n# Radio\n'
  const payload = '---\nid: release\nkeywords: [release]\nsummary: How to release.\n---\nText.\n'
  const machine = makeMachine({ skills: skill('deploy') })
  machine.write('.agents/knowledge/radio/KNOWLEDGE.md', pack)
  machine.write('work/.claude/loadout/release.md', payload)
  machine.write('work/loadout.json', JSON.stringify({ adapters: [{ id: 'tickets', command: ['node', 'x.js'] }] }))
  const here = { cwd: machine.path('work') }
  runWarm(['index', 'build'], { ...here, home: machine.home })

  it.each([
    ['release', 'defined in  project'],
    ['payload:release', 'defined in  project'],
    ['radio', '+ trust'],
    ['pack:radio', '+ trust'],
    ['pack:../.agents/knowledge/radio', '+ place'],
    ['deploy', 'loadout install deploy'],
    ['skill:deploy', 'found in the library'],
    ['adapter:tickets', 'runs node x.js'],
    ['tickets', 'not approved'],
  ])('explain %s', (id, told) => {
    const run = machine.runWith(here, 'explain', id)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain(told)
  })

  it('explain --task says whether the task uses a skill', () => {
    const [hit, miss] = ['deploy', 'zebra'].map((task) =>
      machine.runWith(here, 'explain', 'skill:deploy', '--task', task),
    )
    expect(hit?.stdout).toContain('+ task    number 1 among the skills')
    expect(miss?.stdout).toContain('- task    the task does not match it')
  })

  it.each([
    ['pack:radio', 'pack'],
    ['radio', 'pack'],
    ['skill:deploy', 'skill'],
    ['release', 'payload'],
  ])('validate %s checks a %s', (id, kind) => {
    expect(machine.runWith(here, 'validate', id).stdout).toContain(`checked  ${kind}  `)
  })

  it.each([
    [['dead'], ['usage', '--dead']],
    [
      ['overlaps', '--json'],
      ['usage', '--overlaps', '--json'],
    ],
    [
      ['budget', '--project', '.'],
      ['usage', '--budget', '--project', '.'],
    ],
    [
      ['packs', 'why', 'radio', '--json'],
      ['explain', 'pack:radio', '--json'],
    ],
    [
      ['packs', 'eval', 'radio'],
      ['eval', 'pack:radio'],
    ],
    [
      ['usage', '--similar', '--json'],
      ['test', '--similar', '--json'],
    ],
  ])('%j is %j', (alias, command) => {
    const run = machine.runWith(here, ...alias)
    expect(run).toEqual(machine.runWith(here, ...command))
    expect(run.code).not.toBe(2)
  })

  it.each([
    [['usage', '--dead', '--budget'], '--dead and --budget cannot be combined'],
    [['usage', '--dead', '--since', '3d'], '--since and --dead cannot be combined'],
    [['usage', '--project', '.'], '--project needs --dead, --overlaps or --budget'],
    [['overlaps', 'a', 'b'], 'Unexpected argument: b'],
    [['eval', 'pack:radio', '--min', '3'], '--min does not apply to packs'],
    [['eval', 'pack:radio', 'train', 'x'], 'Unexpected argument: x'],
    [['eval', 'x.jsonl', 'y.jsonl'], 'Unexpected argument: y.jsonl'],
    [['packs', 'validate'], '<path> is missing'],
    [['packs', 'eval'], '<pack> is missing'],
    [['explain', 'nothing'], 'there is no entry "nothing"'],
  ])('%j is refused', (call, told) => {
    const run = machine.runWith(here, ...call)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(told)
  })
})
