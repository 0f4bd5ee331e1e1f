import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { makeFolder, makeProject, runShell } from './run.ts'
import {
  commitAll,
  expectNarrow,
  git,
  makeMachine,
  makeRepository,
  put,
  putAll,
  skill,
  type TestMachine,
} from './skills-machine.ts'

const BOTH = ['.claude/skills', '.codex/skills']

/** A second folder of the same person: a repository in which an agent is used. */
function makeAgentProject(machine: TestMachine, folder = 'work'): string {
  const project = makeRepository(machine.path(folder))
  mkdirSync(join(project, '.claude'))
  return project
}

describe('init', () => {
  it('makes a new library and says what comes next', () => {
    const machine = makeMachine({ config: false })
    const run = machine.run('init', '--new', '~/skills')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('loadout new <name>')
    expectNarrow(run.stdout)
    expect(git(machine.path('skills'), 'log', '--format=%s')).toBe('Start a library of skills')
    expect(JSON.parse(machine.read('.config/loadout/config.json'))).toEqual({
      repo_path: machine.path('skills'),
      targets: {
        claude: { enabled: true, path: '~/.claude/skills' },
        codex: { enabled: true, path: '~/.codex/skills' },
      },
      repo_actions: { import_auto_commit: true, delete_auto_commit: true },
    })
  })

  it('saves a relative path as an absolute one', () => {
    const machine = makeMachine({ config: false })
    makeRepository(machine.path('some/where'))
    const run = machine.runWith({ cwd: machine.path('some') }, 'init', '--repo', 'where', '--json')
    expect(JSON.parse(run.stdout)).toMatchObject({ library: machine.path('some/where'), how: 'taken', skills: 0 })
    expect(JSON.parse(machine.read('.config/loadout/config.json')).repo_path).toBe(machine.path('some/where'))
  })

  it('clones, and enables the agents that were named and no others', () => {
    const author = makeMachine({ skills: skill('alpha') })
    const machine = makeMachine({ config: false })
    const result = machine.json('init', '--clone', `file://${author.library}`, '--targets', 'claude,cursor')
    expect(result).toMatchObject({ how: 'cloned', skills: 1, agents: ['claude', 'cursor'], findings: [] })
    expect(machine.json<unknown[]>('agents')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'codex', isEnabled: false }),
        expect.objectContaining({ id: 'cursor', isEnabled: true }),
      ]),
    )
  })

  it('keeps a configuration that is there, through a link and with keys of others', () => {
    const machine = makeMachine({ config: false })
    const before = { theirs: { deep: [1] }, targets: { codex: '~/elsewhere', future: { path: 'x' } } }
    machine.write('dotfiles/loadout.json', JSON.stringify(before))
    mkdirSync(machine.path('.config/loadout'), { recursive: true })
    symlinkSync(machine.path('dotfiles/loadout.json'), machine.path('.config/loadout/config.json'))
    expect(machine.run('init', '--new', 'lib').code).toBe(1)
    expect(machine.run('agents', 'disable', 'codex').code).toBe(1)
    expect(lstatSync(machine.path('.config/loadout/config.json')).isSymbolicLink()).toBe(true)
    expect(JSON.parse(machine.read('dotfiles/loadout.json'))).toEqual({
      theirs: { deep: [1] },
      repo_path: machine.path('lib'),
      targets: {
        claude: { enabled: true, path: '~/.claude/skills' },
        codex: { path: '~/elsewhere', enabled: false },
        future: { path: 'x' },
      },
      repo_actions: { import_auto_commit: true, delete_auto_commit: true },
    })
  })

  it('does not ask without a terminal', () => {
    const machine = makeMachine({ config: false })
    const run = machine.run('init')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('--new <folder>')
    expect(machine.tree()).toEqual([])
    expect(machine.json('init', '--yes')).toMatchObject({ library: machine.path('skills') })
  })
})

describe('inventory and inspect', () => {
  it('show what is in the library and who has it', () => {
    const machine = makeMachine({
      skills: { ...skill('alpha', { tags: ['t'] }), ...skill('beta', { targets: ['codex'] }) },
    })
    machine.run('equip', 'alpha', '--target', 'claude')
    const run = machine.run('inventory')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/ {2}alpha +● user +○ +current\n {2}beta +– +○ +inactive\n/)
    expect(run.stdout).toContain('2 skills · 1 equipped')
    expectNarrow(run.stdout)
    expect(machine.json('inventory', '--tag', 't')).toMatchObject({
      library: machine.library,
      scope: 'user',
      agents: ['claude', 'codex'],
      skills: [{ name: 'alpha', state: 'current', placements: [{ agents: ['claude'], state: 'current' }] }],
    })
  })

  it('inspect shows the text as the library has it', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha')
    const run = machine.run('inspect', 'alpha')
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('\n# alpha\n\nThe text of alpha.\n')
    expect(machine.json('inspect', 'alpha')).toMatchObject({
      skill: { name: 'alpha', targets: ['claude', 'codex'] },
      markdown: '# alpha\n\nThe text of alpha.\n',
      placements: [{ state: 'current' }, { state: 'current' }],
    })
  })

  it('a tag that no skill has is not an empty library', () => {
    const run = makeMachine({ skills: skill('alpha', { tags: ['t'] }) }).run('inventory', '--tag', 'x')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('no skill has the tag x')
  })

  it('an empty library says how to begin', () => {
    const run = makeMachine().run('inventory')
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('loadout new <name>')
  })
})

