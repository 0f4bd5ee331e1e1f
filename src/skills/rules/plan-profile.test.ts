import { describe, expect, it } from 'vitest'
import type { Profile } from '../../agents/rules/config.ts'
import { planProfile } from './operations.ts'
import { CLAUDE, CODEX, foundOf, statusOf } from './placement.fixture.ts'
import type { SkillStatus } from './skill.ts'

const ROOTS = [CLAUDE, CODEX]

function apply(statuses: SkillStatus[], profile: Profile, isExact = false): string[] {
  const { operations, findings } = planProfile(
    statuses,
    profile,
    ROOTS,
    isExact ? (name, { agent }) => !profile[name]?.includes(agent) : undefined,
  )
  return [
    ...operations.map(({ kind, skill, agent }) => `${kind} ${skill} for ${agent}`),
    ...findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
  ]
}

const onClaude = foundOf('current')
const onCodex = foundOf('current', { agent: 'codex' }, { root: CODEX })
const other = (...placements: SkillStatus['placements']) => statusOf(placements, { name: 'other' })

describe('a profile', () => {
  const rows: [what: string, statuses: SkillStatus[], profile: Profile, isExact: boolean, expected: string[]][] = [
    [
      'equips what it names',
      [statusOf()],
      { review: ['claude', 'codex'] },
      false,
      ['install review for claude', 'install review for codex'],
    ],
    ['leaves what is there', [statusOf([onClaude])], { review: ['claude'] }, false, []],
    [
      'equips only for the agents that it names',
      [statusOf()],
      { review: ['codex'] },
      false,
      ['install review for codex'],
    ],
    ['leaves what it does not name', [statusOf(), other(onClaude)], {}, false, []],
    ['exactly: removes what it does not name', [statusOf(), other(onClaude)], {}, true, ['remove other for claude']],
    [
      'exactly: removes it from other agents',
      [statusOf([onClaude, onCodex])],
      { review: ['codex'] },
      true,
      ['remove review for claude'],
    ],
    [
      'exactly: keeps an edited copy that it does not name',
      [statusOf([foundOf('edited', { mayBeEdited: true }), onCodex])],
      {},
      true,
      [
        'remove review for codex',
        'warning EDITED_INSTALL: /home/.claude/skills/review was edited by hand; it stays, although the profile does not name it',
      ],
    ],
    ['exactly: leaves what is not ours', [statusOf([foundOf('unmanaged')])], {}, true, []],
    [
      'exactly: says what it cannot judge',
      [statusOf([foundOf('broken', { reason: 'x' })])],
      {},
      true,
      ['error UNMANAGED_FOLDER: /home/.claude/skills/review cannot be judged: x'],
    ],
    [
      'goes on when a skill is missing',
      [statusOf()],
      { gone: ['claude'], review: ['claude'] },
      false,
      ['install review for claude', 'error SKILL_NOT_FOUND: the library has no skill "gone"'],
    ],
    [
      'says which agents are off',
      [statusOf()],
      { review: ['claude', 'amp', 'goose'] },
      false,
      [
        'install review for claude',
        'warning UNSUPPORTED_TARGET: review was not equipped for amp, goose: not enabled on this machine',
      ],
    ],
  ]
  it.each(rows)('%s', (_, statuses, profile, isExact, expected) => {
    expect(apply(statuses, profile, isExact)).toEqual(expected)
  })

  it('reports only disabled agents if all its agents are disabled', () => {
    expect(apply([statusOf()], { review: ['amp'] })).toEqual([
      'warning UNSUPPORTED_TARGET: review was not equipped for amp: not enabled on this machine',
    ])
  })
})
