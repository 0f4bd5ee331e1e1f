import { describe, expect, it } from 'vitest'
import { skillOf } from './placement.fixture.ts'
import { changedTargets, type Skill } from './skill.ts'

describe('the agents that a skill supports', () => {
  const rows: [before: string[], add: string[], remove: string[], after: string[] | undefined][] = [
    [['claude'], ['gemini'], [], ['claude', 'gemini']],
    [['claude'], ['claude'], [], ['claude']],
    [['claude', 'codex'], [], ['codex'], ['claude']],
    [['claude'], ['gemini'], ['claude'], ['gemini']],
    [['claude'], [], ['claude'], undefined],
    [['claude'], ['*'], [], ['*']],
    [['*'], ['gemini'], [], ['*']],
    [['*'], [], ['codex'], ['claude']],
    [['*'], ['claude'], ['*'], ['claude']],
    [[], ['gemini'], [], []],
    [[], [], ['codex'], ['claude']],
    [[], ['claude'], ['*'], ['claude']],
    [['claude-code', 'codex'], ['claude'], ['codex'], ['claude-code']],
    [['claude-code', 'codex'], [], ['claude'], ['codex']],
  ]
  it.each(rows)('%j, add %j, remove %j: %j', (before, add, remove, after) => {
    const changed = changedTargets(skillOf({ targets: before }), { add, remove, enabled: ['claude', 'codex'] })
    expect(changed?.targets).toEqual(after)
  })

  it('gives a new agent the metadata of the public format that all others share', () => {
    const own = { license: 'MIT', model: 'opus' }
    const metadata: Skill['metadata'] = {
      claude: { ...own, compatibility: 'a' },
      codex: { ...own, compatibility: 'b' },
    }
    const skill = skillOf({ targets: ['claude', 'codex'], metadata })
    const changed = changedTargets(skill, { add: ['gemini'], remove: [], enabled: [] })
    expect(changed?.metadata).toEqual({ ...metadata, gemini: { license: 'MIT' } })
  })
})
