import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Session } from '../tui/pty.ts'
import { commitAll, git, makeMachine, makeRepository, putAll, type TestMachine } from './skills-machine.ts'

const text = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\nlicense: MIT\n---\n\n# ${name}\n`

/** A computer without a library, on which Claude Code and Gemini CLI have run, beside a repository of skills. */
function makeNewcomer(names: readonly string[] = ['alpha', 'beta']): TestMachine & { source: string } {
  const machine = makeMachine({ config: false })
  for (const folder of ['.claude', '.gemini']) mkdirSync(machine.path(folder))
  machine.write('.gitconfig', '[user]\n\tname = Tester\n\temail = tester@localhost\n')
  const source = makeRepository(machine.path('source'))
  putAll(source, Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, text(name)])))
  commitAll(source, 'Start')
  return { ...machine, source }
}

/** The skills in the folders of agents: `.claude/alpha`. */
function copiesOn(machine: TestMachine): string[] {
  return ['.claude', '.codex', '.gemini', '.agents'].flatMap((agent) => {
    const folder = machine.path(agent, 'skills')
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
    return names.sort().map((name) => `${agent}/${name}`)
  })
}

const subjects = (machine: TestMachine) => git(machine.path('skills'), 'log', '--format=%s').split('\n')

describe('loadout add', () => {
  it('makes a library, imports in one commit, installs for the agents that are there, and names the undo', () => {
    const machine = makeNewcomer()
    const run = machine.run('add', `file://${machine.source}`, '--all')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(
      /^Installed alpha, beta for Claude Code, Gemini CLI\nNew library: ~\/skills\nCommit [0-9a-f]{7}\. Take it back: loadout undo\n$/,
    )
    expect(copiesOn(machine)).toEqual(['.claude/alpha', '.claude/beta', '.gemini/alpha', '.gemini/beta'])
    expect(subjects(machine)).toEqual([`Import 2 skills from ${machine.source}`, 'Start a library of skills'])
    const before = machine.tree()
    expect(machine.run('add', `file://${machine.source}`, '--all')).toMatchObject({
      code: 0,
      stdout: 'Already up to date.\n',
      stderr: '',
    })
    expect(machine.tree()).toEqual(before)
    expect(machine.run('undo').code).toBe(0)
    expect(copiesOn(machine)).toEqual([])
    expect(existsSync(machine.path('skills/skills/alpha'))).toBe(false)
  })

  it('takes several sources with --all, and leaves no library after a wrong name or an open choice', () => {
    const machine = makeNewcomer()
    const before = machine.tree().filter((path) => !/^\.(cache|local|config)/.test(path))
    for (const [code, ...names] of [[2, 'nope'], [3]] as const) {
      expect(machine.run('add', `file://${machine.source}`, ...names.map(String)).code).toBe(code)
      expect(machine.tree().filter((path) => !/^\.(cache|local|config)/.test(path))).toEqual(before)
      expect(existsSync(machine.path('.config/loadout/config.json'))).toBe(false)
    }
    const other = makeRepository(machine.path('other'))
    putAll(other, { 'skills/gamma/SKILL.md': text('gamma') })
    commitAll(other, 'Start')
    const run = machine.run('add', `file://${machine.source}`, `file://${other}`, '--all')
    expect(run.stdout).toMatch(
      /^Installed alpha, beta, gamma for .*\nNew library: .*\nCommits \w{7}, \w{7}\. Take the last one back/,
    )
  })

  it('takes the only skill of a source without a question, and the named ones of several', () => {
    const machine = makeNewcomer()
    expect(machine.run('add', join(machine.source, 'skills/alpha')).stdout).toContain('Installed alpha for')
    expect(machine.run('add', machine.source, 'beta').stdout).toContain('Installed beta for')
  })

  it('lists several skills and ends with 3 when nobody can choose, also with --yes', () => {
    const machine = makeNewcomer()
    for (const flags of [[], ['--yes']]) {
      const run = machine.run('add', machine.source, ...flags)
      expect([run.code, run.stderr]).toEqual([3, ''])
      expect(run.stdout).toContain('  alpha  Does alpha.\n  beta   Does beta.\n')
      expect(run.stdout).toContain('loadout add ~/source <name> …\n')
    }
    expect(copiesOn(machine)).toEqual([])
  })

  it('never lets --yes answer for a skill that can act, and names the command that does', () => {
    const machine = makeNewcomer(['alpha'])
    machine.write('source/skills/alpha/scripts/run.sh', 'echo 1\n')
    const run = machine.run('add', machine.source, '--all', '--yes')
    expect(run.code).toBe(3)
    expect(run.stderr).toContain('to allow it: loadout approve skill:alpha, then repeat this command')
    expect(copiesOn(machine)).toEqual([])
    machine.run('approve', 'skill:alpha')
    expect(machine.run('add', machine.source, '--all').code).toBe(0)
    expect(copiesOn(machine)).toEqual(['.claude/alpha', '.gemini/alpha'])
  })

  it('installs for a named agent only, and enables it', () => {
    const machine = makeNewcomer(['alpha'])
    expect(machine.run('add', machine.source, '--agent', 'codex-cli').stdout).toContain('Installed alpha for Codex\n')
    expect(copiesOn(machine)).toEqual(['.codex/alpha'])
    const { agents } = machine.json<{ agents: { id: string; isEnabled: boolean }[] }>('config')
    expect(agents.filter(({ isEnabled }) => isEnabled).map(({ id }) => id)).toEqual(['claude', 'codex', 'gemini'])
  })

  it('writes no agents into the skill, so that one more agent later makes no copy stale', () => {
    const machine = makeNewcomer(['alpha'])
    machine.run('add', machine.source)
    expect(JSON.parse(machine.read('skills/skills/alpha/skill.json')).targets).toBeUndefined()
    mkdirSync(machine.path('.cursor'))
    expect(machine.run('sync', '--dry-run').stdout).toContain('Every install is up to date')
    expect(machine.run('add', machine.source).stdout).toBe('Installed alpha for Cursor\n')
    expect(subjects(machine)).toHaveLength(2)
  })

  it('writes the manifest and the lock of a project that is named, makes its folders, and leaves the library alone', () => {
    const machine = makeNewcomer(['alpha'])
    makeRepository(machine.path('site'))
    const run = machine.runWith({ cwd: machine.path('site') }, 'add', machine.source, '--project', '.')
    expect(run.stdout).toContain('Take it back: loadout remove alpha --project .')
    expect(existsSync(machine.path('site/.claude/skills/alpha/SKILL.md'))).toBe(true)
    expect(copiesOn(machine)).toEqual([])
    expect(JSON.parse(machine.read('site/loadout.json'))).toEqual({
      agents: ['claude', 'gemini'],
      skills: { [`file://${machine.source}`]: ['alpha'] },
    })
    expect(existsSync(machine.path('skills'))).toBe(false)
    const back = machine.runWith({ cwd: machine.path('site') }, 'remove', 'alpha', '--project', '.', '--yes')
    expect(back).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(machine.path('site/.claude/skills/alpha'))).toBe(false)
    expect(JSON.parse(machine.read('site/loadout.lock'))).toEqual({ version: 1, skills: {} })
  })

  it('leaves nothing behind when the source, the agent or the place of the library is wrong', () => {
    const machine = makeNewcomer()
    mkdirSync(machine.path('empty'))
    const before = machine.tree()
    const rows: [words: string[], said: string][] = [
      [['nothing-here'], 'does not exist'],
      [['kit.zip'], 'kit.zip does not exist'],
      [['empty'], 'contains no skill'],
      [[`file://${machine.home}/gone`], 'gone'],
      [[machine.source, '--agent', 'cladue'], 'did you mean claude?'],
    ]
    for (const [words, said] of rows) {
      const run = machine.run('add', ...words)
      expect([run.code, run.stderr], words.join(' ')).toEqual([2, expect.stringContaining(said)])
    }
    expect(machine.runWith({ env: { PATH: '/nowhere' } }, 'add', machine.source, '--all').stderr).toContain(
      'install git',
    )
    expect(machine.tree()).toEqual(before)
    machine.write('skills/mine.txt', 'Mine.')
    const taken = machine.run('add', machine.source, '--all')
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('loadout init --new <folder>')])
    expect(readdirSync(machine.path('skills'))).toEqual(['mine.txt'])
  })

  it('says what is near to a name that the source lacks, and refuses another skill of a name that is taken', () => {
    const machine = makeNewcomer()
    expect(machine.run('add', machine.source, 'aplha').stderr).toContain('did you mean alpha?')
    machine.run('add', machine.source, 'alpha')
    machine.write('other/alpha/SKILL.md', text('alpha').replace('# alpha', '# Another'))
    const run = machine.run('add', 'other')
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('the library has another skill of this name')])
  })

  it('installs a skill that the library has, by its name', () => {
    const machine = makeNewcomer(['alpha'])
    machine.run('add', machine.source)
    machine.run('unequip', 'alpha')
    expect(machine.run('add', 'alpha').stdout).toBe('Installed alpha for Claude Code, Gemini CLI\n')
  })

  it('lists what is here without a source, and takes a plugin or a marketplace of Claude Code', () => {
    const machine = makeNewcomer(['alpha', 'beta'])
    const plugins = [{ name: 'docs', source: './', skills: ['./skills/beta'] }]
    machine.write('source/.claude-plugin/marketplace.json', JSON.stringify({ name: 'shop', plugins }))
    commitAll(machine.source, 'Marketplace')
    const installed = { version: 2, plugins: { 'docs@shop': [{ scope: 'user', installPath: machine.source }] } }
    const market = { source: { source: 'github', repo: 'o/shop' }, installLocation: machine.source }
    machine.write('.claude/plugins/installed_plugins.json', JSON.stringify(installed))
    machine.write('.claude/plugins/known_marketplaces.json', JSON.stringify({ shop: market }))
    machine.write('.config/skillshare/skills/gamma/SKILL.md', text('gamma'))
    const before = machine.tree()
    expect(machine.run('add').stdout).toMatch(
      / {2}docs@shop +installed +https:\/\/github.com\/o\/shop\n {2}shop +https.*\n {2}skillshare +installed\n/,
    )
    expect(machine.tree()).toEqual(before)
    expect(machine.run('add', 'docs@shop')).toMatchObject({ code: 0, stderr: '' })
    expect(copiesOn(machine)).toEqual(['.claude/beta', '.gemini/beta'])
    const { source } = JSON.parse(machine.read('skills/skills/beta/skill.json'))
    expect(source).toMatchObject({ url: 'https://github.com/o/shop', folder: 'skills/beta' })
    expect(machine.run('add', 'shop', '--all').stdout).toContain('Installed alpha for')
    expect(machine.run('add', 'skillshare').stdout).toContain('Installed gamma for')
    machine.write('.claude/plugins/installed_plugins.json', '{')
    machine.write('.claude/plugins/known_marketplaces.json', '[1]')
    expect(machine.run('add').code).toBe(0)
  })

  it('changes nothing in a dry run', () => {
    const machine = makeNewcomer()
    machine.run('add', machine.source, 'alpha')
    const before = machine.tree()
    expect(machine.run('add', machine.source, 'beta', '--dry-run').stdout).toBe(
      'Nothing was changed. This would be done:\n  add beta to the library and install\n',
    )
    expect(machine.tree()).toEqual(before)
  })

  it('shows a checklist on a terminal, then what a skill can do, and leaves nothing after ctrl-c', async () => {
    const machine = makeNewcomer()
    machine.write('source/skills/beta/scripts/run.sh', 'echo 1\n')
    const args = ['add', machine.source]
    const stopped = new Session({ home: machine.home, args })
    await stopped.until('Which?')
    stopped.send('\u0003')
    await stopped.until('DONE 130')
    stopped.dispose()
    expect(copiesOn(machine)).toEqual([])
    expect([machine.path('skills'), machine.path('.config/loadout/config.json')].filter(existsSync)).toEqual([])
    const session = new Session({ home: machine.home, args })
    await session.until('Which?')
    session.send('2\r')
    await session.until('Allow it?')
    session.send('y\r')
    expect((await session.ended()).code).toBe(0)
    session.dispose()
    expect(copiesOn(machine)).toEqual(['.claude/beta', '.gemini/beta'])
  })
})

