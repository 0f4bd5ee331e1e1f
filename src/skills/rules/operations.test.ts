import { describe, expect, it } from 'vitest'
import { type EquipRequest, planEquip, planUnequip } from './operations.ts'
import { CLAUDE, CODEX, foundOf, registeredOf, SHARED, statusOf } from './placement.fixture.ts'
import type { PlacementStatus, SkillStatus } from './skill.ts'

const INSTALLED = '/home/.claude/skills/review'

function request(changes: Partial<EquipRequest> = {}): EquipRequest {
  return { names: ['review'], agents: undefined, roots: [CLAUDE], isExplicit: true, ...changes }
}

function equip(statuses: SkillStatus[], changes: Partial<EquipRequest> = {}): string[] {
  const { operations, findings } = planEquip(statuses, request(changes))
  return [
    ...operations.map((each) => {
      const copy = 'keepsCopy' in each && each.keepsCopy ? ' with a copy' : ''
      return `${each.kind} ${each.skill} for ${each.agent} in ${each.root}${copy}`
    }),
    ...findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
  ]
}

describe('equipping', () => {
  const rows: [what: string, placements: PlacementStatus[], expected: string[]][] = [
    ['installs what is not there', [], ['install review for claude in /home/.claude/skills']],
    ['leaves what is current', [foundOf('current')], []],
    ['refreshes what is outdated', [foundOf('outdated')], ['refresh review for claude in /home/.claude/skills']],
    [
      'merges what may be edited',
      [foundOf('outdated', { mayBeEdited: true })],
      ['merge review for claude in /home/.claude/skills'],
    ],
    [
      'merges an edit with a change of the library',
      [foundOf('edited', { isBehind: true })],
      ['merge review for claude in /home/.claude/skills'],
    ],
    [
      'refreshes for the agent that has it',
      [foundOf('outdated', { agent: 'opencode' })],
      ['refresh review for opencode in /home/.claude/skills'],
    ],
    [
      'installs beside what is in another folder',
      [foundOf('current', {}, { root: CODEX })],
      ['install review for claude in /home/.claude/skills'],
    ],
    [
      'does not touch an edit of the newest version',
      [foundOf('edited')],
      [`warning EDITED_INSTALL: ${INSTALLED} was edited by hand; it stays as it is`],
    ],
    [
      'does not touch a folder of somebody',
      [foundOf('unmanaged')],
      [`error UNMANAGED_FOLDER: ${INSTALLED} was not installed by loadout; it was left as it is`],
    ],
    [
      'does not touch a link',
      [foundOf('unmanaged', { reason: 'a link is in its place' })],
      [
        `error UNMANAGED_FOLDER: ${INSTALLED} was not installed by loadout (a link is in its place); it was left as it is`,
      ],
    ],
    [
      'does not touch what it cannot judge',
      [foundOf('broken', { reason: 'no marker' })],
      [`error UNMANAGED_FOLDER: ${INSTALLED} cannot be judged: no marker`],
    ],
    [
      'does not touch what the skill no longer lists',
      [foundOf('unsupported')],
      [`warning UNSUPPORTED_TARGET: ${INSTALLED} is installed, but the skill no longer lists claude`],
    ],
  ]
  it.each(rows)('%s', (_, placements, expected) => {
    expect(equip([statusOf(placements)])).toEqual(expected)
  })

  it('takes every folder of an agent that the skill supports', () => {
    expect(equip([statusOf()], { roots: [CLAUDE, CODEX, SHARED] })).toEqual([
      'install review for claude in /home/.claude/skills',
      'install review for codex in /home/.codex/skills',
    ])
  })

  it('makes no second copy for an agent that reads another of the folders too, unless it is named or has one', () => {
    const read = { ...CLAUDE, alsoReadBy: ['codex'] }
    const [first, second] = [
      'install review for claude in /home/.claude/skills',
      'install review for codex in /home/.codex/skills',
    ]
    const both = { roots: [read, CODEX] }
    expect(equip([statusOf()], { ...both, agents: undefined })).toEqual([first])
    expect(equip([statusOf()], { ...both, agents: ['claude', 'codex'] })).toEqual([first, second])
    const old = foundOf('outdated', { isBehind: true, agent: 'codex' }, { root: CODEX })
    expect(equip([statusOf([old])], { ...both, agents: undefined })).toEqual([
      first,
      expect.stringContaining('refresh review for codex'),
    ])
    const only = statusOf([], { registered: registeredOf({ targets: ['codex'] }) })
    expect(equip([only], { ...both, agents: undefined })).toEqual([second])
  })

  it('uses the first wanted and supported agent of a shared folder', () => {
    const status = statusOf([], { registered: registeredOf({ targets: ['cursor', 'amp'] }) })
    const folder = '/project/.agents/skills'
    expect(equip([status], { roots: [SHARED] })).toEqual([`install review for amp in ${folder}`])
    expect(equip([status], { roots: [SHARED], agents: ['cursor'] })).toEqual([`install review for cursor in ${folder}`])
  })

  it('skips unsupported skills if all are requested', () => {
    expect(equip([statusOf()], { roots: [CLAUDE, CODEX], isExplicit: false, agents: undefined })).toHaveLength(2)
    const two = [
      statusOf(),
      statusOf([], { name: 'other', registered: registeredOf({ name: 'other', targets: ['amp'] }) }),
    ]
    const names = ['review', 'other']
    expect(equip(two, { names, roots: [SHARED], isExplicit: false, agents: ['amp'] })).toEqual([
      'install other for amp in /project/.agents/skills',
      'warning UNSUPPORTED_TARGET: review does not support amp',
    ])
  })

  it('reports an agent that no skill supports', () => {
    const wanted = { roots: [SHARED], isExplicit: false }
    expect(equip([statusOf()], { ...wanted, agents: ['amp'] })).toEqual([
      'error UNSUPPORTED_TARGET: none of the skills supports amp',
    ])
    expect(equip([statusOf()], wanted)[0]).toMatch(/^info UNSUPPORTED_TARGET: none of the skills supports /)
  })

  it('takes over an identical folder, and replaces any other only on request', () => {
    const folder = '/home/.claude/skills'
    const identical = foundOf('unmanaged', { isIdentical: true }, { contentHash: 'h' })
    expect(equip([statusOf([identical])])).toEqual([`adopt review for claude in ${folder}`])
    expect(equip([statusOf([foundOf('unmanaged')])])[0]).toMatch(/^error UNMANAGED_FOLDER/)
    expect(equip([statusOf([foundOf('unmanaged')])], { replaces: () => true })).toEqual([
      `adopt review for claude in ${folder}`,
    ])
    const edited = foundOf('edited', { mayBeEdited: true })
    expect(equip([statusOf([edited])], { replaces: () => true })).toEqual([
      `refresh review for claude in ${folder} with a copy`,
    ])
    const file = foundOf('unmanaged', {}, { kind: 'file' })
    expect(equip([statusOf([file])], { replaces: () => true })[0]).toMatch(/^error UNMANAGED_FOLDER/)
  })

  const refused: [
    what: string,
    statuses: SkillStatus[],
    changes: Partial<EquipRequest>,
    code: string,
    message: string,
  ][] = [
    [
      'a named agent',
      [statusOf()],
      { roots: [CLAUDE, SHARED], agents: ['amp', 'claude'] },
      'UNSUPPORTED_TARGET',
      'review does not support amp',
    ],
    [
      'all agents',
      [statusOf()],
      { roots: [SHARED] },
      'UNSUPPORTED_TARGET',
      'review does not support any agent that is enabled here',
    ],
    ['an unknown name', [statusOf()], { names: ['nothing'] }, 'SKILL_NOT_FOUND', 'the library has no skill "nothing"'],
    [
      'a name that is nearly right',
      [statusOf()],
      { names: ['reviw'] },
      'SKILL_NOT_FOUND',
      'the library has no skill "reviw"; did you mean review?',
    ],
    [
      'a broken skill',
      [{ name: 'review', state: 'invalid', placements: [], problems: ['a', 'b'] }],
      {},
      'INVALID_SKILL',
      'review cannot be used: a; b',
    ],
    [
      'a skill that only installs know',
      [{ name: 'review', state: 'orphaned', placements: [foundOf('orphaned')], problems: [] }],
      {},
      'SKILL_NOT_FOUND',
      'the library has no skill "review"',
    ],
  ]
  it.each(refused)('is refused for %s', (_, statuses, changes, code, message) => {
    expect(() => equip(statuses, changes)).toThrow(expect.objectContaining({ code, message }))
  })
})