describe('equip and unequip', () => {
  it('install a copy with frontmatter and marker, and remove it again', () => {
    const machine = makeMachine({ skills: skill('alpha', { claude: { model: 'large', 'allowed-tools': 'Read' } }) })
    const head = machine.git('rev-parse', 'HEAD')
    const run = machine.run('equip', 'alpha')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('2 installs changed')
    expect(machine.read('.claude/skills/alpha/SKILL.md')).toBe(
      '---\nname: alpha\ndescription: Does alpha\nallowed-tools: Read\nmodel: large\n---\n\n# alpha\n\nThe text of alpha.\n',
    )
    expect(machine.read('.codex/skills/alpha/SKILL.md')).toContain('description: Does alpha\n---\n\n# alpha')
    expect(JSON.parse(machine.read('.claude/skills/alpha/.loadout'))).toEqual({
      repo_commit: head,
      installed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      skill: 'alpha',
      target: 'claude',
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      source_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(machine.run('equip', 'alpha').stdout).toBe('Everything is already equipped.\n')
    expect(machine.json('unequip', 'alpha', '--target', 'codex')).toMatchObject({
      operations: [{ kind: 'remove', agent: 'codex' }],
    })
    expect(BOTH.map((root) => existsSync(machine.path(root, 'alpha')))).toEqual([true, false])
    expect(machine.run('unequip', '--all').code).toBe(0)
    expect(BOTH.map((root) => existsSync(machine.path(root, '.loadout-work')))).toEqual([false, false])
    expect(existsSync(machine.path('.claude/skills/alpha'))).toBe(false)
    expect(machine.git('status', '--porcelain')).toBe('')
  })

  it('by tag, and all', () => {
    const skills = { ...skill('a1', { tags: ['x'] }), ...skill('a2', { tags: ['x', 'y'] }), ...skill('a3') }
    const machine = makeMachine({ skills })
    expect(machine.json('equip', '--tag', 'x', '--target', 'claude')).toMatchObject({
      operations: [{ skill: 'a1' }, { skill: 'a2' }],
    })
    expect(machine.json('equip', '--all', '--target', 'all')).toMatchObject({
      operations: [
        { skill: 'a1', agent: 'codex' },
        { skill: 'a2', agent: 'codex' },
        { skill: 'a3', agent: 'claude' },
        { skill: 'a3', agent: 'codex' },
      ],
    })
    expect(machine.json('unequip', '--tag', 'y')).toMatchObject({ operations: [{ skill: 'a2' }, { skill: 'a2' }] })
  })

  it('a skill that is named twice is one skill', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    expect(machine.json<{ operations: unknown[] }>('equip', 'alpha', 'alpha').operations).toHaveLength(2)
    const run = machine.run('unequip', 'alpha', 'alpha')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('2 installs changed')
  })

  it.each([
    [
      'CRLF',
      '# A\r\n\r\nText\r\n',
      (text: string) => `---\r\nname: alpha\r\ndescription: Does alpha\r\n---\r\n\r\n${text}`,
    ],
    [
      'a byte order mark',
      '\ufeff# A\n',
      (text: string) => `\ufeff---\nname: alpha\ndescription: Does alpha\n---\n\n${text.slice(1)}`,
    ],
    ['a rule at the start', '---\n\nJust a rule.\n\n---\nmore\n', undefined],
    ['a rule only', '---\nnot: closed\n', undefined],
    ['quotes', '"double" \'single\' `back`: {yes} # no\n\\ and \\n\n', undefined],
    ['no end of line', '# A', undefined],
    ['nothing', '', undefined],
    ['separators', 'a\u2028b\u0085c\u000bd\n', undefined],
  ])('the text survives: %s', (_, body, whole) => {
    const machine = makeMachine({ skills: skill('alpha', {}, body) })
    expect(machine.run('equip', 'alpha').code).toBe(0)
    const installed = machine.read('.claude/skills/alpha/SKILL.md')
    const expected = whole ?? ((text: string) => `---\nname: alpha\ndescription: Does alpha\n---\n\n${text}`)
    expect(installed).toBe(expected(body))
    expect(machine.json('inventory')).toMatchObject({ skills: [{ state: 'current' }] })
    expect(readFileSync(join(machine.library, 'skills/alpha/SKILL.md'), 'utf8')).toBe(body)
  })

  it('descriptions and metadata of any kind are real YAML', () => {
    const description = 'Use when: "quoted", \'single\'\nnew line # no comment\t{a: b} --- é 漢字'
    const metadata = { nested: { list: ['yes', 1, true, null, 'a: b'] }, time: '12:30', number: '007', zero: 0 }
    const machine = makeMachine({ skills: skill('alpha', { description, claude: metadata }) })
    machine.run('equip', 'alpha')
    const [, block = ''] = machine.read('.claude/skills/alpha/SKILL.md').split(/^---$/m)
    expect(parse(block)).toEqual({ name: 'alpha', description, ...metadata })
  })

  it('codex gets its policy in a file of its own, merged with what is there', () => {
    const skills = {
      ...skill('alpha', { codex: { policy: { allow_implicit_invocation: false } } }),
      'alpha/agents/openai.yaml': '# ours\ninterface:\n  display_name: Alpha\n',
    }
    const machine = makeMachine({ skills })
    machine.run('equip', 'alpha')
    expect(parse(machine.read('.codex/skills/alpha/agents/openai.yaml'))).toEqual({
      interface: { display_name: 'Alpha' },
      policy: { allow_implicit_invocation: false },
    })
    expect(machine.read('.codex/skills/alpha/agents/openai.yaml')).toContain('# ours')
    expect(machine.read('.claude/skills/alpha/agents/openai.yaml')).not.toContain('policy')
    expect(machine.read('.codex/skills/alpha/SKILL.md')).not.toContain('policy')
  })

  it('executable bits are kept; what belongs to git and to desktops is not copied', () => {
    const skills = {
      ...skill('alpha'),
      'alpha/scripts/run.sh': '#!/bin/sh\n',
      'alpha/scripts/data.bin': new Uint8Array([0, 255, 10, 13]),
      'alpha/.DS_Store': 'x',
      'alpha/sub/Thumbs.db': 'x',
      'alpha/.hidden': 'kept',
    }
    const machine = makeMachine({ skills })
    chmodSync(join(machine.library, 'skills/alpha/scripts/run.sh'), 0o755)
    expect(machine.run('equip', 'alpha').code).toBe(0)
    const installed = machine.path('.claude/skills/alpha')
    expect(statSync(join(installed, 'scripts/run.sh')).mode & 0o111).not.toBe(0)
    expect(statSync(join(installed, 'scripts/data.bin')).mode & 0o111).toBe(0)
    expect(readFileSync(join(installed, 'scripts/data.bin'))).toEqual(Buffer.from([0, 255, 10, 13]))
    expect(existsSync(join(installed, '.DS_Store'))).toBe(false)
    expect(existsSync(join(installed, 'sub'))).toBe(false)
    expect(existsSync(join(installed, '.hidden'))).toBe(true)
    chmodSync(join(installed, 'scripts/run.sh'), 0o644)
    expect(machine.json('inventory')).toMatchObject({
      skills: [{ placements: [{ state: 'edited' }, { state: 'current' }] }],
    })
  })

  it('variables move the folders of the agents, of configuration, state and cache', () => {
    const home = makeFolder()
    const at = (name: string) => join(home, 'moved', name)
    const env = {
      CLAUDE_CONFIG_DIR: at('claude'),
      CODEX_HOME: at('codex'),
      XDG_CONFIG_HOME: at('config'),
      XDG_STATE_HOME: at('state'),
      XDG_CACHE_HOME: at('cache'),
    }
    const machine = makeMachine({
      home,
      config: false,
      env,
      skills: skill('alpha', { targets: ['claude', 'codex', 'goose'] }),
    })
    expect(machine.run('init', '--repo', machine.library, '--targets', 'claude,codex,goose').code).toBe(0)
    expect(machine.run('equip', 'alpha').code).toBe(0)
    for (const root of ['claude/skills', 'codex/skills', 'config/goose/skills']) {
      expect(existsSync(at(`${root}/alpha/.loadout`)), root).toBe(true)
    }
    expect(machine.tree().filter((row) => row.startsWith('.'))).toEqual([])
    expect(existsSync(at('config/loadout/config.json'))).toBe(true)
  })

  it('a folder of an agent may be a link, also one that two agents share', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    mkdirSync(machine.path('shared'))
    for (const home of ['.claude', '.codex']) {
      mkdirSync(machine.path(home))
      symlinkSync('../shared', machine.path(home, 'skills'))
    }
    expect(machine.json('equip', 'alpha')).toMatchObject({ operations: [{ kind: 'install' }] })
    expect(existsSync(machine.path('shared/alpha/.loadout'))).toBe(true)
    expect(lstatSync(machine.path('.claude/skills')).isSymbolicLink()).toBe(true)
    expect(machine.json('inventory')).toMatchObject({ skills: [{ state: 'current' }] })
  })

  it('a command that does nothing leaves no folders behind', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const before = machine.tree()
    expect(machine.run('equip', 'nothing').code).toBe(2)
    expect(machine.run('unequip', '--all').code).toBe(0)
    expect(machine.run('sync').code).toBe(0)
    expect(machine.tree()).toEqual(before)
  })

  it('a missing name is that of the folder, and unknown fields stay', () => {
    const fields = { description: 'D', targets: ['claude'], 'x-theirs': [1] }
    const skills = { 'alpha/skill.json': JSON.stringify(fields), 'alpha/SKILL.md': 'x\n' }
    const machine = makeMachine({ skills })
    expect(machine.run('equip', 'alpha')).toMatchObject({ code: 0, stderr: '' })
    machine.write('.claude/skills/alpha/SKILL.md', '---\nname: alpha\ndescription: Better\n---\n\nx\n')
    expect(machine.run('adopt', 'alpha').code).toBe(0)
    expect(JSON.parse(readFileSync(join(machine.library, 'skills/alpha/skill.json'), 'utf8'))).toMatchObject({
      description: 'Better',
      'x-theirs': [1],
    })
  })

  it('a target may be a path in the configuration, also as a bare text', () => {
    const config = { targets: { claude: '~/skills of mine', codex: { enabled: false, path: 'x' } } }
    const machine = makeMachine({ config, skills: skill('alpha') })
    expect(machine.json('equip', 'alpha')).toMatchObject({ operations: [{ root: machine.path('skills of mine') }] })
  })
})

