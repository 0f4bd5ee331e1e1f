import { describe, expect, it } from 'vitest'
import type { MachineStatus, SeenByAgent } from '../../src/loadout.ts'
import { installAgent } from '../installed-agents.ts'
import { expectCivil, treeOf } from './civil.ts'
import { makeFolder, makeProject } from './run.ts'
import { makeMachine, skill as skillFiles } from './skills-machine.ts'
import { runWarm } from './warm.ts'

const skill = (name: string, length: number) =>
  `---\nname: ${name}\ndescription: ${'why '.repeat(length)}\n---\n\nHow.\n`
const many = (folder: string, number: number) =>
  Object.fromEntries(Array.from({ length: number }, (_, at) => [`${folder}/s${at}/SKILL.md`, skill(`s${at}`, 100)]))

describe('status', () => {
  it('of an empty home says how to begin, and leaves it empty', () => {
    const home = makeFolder()
    const run = runWarm(['status'], { home, env: { PATH: '/nowhere' } })
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toBe(
      [
        'No agent was found on this machine.',
        'No skill library yet.',
        '',
        '  1  skills from a repository, kept in git  loadout add <owner/repo>',
        '  2  what a task needs, in any project      loadout context "<task>"',
        '',
      ].join('\n'),
    )
    expect(treeOf(home).filter((path) => !path.startsWith('.cache'))).toEqual([])
  })

  it('is what the bare program prints without a terminal', () => {
    const home = makeFolder()
    expect(runWarm([], { home })).toEqual(runWarm(['status'], { home }))
    expect(runWarm(['--json'], { home })).toEqual(runWarm(['status', '--json'], { home }))
  })

  it('has the numbers of see and of the library', () => {
    const home = makeProject({
      ...many('.claude/skills', 60),
      '.claude/CLAUDE.md': 'x'.repeat(4000),
      '.codex/skills/one/SKILL.md': skill('one', 3),
      'p/.git/HEAD': '',
      'p/AGENTS.md': 'y'.repeat(40_000),
    })
    const run = runWarm(['status', '--json', '--project', `${home}/p`], { home })
    expectCivil(run)
    const { agents, next } = JSON.parse(run.stdout)
    for (const agent of agents) {
      const seen = JSON.parse(runWarm(['see', agent.agent, '--json', '--project', `${home}/p`], { home }).stdout)
      const fates = (fate: string) => seen.skills.filter((each: { fate: string }) => each.fate === fate).length
      expect([agent.skills, agent.seen, agent.cut, agent.dropped]).toEqual([
        seen.skills.length,
        fates('visible'),
        fates('cut'),
        fates('dropped'),
      ])
      const cut = seen.instructions.filter((file: { state: string }) => file.state === 'cut')
      expect(agent.cutFiles.map(({ path }: { path: string }) => path)).toEqual(
        cut.map(({ path }: { path: string }) => path),
      )
    }
    expect(agents.map(({ agent }: { agent: string }) => agent)).toEqual(['claude', 'codex'])
    expect(agents[0].dropped).toBeGreaterThan(0)
    expect(agents[1].cutFiles).toHaveLength(1)
    expect(next[0].command).toBe('loadout see claude --fix --project .')
    const { stdout } = runWarm(['status', '--project', `${home}/p`], { home })
    expect(stdout).toContain(
      `Claude Code 2.1.326  60 skills, ${agents[0].seen} described, ${agents[0].dropped} by name  `,
    )
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
  })

  it('has the numbers of see, usage and sync on a machine with three agents and 60 skills', () => {
    const names = Array.from({ length: 60 }, (_, at) => `s${at}`)
    const skills = Object.assign(
      {},
      ...names.map((name) =>
        skillFiles(name, { description: 'why '.repeat(100), targets: ['claude', 'codex', 'gemini'] }),
      ),
    )
    const machine = makeMachine({ skills, config: { targets: { gemini: { enabled: true } } } })
    machine.run('equip', '--all')
    machine.write('.claude/CLAUDE.md', 'x'.repeat(4000))
    machine.write('.codex/AGENTS.md', 'y'.repeat(800))
    for (const name of ['s1', 's2', 's3']) machine.write(`library/skills/${name}/SKILL.md`, 'Changed.\n')
    machine.git('commit', '--quiet', '--all', '--message', 'Change three')
    const used = { session_id: 'one', cwd: machine.home, hook_event_name: 'PostToolUse', tool_name: 'Skill' }
    const stdin = JSON.stringify({ ...used, tool_input: { skill: 's5' } })
    expect(machine.runWith({ stdin }, 'hook', 'claude', 'PostToolUse').code).toBe(0)

    const status = machine.json<MachineStatus>('status')
    expect(status.agents.map(({ agent, program }) => `${agent} ${program?.version}`)).toEqual([
      'claude 2.1.326',
      'codex 0.169.0',
      'gemini 0.61.0',
    ])
    const { stdout } = machine.run('status')
    for (const agent of status.agents) {
      const sight = machine.json<SeenByAgent>('see', agent.agent)
      const count = (...fates: string[]) => sight.skills.filter(({ fate }) => fates.includes(fate)).length
      const listed = sight.skills.reduce((sum, { tokens }) => sum + tokens, sight.own.tokens)
      const read = sight.instructions.reduce((sum, file) => sum + Math.ceil(file.read / 4), 0)
      expect(agent).toMatchObject({
        skills: sight.skills.length,
        seen: count('visible'),
        cut: count('cut'),
        dropped: count('dropped'),
        doubles: count('shadowed', 'ambiguous'),
        unreadable: count('unreadable'),
        tokens: listed + read,
        program: sight.program,
        recordedFrom: sight.recordedFrom,
      })
      expect(stdout).toContain(`${agent.label} ${agent.program?.version}`)
      const whole = count('visible', 'undescribed')
      if (count('cut') > 0) expect(stdout).toContain(`60 skills, ${whole} described, ${count('cut')} cut`)
      expect(stdout).toContain(`${(listed + read).toLocaleString('en')} tokens at start`)
    }
    expect(status.agents[1]?.cut).toBeGreaterThan(0)
    if (status.library?.problem !== undefined || status.library === undefined) throw new Error('no library')
    const { operations } = machine.json<{ operations: { kind: string }[] }>('sync', '--dry-run')
    expect(status.library.drift).toBe(operations.filter(({ kind }) => kind === 'refresh').length)
    expect(status.library.drift).toBe(9)
    const uses = machine.json<{ entryId: string; used: number }[]>('usage').filter((entry) => entry.used > 0)
    expect(uses.map(({ entryId }) => entryId)).toEqual(['s5'])
    expect(status.library.unused).toEqual(status.library.equipped.filter((name) => name !== 's5'))
    expect(stdout).toContain('60 skills, 60 equipped')
    expect(stdout).toMatch(/9\s+copies to refresh/)
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(13)
  })

  it('names an agent that is installed and never ran', () => {
    const home = makeProject({ '.claude/skills/a/SKILL.md': skill('a', 1) })
    const PATH = installAgent(home, { package: 'opencode-ai', command: 'opencode' }, '1.18.33')
    const { stdout } = runWarm(['status'], { home, env: { PATH } })
    expect(stdout).toContain('\nInstalled, but never run: OpenCode 1.18.33\n')
    const { agents, neverRan } = JSON.parse(runWarm(['status', '--json'], { home, env: { PATH } }).stdout)
    expect([agents[0].agent, neverRan[0].agent, neverRan[0].program.version]).toEqual(['claude', 'opencode', '1.18.33'])
  })

  it('says when the numbers are those of another version, or of none', () => {
    const home = makeProject({ '.claude/skills/a/SKILL.md': skill('a', 1) })
    const at = (PATH: string) => runWarm(['status'], { home, env: { PATH } }).stdout
    expect(at('/nowhere')).toContain('    its program is not in the PATH: shown by the rules of 2.1.326')
    const newer = installAgent(home, { package: '@anthropic-ai/claude-code', command: 'claude' }, '9.0.1')
    expect(at(newer)).toMatch(/Claude Code 9\.0\.1 .*\n {4}by the rules of 2\.1\.326/)
  })

  it.each([
    ['settings of an agent', { '.claude/settings.json': '{', '.claude/skills/a/SKILL.md': skill('a', 1) }, 0],
    ['a library that is gone', { '.config/loadout/config.json': '{"repo_path":"/no/library"}' }, 0],
    ['our own settings', { '.config/loadout/config.json': '{' }, 2],
  ])('with %s broken', (_, files, code) => {
    const run = runWarm(['status'], { home: makeProject(files) })
    expectCivil(run)
    expect(run.code).toBe(code)
  })
})
