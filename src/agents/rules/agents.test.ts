import { describe, expect, it } from 'vitest'
import { AGENT_IDS, AGENTS, isAgent, requireAgent } from './agents.ts'

describe('the table of agents', () => {
  it('has each once', () => {
    expect(new Set(AGENT_IDS).size).toBe(AGENTS.length)
    const names = AGENTS.flatMap(({ id, aliases = [] }) => [id, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(AGENTS.map(({ label }) => label)).size).toBe(AGENTS.length)
    const folders = AGENTS.flatMap(({ userFolder }) => userFolder ?? [])
    expect(new Set(folders).size).toBe(folders.length)
  })

  it('enables two by default', () => {
    expect(AGENTS.filter(({ isEnabledByDefault }) => isEnabledByDefault).map(({ id }) => id)).toEqual([
      'claude',
      'codex',
    ])
  })

  it.each(AGENTS.map((agent) => [agent.id, agent] as const))(
    '%s stays below the home folder and the project',
    (_, agent) => {
      expect(agent.id).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
      for (const folder of [agent.userFolder ?? agent.projectFolder, agent.projectFolder])
        expect(`./${folder}`).toMatch(/^\.(?:\/\.?[a-z-]+)*\/skills$/)
      if (agent.home) expect(agent.userFolder).toContain(`${agent.home.folder}/`)
    },
  )
})

it.each<[id: string, expected: boolean]>([
  ['claude', true],
  ['Claude', false],
  ['', false],
  ['toString', false],
  ['__proto__', false],
])('%j is an agent: %s', (id, expected) => {
  expect(isAgent(id)).toBe(expected)
})

it('an agent is found by its id, or the nearest is named', () => {
  expect(requireAgent('codex').label).toBe('Codex')
  expect(requireAgent('claude-code').id).toBe('claude')
  expect(requireAgent('zed').id).toBe('agents')
  expect(requireAgent('zenflow').id).toBe('zencoder')
  expect(() => requireAgent('cloude')).toThrow('there is no agent "cloude"; did you mean claude?')
  expect(() => requireAgent('zzzzzz')).toThrow(/^there is no agent "zzzzzz"$/)
})