describe('dry runs', () => {
  it.each([
    [['equip', '--all']],
    [['unequip', 'alpha']],
    [['sync']],
    [['import', 'other', '--targets', 'claude']],
    [['import', '--all', '--adopt']],
    [['adopt', 'edited']],
    [['delete', 'free']],
    [['share', 'alpha']],
    [['new', 'fresh']],
    [['profile', 'save', 'mine']],
    [['profile', 'apply', 'set', '--exact']],
  ])('%j changes nothing and says so', (args) => {
    const skills = { ...skill('alpha'), ...skill('edited'), ...skill('free'), ...skill('changing') }
    const machine = makeMachine({ skills, config: { profiles: { set: { free: ['claude'] } } } })
    machine.run('equip', 'alpha', 'edited', 'changing', '--target', 'claude')
    machine.write('.claude/skills/edited/SKILL.md', 'mine')
    put(join(machine.library, 'skills/changing/SKILL.md'), 'new text')
    machine.write('other/SKILL.md', '# Other\n\nDoes other things.\n')
    machine.write('.codex/skills/loose/SKILL.md', '# Loose\n\nDoes loose things.\n')
    const before = machine.tree()
    const run = machine.run(...args, '--dry-run')
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/^(?:Nothing was (?:changed|written)\.|[\s\S]*\nNothing was changed\.)/)
    expectNarrow(run.stdout)
    expect(machine.json(...args, '--dry-run')).toMatchObject({ isDryRun: true })
    expect(machine.tree()).toEqual(before)
  })
})