describe('unequipping', () => {
  function unequip(statuses: SkillStatus[], changes: Partial<EquipRequest> = {}, isKnown = () => false): string[] {
    const { operations, findings } = planUnequip(statuses, { ...request(changes), isKnown })
    return [
      ...operations.map(
        (each) => `${each.kind} for ${each.agent}${'keepsCopy' in each && each.keepsCopy ? ' with a copy' : ''}`,
      ),
      ...findings.map(({ severity, code }) => `${severity} ${code}`),
    ]
  }

  const rows: [what: string, placements: PlacementStatus[], expected: string[]][] = [
    ['removes what is current', [foundOf('current')], ['remove for claude']],
    ['removes what is outdated', [foundOf('outdated')], ['remove for claude']],
    ['removes what is orphaned', [foundOf('orphaned')], ['remove for claude']],
    ['removes what is unsupported', [foundOf('unsupported')], ['remove for claude']],
    ['keeps a copy of an edit', [foundOf('edited')], ['remove for claude with a copy']],
    [
      'keeps a copy of what may be one',
      [foundOf('orphaned', { mayBeEdited: true })],
      ['remove for claude with a copy'],
    ],
    ['leaves what is not ours', [foundOf('unmanaged')], ['error UNMANAGED_FOLDER']],
    ['leaves what cannot be judged', [foundOf('broken')], ['error UNMANAGED_FOLDER']],
    ['says that there is nothing', [], ['info NOT_EQUIPPED']],
    ['leaves other folders', [foundOf('current', {}, { root: CODEX })], ['info NOT_EQUIPPED']],
  ]
  it.each(rows)('%s', (_, placements, expected) => {
    expect(unequip([statusOf(placements)])).toEqual(expected)
  })

  it('reports the agents that do not have the skill', () => {
    const plan = (agents: string[] | undefined) =>
      planUnequip([statusOf()], { ...request({ agents }), isKnown: () => false }).findings[0]?.message
    expect(plan(undefined)).toBe('review is not equipped here')
    expect(plan(['claude', 'amp'])).toBe('review is not equipped for claude, amp')
  })

  it('refuses a name that is neither in the library nor in a folder', () => {
    expect(() => unequip([statusOf()], { names: ['nothing'] })).toThrow('the library has no skill "nothing"')
    expect(unequip([statusOf()], { names: ['nothing'] }, () => true)).toEqual(['info NOT_EQUIPPED'])
  })
})
