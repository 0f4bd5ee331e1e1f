import { describe, expect, it } from 'vitest'
import { expectCivil, treeOf } from './civil.ts'
import { makeFolder, makeProject } from './run.ts'
import { runWarm } from './warm.ts'

const skill = (name: string, length: number) =>
  `---\nname: ${name}\ndescription: ${'why '.repeat(length)}\n---\n\nHow.\n`
const many = (folder: string, number: number) =>
  Object.fromEntries(Array.from({ length: number }, (_, at) => [`${folder}/s${at}/SKILL.md`, skill(`s${at}`, 100)]))

describe('status', () => {
  it('of an empty home says how to begin, and leaves it empty', () => {
    const home = makeFolder()
    const run = runWarm(['status'], { home })
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toBe(
      [
        'No agent was found on this machine.',
        '',
        'No library of skills yet.',
        '',
        'Next',
        '  1  what a task needs, in any project  loadout context "<task>"',
        '  2  a library keeps skills in git      loadout init --new ~/skills',
        '',
      ].join('\n'),
    )
    expect(treeOf(home).filter((path) => !path.startsWith('.cache'))).toEqual([])
  })

  it('is what the bare program prints where nobody sees it', () => {
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
    expect(next[0].command).toBe('loadout see claude --longest --project .')
    const { stdout } = runWarm(['status', '--project', `${home}/p`], { home })
    expect(stdout).toContain(`Claude Code  60 skills, ${agents[0].seen} seen  `)
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
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