describe('project scope', () => {
  it('installs below the root of the repository, and shows the user’s installs as well', () => {
    const machine = makeMachine({ skills: { ...skill('alpha'), ...skill('beta') } })
    const project = makeAgentProject(machine)
    mkdirSync(join(project, 'deep/down'), { recursive: true })
    machine.run('equip', 'beta', '--target', 'claude')
    const run = machine.runWith({ cwd: join(project, 'deep/down') }, 'equip', 'alpha', '--project', '.')
    expect(run.code).toBe(0)
    expect(existsSync(join(project, '.claude/skills/alpha/.loadout'))).toBe(true)
    expect(existsSync(machine.path('.claude/skills/alpha'))).toBe(false)
    const shown = machine.run('inventory', '--project', project)
    expect(shown.stdout).toMatch(/alpha +● proj +● proj +current\n {2}beta +● user/)
    expect(machine.json('inventory', '--project', join(project, 'deep'))).toMatchObject({ scope: 'project', project })
    expect(machine.json('inventory')).toMatchObject({ skills: [{ name: 'alpha', state: 'inactive' }, {}] })
  })

  it('sync refreshes the project and the user; without --project only the user', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const project = makeAgentProject(machine)
    machine.run('equip', 'alpha', '--target', 'claude')
    machine.run('equip', 'alpha', '--target', 'claude', '--project', project)
    put(join(machine.library, 'skills/alpha/SKILL.md'), 'second')
    commitAll(machine.library, 'Second')
    expect(machine.json('sync', '--dry-run')).toMatchObject({ operations: [{ scope: 'user' }] })
    expect(machine.json('sync', '--project', project)).toMatchObject({
      operations: [
        { scope: 'user', kind: 'refresh' },
        { scope: 'project', kind: 'refresh' },
      ],
    })
  })

  it('agents that share a folder get one copy', () => {
    const skills = skill('alpha', { targets: ['cursor', 'gemini'] })
    const machine = makeMachine({
      skills,
      config: { targets: { cursor: { enabled: true }, gemini: { enabled: true } } },
    })
    const project = makeAgentProject(machine)
    expect(machine.json<{ operations: unknown[] }>('equip', 'alpha', '--project', project).operations).toHaveLength(1)
    expect(existsSync(join(project, '.agents/skills/alpha'))).toBe(true)
    expect(machine.json<{ operations: unknown[] }>('equip', 'alpha').operations).toHaveLength(2)
  })

  it('says what is missing when there is no project, and makes the folders of agents in one that is named', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const outside = machine.runWith({ cwd: makeFolder() }, 'equip', 'alpha', '--project', '.')
    expect(outside.code).toBe(2)
    expect(outside.stderr).toContain('git init')
    const bare = makeRepository(machine.path('my work'))
    const run = machine.run('equip', 'alpha', '--project', bare)
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('~/my work/.claude/skills')])
  })

  it('another manager’s lock file is read, named and never written', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const project = makeAgentProject(machine)
    const lock = '{"version":1,  "skills":{"theirs":{"source":"acme/skills","sourceType":"github","computedHash":"0"}}}'
    putAll(project, { 'skills-lock.json': lock, '.claude/skills/theirs/SKILL.md': '# Theirs\n\nText.\n' })
    expect(machine.run('inventory', '--project', project).stderr).toContain('acme/skills')
    for (const args of [['equip', 'alpha'], ['sync'], ['unequip', 'alpha'], ['import', '--all', '--adopt']]) {
      expect(machine.run(...args, '--project', project).code).toBe(0)
    }
    expect(readFileSync(join(project, 'skills-lock.json'), 'utf8')).toBe(lock)
  })

  it('a skill in use in a project that this machine knows cannot be deleted', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const project = makeAgentProject(machine, 'my work')
    machine.run('equip', 'alpha', '--target', 'claude', '--project', project)
    const before = machine.tree()
    const run = machine.run('delete', 'alpha')
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('~/my work/.claude/skills/alpha')
    expect(machine.tree()).toEqual(before)
    machine.run('unequip', 'alpha', '--project', project)
    expect(machine.run('delete', 'alpha').code).toBe(0)
  })
})

describe('profiles', () => {
  it('bring a second machine to the state of the first', () => {
    const skills = { ...skill('alpha'), ...skill('beta'), ...skill('gamma') }
    const first = makeMachine({ skills })
    first.run('equip', 'alpha')
    first.run('equip', 'beta', '--target', 'codex')
    const saved = first.run('profile', 'save', 'daily')
    expect(saved.stdout).toContain('loadout profile apply daily')
    expect(first.run('profile', 'list').stdout).toMatch(/daily +2 skills +claude, codex/)
    expect(JSON.parse(first.git('show', 'HEAD:profiles/daily.json'))).toEqual({
      alpha: ['claude', 'codex'],
      beta: ['codex'],
    })

    const second = makeMachine({ config: false })
    second.run('init', '--clone', `file://${first.library}`)
    second.run('equip', 'gamma', '--target', 'claude')
    expect(second.run('profile', 'apply', 'daily').code).toBe(0)
    expect(second.run('profile', 'apply', 'daily').stdout).toContain('There is nothing to change')
    expect(second.json('profile', 'switch', 'daily')).toMatchObject({
      operations: [{ kind: 'remove', skill: 'gamma' }],
    })
    expect(second.json('profile', 'list')).toEqual(first.json('profile', 'list'))
  })

  it('what cannot be done is said, the rest is done', () => {
    const profiles = { set: { alpha: ['claude', 'cursor'], gone: ['claude'], beta: ['codex'] } }
    const machine = makeMachine({
      skills: { ...skill('alpha'), ...skill('beta', { targets: ['claude'] }) },
      config: { profiles },
    })
    const run = machine.run('profile', 'apply', 'set')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('no skill "gone"')
    expect(run.stderr).toContain('loadout agents enable cursor')
    expect(run.stderr).toContain('beta does not support codex')
    expect(existsSync(machine.path('.claude/skills/alpha'))).toBe(true)
  })
})

describe('suggest', () => {
  it('names what fits, and a command that works when typed', () => {
    const skills = {
      ...skill('release-notes', { description: 'Write release notes from merged pull requests' }),
      ...skill('db-migrations', { description: 'Plan and test database schema migrations' }),
    }
    const machine = makeMachine({ skills })
    const run = machine.run('suggest', 'write', 'the', 'release', 'notes')
    expect(run.code).toBe(0)
    expectNarrow(run.stdout)
    const command = /To equip the rest: loadout (.*)/.exec(run.stdout)?.[1] ?? ''
    expect(machine.run(...command.split(' ')).code).toBe(0)
    expect(existsSync(machine.path('.claude/skills/release-notes'))).toBe(true)
    expect(machine.json('suggest', 'release notes', '--limit', '1')).toMatchObject({
      skills: [{ name: 'release-notes', equipped: ['claude', 'codex'], missing: [] }],
    })
    expect(machine.run('suggest', 'bake', 'bread').stdout).toContain('None of 2 skills matches.')
  })
})