describe('loadout remove', () => {
  it('takes back what add did, copy and library, and undo brings the skill back into the library', () => {
    const machine = makeNewcomer()
    machine.run('add', machine.source, '--all')
    const asked = machine.run('remove', 'alpha')
    expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining('loadout remove alpha --yes')])
    expect(copiesOn(machine)).toHaveLength(4)
    const run = machine.run('remove', 'alpha', '--yes')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('Removed from the library: alpha, commit ')
    expect(copiesOn(machine)).toEqual(['.claude/beta', '.gemini/beta'])
    expect(existsSync(machine.path('skills/skills/alpha'))).toBe(false)
    expect(machine.run('undo').code).toBe(0)
    expect(existsSync(machine.path('skills/skills/alpha/SKILL.md'))).toBe(true)
  })

  it('keeps a skill in the library that another install needs, and with --copies every one', () => {
    const machine = makeNewcomer()
    machine.run('add', machine.source, '--all')
    const run = machine.run('remove', 'alpha', '--agent', 'claude', '--yes')
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('alpha is still installed')])
    expect(copiesOn(machine)).toEqual(['.claude/beta', '.gemini/alpha', '.gemini/beta'])
    expect(machine.run('unequip', 'alpha', 'beta')).toMatchObject({ code: 0, stderr: '' })
    expect(copiesOn(machine)).toEqual([])
    expect(readdirSync(machine.path('skills/skills')).sort()).toEqual(['alpha', 'beta'])
  })
})