describe('share and import', () => {
  it('a round trip gives the same skill, and the same bytes each time', () => {
    const skills = {
      ...skill(
        'alpha',
        { tags: ['t'], claude: { model: 'x' }, 'x-theirs': { keep: true } },
        '\ufeff# A\r\n\r\nText\r\n',
      ),
      'alpha/scripts/run.sh': '#!/bin/sh\n',
    }
    const author = makeMachine({ skills })
    chmodSync(join(author.library, 'skills/alpha/scripts/run.sh'), 0o755)
    expect(author.run('share', 'alpha').stdout).toContain('alpha.tar.gz')
    expect(author.run('share', 'alpha', '--out', 'again.tgz').code).toBe(0)
    expect(readFileSync(author.path('again.tgz'))).toEqual(readFileSync(author.path('alpha.tar.gz')))
    const taken = author.run('share', 'alpha')
    expect(taken.code).toBe(2)
    expect(taken.stderr).toContain('already exists')

    const reader = makeMachine()
    const run = reader.run('import', author.path('alpha.tar.gz'))
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('loadout install alpha')
    const [from, to] = [join(author.library, 'skills/alpha'), join(reader.library, 'skills/alpha')]
    const { source, ...imported } = JSON.parse(readFileSync(join(to, 'skill.json'), 'utf8'))
    expect(source.path).toBe(author.path('alpha.tar.gz'))
    expect(imported).toEqual(JSON.parse(readFileSync(join(from, 'skill.json'), 'utf8')))
    expect(readFileSync(join(to, 'SKILL.md'))).toEqual(readFileSync(join(from, 'SKILL.md')))
    expect(statSync(join(to, 'scripts/run.sh')).mode & 0o111).not.toBe(0)
    expect(reader.git('log', '-1', '--format=%s', '--name-only')).toContain('Import skill alpha')
    expect(reader.git('status', '--porcelain')).toBe('')
  })

  it('the archive holds a copy ready for each agent', () => {
    const author = makeMachine({ skills: skill('alpha', { codex: { model: 'x' } }) })
    author.run('share', 'alpha')
    const listed = runShell(
      `tar -tzf ${author.path('alpha.tar.gz')}; tar -xzOf ${author.path('alpha.tar.gz')} alpha/agents/codex/alpha/SKILL.md`,
    )
    expect(listed.stdout).toContain('alpha/agents/claude/alpha/SKILL.md')
    expect(listed.stdout).toContain('alpha/README.md')
    expect(listed.stdout).toContain('model: x')
  })

  const PLAIN =
    '---\nname: plain-one\ndescription: "Does: plain things"\nlicense: MIT\nmodel: big\n---\n\n# Title\n\nBody\n'

  it('a plain folder: name and description from its frontmatter, which is kept', () => {
    const machine = makeMachine()
    machine.write('drop/x/SKILL.md', PLAIN)
    machine.write('drop/x/scripts/a.sh', 'a')
    expect(machine.json('import', 'drop/x')).toMatchObject({
      findings: [{ code: 'QUARANTINED' }],
      imported: [{ name: 'plain-one', folder: 'skills/plain-one', targets: [], commit: expect.any(String) }],
    })
    const stored = join(machine.library, 'skills/plain-one')
    expect(readFileSync(join(stored, 'SKILL.md'), 'utf8')).toBe('# Title\n\nBody\n')
    expect(JSON.parse(readFileSync(join(stored, 'skill.json'), 'utf8'))).toMatchObject({
      name: 'plain-one',
      description: 'Does: plain things',
      '*': { license: 'MIT', model: 'big' },
    })
    expect(machine.read('drop/x/SKILL.md')).toBe(PLAIN)
    expect(machine.run('equip', 'plain-one').code).toBe(3)
    machine.run('approve', 'skill:plain-one')
    machine.run('equip', 'plain-one')
    const [, block = ''] = machine.read('.claude/skills/plain-one/SKILL.md').split(/^---$/m)
    expect(parse(block)).toEqual({ name: 'plain-one', description: 'Does: plain things', license: 'MIT', model: 'big' })
  })

  it('without frontmatter: from the first heading and paragraph, with word breaks', () => {
    const machine = makeMachine()
    machine.write('drop/whatever/SKILL.md', '# Über *API* Review!\n\n- a list\n\nReviews `APIs` with care.\n')
    expect(machine.json('import', 'drop/whatever', '--targets', 'claude')).toMatchObject({
      imported: [{ name: 'uber-api-review' }],
    })
    expect(JSON.parse(readFileSync(join(machine.library, 'skills/uber-api-review/skill.json'), 'utf8'))).toMatchObject({
      description: 'Reviews APIs with care.',
    })
  })

  it('a folder of them: one that does not work does not stop the others', () => {
    const machine = makeMachine()
    machine.write('many/one/SKILL.md', '# One\n\nFirst.\n')
    machine.write('many/two/SKILL.md', '# Two\n\nSecond.\n')
    machine.write('many/bad/SKILL.md', '# Bad\n')
    const asked = machine.run('import', 'many', '--targets', 'claude')
    expect(asked.code).toBe(3)
    expect(asked.stdout).toContain('Choose with --skill <name,…>, or take --all of them.')
    const run = machine.run('import', 'many', '--all', '--targets', 'claude')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('bad was not imported')
    expect(machine.json('inventory')).toMatchObject({ skills: [{ name: 'one' }, { name: 'two' }] })
  })

  it('a git URL, and only a part of it', () => {
    const source = makeRepository(makeFolder())
    putAll(source, { 'skills/one/SKILL.md': '# One\n\nFirst.\n', 'more/two/SKILL.md': '# Two\n\nSecond.\n' })
    commitAll(source, 'Skills')
    const bare = makeFolder()
    git(bare, 'clone', '--quiet', '--bare', source, 'all.git')
    const url = `file://${bare}/all.git`
    const machine = makeMachine()
    expect(machine.json('import', url, '--skill', 'one')).toMatchObject({ imported: [{ name: 'one' }] })
    expect(machine.json('import', url, '--subfolder', 'more/two', '--targets', 'claude')).toMatchObject({
      imported: [{ name: 'two' }],
    })
    expect(machine.run('import', url, '--subfolder', '../x', '--targets', 'claude').code).toBe(2)
    expect(machine.run('import', url, '--subfolder', 'none', '--targets', 'claude').code).toBe(2)
  })

  it('what is fetched is called by its address, and a skill without a name by that of its source', () => {
    const source = makeRepository(join(makeFolder(), 'Lint Rules'))
    put(join(source, 'SKILL.md'), 'Keeps the rules.\n')
    commitAll(source, 'Skill')
    const machine = makeMachine()
    const url = `file://${source}`
    expect(machine.json('import', url, '--targets', 'claude')).toMatchObject({
      imported: [{ name: 'lint-rules', from: [url] }],
    })
    rmSync(join(source, 'SKILL.md'))
    putAll(source, { 'bad/SKILL.md': '# Bad\n', 'lint-rules/SKILL.md': '# Lint rules\n\nAgain.\n' })
    commitAll(source, 'Others')
    const run = machine.run('import', url, '--all', '--targets', 'claude')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('bad was not imported')
    expect(run.stderr).toContain('lint-rules was not imported, because the library has another skill of this name')
    const gone = machine.run('import', `${url}.gone`)
    expect(gone.stderr).toContain(`${url}.gone could not be cloned`)
    expect(run.stderr + gone.stderr).not.toMatch(/loadout\.\d+-/)
  })

  it('declared targets are kept as written, wherever the copy lies', () => {
    const machine = makeMachine()
    putAll(machine.path('.claude/skills'), skill('alpha', { targets: ['codex', 'cursor'] }))
    machine.run('import', '.claude/skills/alpha')
    expect(JSON.parse(readFileSync(join(machine.library, 'skills/alpha/skill.json'), 'utf8')).targets).toEqual([
      'codex',
      'cursor',
    ])
  })

  it('the configuration and the flags decide about commits', () => {
    const machine = makeMachine({ config: { repo_actions: { import_auto_commit: false, delete_auto_commit: false } } })
    machine.write('a/SKILL.md', '# A\n\nText.\n')
    machine.write('b/SKILL.md', '# B\n\nText.\n')
    machine.run('import', 'a', '--targets', 'claude')
    expect(machine.git('status', '--porcelain')).toContain('skills/')
    put(join(machine.library, 'staged.txt'), 'x')
    machine.git('add', 'staged.txt')
    machine.run('import', 'b', '--targets', 'claude', '--commit')
    expect(machine.git('show', '--format=', '--name-only', 'HEAD').split('\n')).toEqual([
      'skills/b/SKILL.md',
      'skills/b/skill.json',
    ])
    expect(machine.git('diff', '--cached', '--name-only')).toBe('staged.txt')
    const run = machine.run('delete', 'a')
    expect(run.stdout).toContain('not committed')
    const backup = (/is in (.*)/.exec(run.stdout)?.[1] ?? '').replace('~', machine.home)
    expect(existsSync(join(backup, 'SKILL.md'))).toBe(true)
  })

  it('works in a library whose folder of skills is not there yet', () => {
    const machine = makeMachine({ config: false })
    const remote = makeRepository(machine.path('remote.git'), '--bare')
    machine.run('init', '--clone', remote, '--into', 'library')
    machine.write('a/SKILL.md', '# A\n\nText.\n')
    expect(machine.run('import', 'a', '--targets', 'claude')).toMatchObject({ code: 0, stderr: '' })
    expect(machine.git('log', '--format=%s')).toBe('Import skill a')
    expect(machine.run('delete', 'a').code).toBe(0)
    rmSync(join(machine.library, 'skills'), { recursive: true, force: true })
    expect(machine.run('new', 'b').code).toBe(0)
  })

  it('hooks that fail take the change back', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const hook = put(join(machine.library, '.git/hooks/pre-commit'), '#!/bin/sh\necho "no commits today" >&2\nexit 1\n')
    chmodSync(hook, 0o755)
    machine.write('a/SKILL.md', '# A\n\nText.\n')
    const before = machine.tree()
    for (const args of [
      ['import', 'a', '--targets', 'claude'],
      ['delete', 'alpha'],
    ]) {
      const run = machine.run(...args)
      expect(run.code).toBe(2)
      expect(run.stderr).toContain('no commits today')
    }
    expect(machine.tree().filter((row) => !row.startsWith('library/.git/'))).toEqual(
      before.filter((row) => !row.startsWith('library/.git/')),
    )
    expect(machine.git('status', '--porcelain')).toBe('')
  })
})

describe('candidates', () => {
  const TEXT = '---\nname: loose\ndescription: Loose\n---\nBody\n'

  it('identical copies are one; --adopt makes both ours', () => {
    const machine = makeMachine()
    for (const root of BOTH) machine.write(`${root}/loose/SKILL.md`, TEXT)
    machine.write('.claude/skills/loose/a.sh', 'a')
    machine.write('.codex/skills/loose/a.sh', 'a')
    const listed = machine.run('import')
    expect(listed.stdout).toContain('1 skill that Loadout did not install')
    const command = /^loadout (import .*--adopt)/m.exec(listed.stdout)?.[1] ?? ''
    expect(machine.run(...command.split(' ')).code).toBe(3)
    machine.run('approve', 'skill:loose')
    expect(machine.run(...command.split(' ')).code).toBe(0)
    expect(machine.json('inventory')).toMatchObject({
      skills: [
        { name: 'loose', targets: ['claude', 'codex'], placements: [{ state: 'current' }, { state: 'current' }] },
      ],
      unmanaged: 0,
    })
    expect(machine.run('import').stdout).toContain('folders contain no skill to import')
  })

  it('metadata of each agent is kept when copies merge', () => {
    const machine = makeMachine()
    machine.write('.claude/skills/loose/SKILL.md', '---\nname: loose\ndescription: Loose\nmodel: a\n---\nBody\n')
    machine.write('.codex/skills/loose/SKILL.md', '---\nname: loose\ndescription: Loose\neffort: high\n---\nBody\n')
    expect(machine.run('import', '--all').code).toBe(0)
    expect(JSON.parse(readFileSync(join(machine.library, 'skills/loose/skill.json'), 'utf8'))).toMatchObject({
      targets: ['claude', 'codex'],
      claude: { model: 'a' },
      codex: { effort: 'high' },
    })
  })

  it('copies that disagree are one that is blocked, with the files', () => {
    const machine = makeMachine()
    for (const root of BOTH) machine.write(`${root}/loose/SKILL.md`, TEXT)
    machine.write('.claude/skills/loose/only-here.txt', 'x')
    machine.write('.codex/skills/loose/SKILL.md', TEXT.replace('Body', 'Other'))
    machine.write('.codex/skills/free/SKILL.md', '# Free\n\nText.\n')
    const run = machine.run('import')
    expect(run.stdout).toContain('blocked')
    expect(run.stdout).toContain('SKILL.md, only-here.txt')
    const all = machine.run('import', '--all')
    expect(all.code).toBe(1)
    expect(all.stderr).toContain('make the copies equal')
    expect(machine.json('inventory')).toMatchObject({ skills: [{ name: 'free' }], unmanaged: 1 })
  })

  it('a project’s own are found with --project', () => {
    const machine = makeMachine()
    const project = makeAgentProject(machine)
    put(join(project, '.claude/skills/local/SKILL.md'), '# Local\n\nText.\n')
    expect(machine.json('import')).toMatchObject({ candidates: [] })
    expect(machine.json('import', '--project', project)).toMatchObject({ candidates: [{ name: 'local' }] })
    const run = machine.run('import', join(project, '.claude/skills/local'), '--adopt', '--project', project)
    expect(run.code).toBe(0)
    expect(existsSync(join(project, '.claude/skills/local/.loadout'))).toBe(true)
  })

  it('a copy that is named from within its folder is the same copy', () => {
    const home = makeFolder()
    const link = join(makeFolder(), 'home')
    symlinkSync(home, link)
    const machine = makeMachine({ home: link })
    machine.write('.claude/skills/loose/SKILL.md', TEXT)
    const run = machine.runWith({ cwd: machine.path('.claude/skills') }, 'import', 'loose', '--adopt')
    expect(run.code).toBe(0)
    expect(machine.json('inventory')).toMatchObject({ skills: [{ targets: ['claude'], state: 'current' }] })
  })
})

describe('edits by hand', () => {
  it('are noticed, shown, and brought into the library', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha')
    const installed = machine.read('.claude/skills/alpha/SKILL.md')
    machine.write(
      '.claude/skills/alpha/SKILL.md',
      installed.replace('The text', 'My text').replace('Does alpha', 'Does better'),
    )
    machine.write('.claude/skills/alpha/extra.txt', 'more\n')
    const seen = machine.run('inventory')
    expect(seen.stdout).toMatch(/✎ user +● user +edited +changed by hand on claude/)
    const shown = machine.run('diff', 'alpha')
    expect(shown.stdout).toContain('-The text of alpha.\n+My text of alpha.')
    expect(machine.json('diff', 'alpha')).toMatchObject({ differences: [{ agents: ['claude'], state: 'edited' }] })
    const synced = machine.run('sync')
    expect(synced.stderr).toContain('loadout adopt alpha')
    expect(synced.stdout).not.toContain('Every install is up to date with the library has it')
    expect(machine.run('adopt', 'alpha', '--dry-run').stdout).toContain('Nothing was changed.')
    const run = machine.run('adopt', 'alpha')
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/alpha adopted, commit [0-9a-f]{7}/)
    expect(readFileSync(join(machine.library, 'skills/alpha/SKILL.md'), 'utf8')).toBe('# alpha\n\nMy text of alpha.\n')
    expect(readFileSync(join(machine.library, 'skills/alpha/extra.txt'), 'utf8')).toBe('more\n')
    expect(JSON.parse(readFileSync(join(machine.library, 'skills/alpha/skill.json'), 'utf8')).description).toBe(
      'Does better',
    )
    expect(machine.git('status', '--porcelain')).toBe('')
    expect(machine.json('inventory')).toMatchObject({ skills: [{ state: 'current' }] })
  })

  it('stay where they conflict with the library, and are replaced only with --replace, after a backup', () => {
    const machine = makeMachine({ skills: skill('alpha', { targets: ['claude'] }) })
    machine.run('equip', 'alpha')
    machine.write('.claude/skills/alpha/SKILL.md', 'mine')
    put(join(machine.library, 'skills/alpha/SKILL.md'), 'theirs')
    commitAll(machine.library, 'Change')
    for (const flags of [['--dry-run'], [], ['--merge', '--keep-edits']]) {
      const kept = machine.run('sync', ...flags)
      expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('your edit and the change of the library')])
      expect(machine.read('.claude/skills/alpha/SKILL.md')).toBe('mine')
    }
    expect(machine.run('merge').stdout).toContain('alpha  1 conflict')
    const run = machine.run('sync', '--replace')
    const backup = /a copy of what was there is in (.*) \[BACKED_UP\]/.exec(run.stderr)?.[1] ?? ''
    expect(readFileSync(join(backup.replace('~', machine.home), 'SKILL.md'), 'utf8')).toBe('mine')
    expect(machine.read('.claude/skills/alpha/SKILL.md')).toContain('theirs')
  })

  it('are kept when the copy is unequipped', () => {
    const machine = makeMachine({ skills: skill('alpha', { targets: ['claude'] }) })
    machine.run('equip', 'alpha')
    machine.write('.claude/skills/alpha/notes.txt', 'mine')
    const run = machine.run('unequip', 'alpha')
    const backup = /a copy of what was there is in (.*) \[BACKED_UP\]/.exec(run.stderr)?.[1] ?? ''
    expect(readFileSync(join(backup.replace('~', machine.home), 'notes.txt'), 'utf8')).toBe('mine')
  })

  it('edited differently for two agents: one has to be chosen', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha')
    for (const root of BOTH) machine.write(`${root}/alpha/notes.txt`, root)
    const run = machine.run('adopt', 'alpha')
    expect(run.code).toBe(2)
    const command = /loadout (adopt alpha --target \w+)/.exec(run.stderr)?.[1] ?? ''
    expect(machine.run(...command.split(' ')).code).toBe(0)
  })
})

describe('markers of an older program', () => {
  const old = (commit: string) => JSON.stringify({ repo_commit: commit, installed_at: '2026-03-21T14:22:33Z' })

  it('stay valid: current, outdated and edited are told apart', () => {
    const machine = makeMachine({ skills: { ...skill('same'), ...skill('moved'), ...skill('edited') } })
    machine.run('equip', '--all', '--target', 'claude')
    const first = machine.git('rev-parse', '--short', 'HEAD')
    put(join(machine.library, 'skills/moved/SKILL.md'), 'new')
    const second = commitAll(machine.library, 'Move')
    machine.write('.claude/skills/same/.loadout', old(first))
    machine.write('.claude/skills/moved/.loadout', old(first))
    machine.write('.claude/skills/edited/.loadout', old(second))
    machine.write('.claude/skills/edited/SKILL.md', 'mine')
    expect(machine.json('inventory')).toMatchObject({
      skills: [
        { name: 'edited', state: 'edited' },
        { name: 'moved', state: 'outdated' },
        { name: 'same', state: 'current' },
      ],
    })
    const run = machine.run('sync')
    expect(run.stderr).toContain('BACKED_UP')
    expect(JSON.parse(machine.read('.claude/skills/same/.loadout'))).toMatchObject({
      repo_commit: second,
      skill: 'same',
    })
    expect(JSON.parse(machine.read('.claude/skills/moved/.loadout'))).toMatchObject({ repo_commit: second })
    expect(machine.read('.claude/skills/edited/SKILL.md')).toBe('mine')
  })
})

describe('delete, new and validate', () => {
  it('delete commits exactly that, and says how to undo it', () => {
    const machine = makeMachine({ skills: { ...skill('alpha'), ...skill('beta') } })
    machine.run('equip', 'alpha', '--target', 'claude')
    expect(machine.run('delete', 'alpha').stderr).toContain('loadout remove --copies alpha')
    machine.run('unequip', 'alpha')
    machine.write('.codex/skills/alpha/SKILL.md', 'not managed: does not block')
    const run = machine.run('delete', 'alpha')
    expect(run.code).toBe(0)
    expect(machine.git('show', '--format=%s', '--name-only').split('\n')).toEqual([
      'Delete skill alpha',
      '',
      'skills/alpha/SKILL.md',
      'skills/alpha/skill.json',
    ])
    expect(machine.read('.codex/skills/alpha/SKILL.md')).toBe('not managed: does not block')
    const undo = /to undo: (.*)/.exec(run.stdout)?.[1] ?? ''
    runShell(undo.replace('revert', '-c user.name=T -c user.email=t@localhost revert'), {
      home: machine.home,
    })
    expect(machine.json('inventory')).toMatchObject({ skills: [{ name: 'alpha' }, { name: 'beta' }] })
  })

  it('new starts a skill that works', () => {
    const machine = makeMachine()
    const run = machine.run(
      'new',
      'fresh-start',
      '--description',
      'Starts: things',
      '--tag',
      'a,b',
      '--targets',
      'claude',
    )
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('loadout install fresh-start')
    expect(machine.run('validate').code).toBe(0)
    expect(machine.run('equip', 'fresh-start').code).toBe(0)
    expect(machine.json('inventory')).toMatchObject({
      skills: [{ tags: ['a', 'b'], targets: ['claude'], description: 'Starts: things' }],
    })
    expect(machine.run('new', 'fresh-start').stderr).toContain('already exists')
  })

  it('validate takes a library, a skill in it, and a skill from anywhere', () => {
    const machine = makeMachine({ skills: { ...skill('good'), 'bad/SKILL.md': 'x' } })
    machine.write('drop/plain/SKILL.md', '# Plain\n\nText.\n')
    expect(machine.run('validate', 'library').code).toBe(1)
    expect(machine.run('validate', 'library').stderr + machine.run('validate', 'library').stdout).toContain(
      'skills/bad',
    )
    expect(machine.run('validate', 'library/skills/good').code).toBe(0)
    expect(machine.run('validate', 'library/skills/bad').code).toBe(1)
    expect(machine.run('validate', 'drop/plain').code).toBe(0)
    expect(machine.json('validate', 'library/skills/good/SKILL.md')).toMatchObject({ findings: [] })
  })
})

describe('doctor', () => {
  it('is content with a machine that is in order', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha')
    const before = machine.tree()
    const run = machine.run('doctor')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('Nothing needs action.')
    expectNarrow(run.stdout)
    expect(machine.tree()).toEqual(before)
  })

  it('names everything that needs action, with what to do, and changes nothing', () => {
    const skills = {
      ...skill('edited'),
      ...skill('gone'),
      ...skill('narrowed'),
      ...skill('broken'),
      'bad/SKILL.md': 'x',
    }
    const machine = makeMachine({ skills })
    machine.run('equip', 'edited', 'gone', 'narrowed', 'broken', '--target', 'claude')
    machine.write('.claude/skills/edited/SKILL.md', 'mine')
    machine.write('.claude/skills/broken/.loadout', 'not json')
    rmSync(join(machine.library, 'skills/gone'), { recursive: true })
    putAll(join(machine.library, 'skills'), skill('narrowed', { targets: ['codex'] }))
    commitAll(machine.library, 'Change')
    const before = machine.tree()
    const run = machine.run('doctor')
    expect(run.code).toBe(1)
    for (const hint of [
      'loadout adopt edited',
      'loadout remove --copies gone',
      'loadout remove --copies narrowed',
      'doctor --fix',
      'skills/bad',
    ]) {
      expect(run.stdout, hint).toContain(hint)
    }
    expectNarrow(run.stdout)
    expect(machine.tree()).toEqual(before)
    expect(machine.json('doctor', '--fix')).toMatchObject({ fixed: [expect.stringContaining('broken')] })
    expect(machine.json('inventory')).toMatchObject({
      skills: [
        { state: 'invalid' },
        { name: 'broken', state: 'current' },
        {},
        { state: 'orphaned' },
        { state: 'unsupported' },
      ],
    })
  })

  it('works before there is a library', () => {
    const machine = makeMachine({ config: false })
    const run = machine.run('doctor')
    expect(run.code).toBe(1)
    expect(run.stdout).toContain('loadout add <owner/repo>')
    expect(machine.tree()).toEqual([])
  })
})

describe('interrupted work', () => {
  it('is finished or undone by the next command, and told', () => {
    const machine = makeMachine({ skills: skill('alpha', { targets: ['claude'] }) })
    machine.run('equip', 'alpha')
    const work = machine.path('.claude/skills/.loadout-work')
    mkdirSync(join(work, 'half.999999-0a0a0a0a.new'), { recursive: true })
    runShell(`mv ${machine.path('.claude/skills/alpha')} ${join(work, 'alpha.999999-0a0a0a0a.old')}`)
    expect(machine.run('doctor').code).toBe(1)
    const run = machine.run('inventory')
    expect(run.stderr).toContain('the old version is back')
    expect(run.stdout).toContain('● user')
    expect(existsSync(work)).toBe(false)
    expect(machine.run('doctor').code).toBe(0)
  })
})

describe('a home with blanks and letters of all kinds', () => {
  it('works, and every hint can be typed', () => {
    const home = makeProject({})
    const odd = join(home, "Frau Müller's 家 $HOME")
    mkdirSync(odd)
    const machine = makeMachine({ home: odd, skills: skill('alpha', { targets: ['claude'] }) })
    expect(machine.run('equip', 'alpha').code).toBe(0)
    machine.write('.claude/skills/loose one/SKILL.md', '---\nname: loose\ndescription: L\n---\nx\n')
    const listed = machine.run('import').stdout
    const command = /^(loadout import .*--adopt)$/m.exec(listed)?.[1] ?? 'none'
    expect(runShell(command, { home: odd, cwd: odd })).toMatchObject({ code: 0 })
    rmSync(machine.path('.codex'), { recursive: true, force: true })
    machine.write('.codex/skills', 'a file')
    const fix =
      /to do: move it away: (.*)/.exec(machine.run('doctor').stdout.replace(/\n {4}(?!to do)/g, ' '))?.[1] ?? 'none'
    expect(runShell(fix, { home: odd })).toMatchObject({ code: 0 })
    expect(machine.run('doctor').code).toBe(0)
  })
})
