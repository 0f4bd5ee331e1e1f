import { describe, expect, it } from 'vitest'
import { CLAUDE, CODEX, markerOf, placementOf, registeredOf, SHARED } from './placement.fixture.ts'
import { type LibraryState, reconcile, sameCommit } from './reconcile.ts'
import type { Placement, PlacementStatus, RegisteredSkill, Registry } from './skill.ts'

const HEAD = 'c0ffee1234'
const LIBRARY: LibraryState = { head: HEAD, uncommittedFolders: new Set() }
const OLD_MARKER = { commit: HEAD, installedAt: '2020-01-01T00:00:00Z' }
const INVALID: Registry = { skills: [], invalid: [{ name: 'review', folder: 'skills/review', problems: ['no'] }] }

const having = (...skills: RegisteredSkill[]): Registry => ({ skills, invalid: [] })

function judge(
  placement: Placement,
  registry = having(registeredOf()),
  library = LIBRARY,
): PlacementStatus | undefined {
  return reconcile(registry, [placement], library)[0]?.placements[0]
}

describe('a placement', () => {
  const changed = registeredOf()
  changed.sourceHash = 'newer'
  const edited = { contentHash: 'edited' }
  const old = { marker: OLD_MARKER }
  const rows: [what: string, placement: Partial<Placement>, expected: Partial<PlacementStatus>, registry?: Registry][] =
    [
      ['as the library has it', {}, { state: 'current', isBehind: false, mayBeEdited: false }],
      ['of an older source', {}, { state: 'outdated', isBehind: true, mayBeEdited: false }, having(changed)],
      ['changed by hand', edited, { state: 'edited', isBehind: false, mayBeEdited: true }],
      ['changed by hand and behind', edited, { state: 'edited', isBehind: true, mayBeEdited: true }, having(changed)],
      ['that is a file', { kind: 'file' }, { state: 'unmanaged', reason: 'a file is in its place' }],
      ['that is a link', { kind: 'link' }, { state: 'unmanaged', reason: 'a link is in its place' }],
      ['without a marker', { marker: undefined }, { state: 'unmanaged', agent: 'claude' }],
      [
        'with a broken marker',
        { marker: { problem: 'no JSON' } },
        { state: 'broken', reason: 'its marker is broken: no JSON', agent: 'claude' },
      ],
      [
        'with the marker of another skill, because a person copied it',
        { marker: markerOf({ skill: 'notes' }) },
        { state: 'broken', reason: expect.stringContaining('its marker is of the skill notes') },
      ],
      ['that cannot be read', { problem: 'is not readable' }, { state: 'broken', reason: 'is not readable' }],
      ['of a skill that is gone', {}, { state: 'orphaned', mayBeEdited: false }, having()],
      ['of a skill that is gone, edited', edited, { state: 'orphaned', mayBeEdited: true }, having()],
      ['of a skill that is gone, by an older program', old, { state: 'orphaned', mayBeEdited: true }, having()],
      ['of a skill that is broken', {}, { state: 'current', mayBeEdited: false }, INVALID],
      ['of a skill that is broken, edited', edited, { state: 'edited' }, INVALID],
      ['for an agent it no longer supports', { root: SHARED }, { state: 'unsupported', mayBeEdited: false }],
      ['for such an agent, edited', { root: SHARED, ...edited }, { state: 'unsupported', mayBeEdited: true }],
      ['for such an agent, by an older program', { root: SHARED, ...old }, { state: 'unsupported', mayBeEdited: true }],
      [
        'for an agent that shares its folder',
        { root: SHARED },
        { state: 'current' },
        having(registeredOf({ targets: ['cursor'] })),
      ],
      ['by an older program, as it would be now', { ...old, expectedHash: 'content' }, { state: 'current' }],
      [
        'by an older program from this commit, with other content',
        { ...old, expectedHash: 'x' },
        { state: 'edited', isBehind: false, mayBeEdited: true },
      ],
      [
        'by an older program from another commit, with other content',
        { marker: { ...OLD_MARKER, commit: 'abcdef0' }, expectedHash: 'x' },
        { state: 'outdated', isBehind: true, mayBeEdited: true },
      ],
    ]
  it.each(rows)('%s', (_, placement, expected, registry) => {
    const { marker = undefined, ...rest } = { ...placementOf(), ...placement }
    expect(judge({ ...rest, marker }, registry)).toMatchObject(expected)
  })

  it.each<[what: string, library: LibraryState]>([
    ['differs from that commit', { head: HEAD, uncommittedFolders: new Set(['skills/review']) }],
    ['has no commit', { head: undefined, uncommittedFolders: new Set() }],
  ])('by an older program is only outdated when the library %s', (_, library) => {
    const found = judge(placementOf({ marker: OLD_MARKER, expectedHash: 'x' }), undefined, library)
    expect(found).toMatchObject({ state: 'outdated', mayBeEdited: true })
  })

  it('belongs to the agent of its marker, else to the first that reads the folder', () => {
    expect(judge(placementOf({ marker: markerOf({ agent: 'codex' }) }))?.agent).toBe('codex')
    expect(judge(placementOf({ root: SHARED, marker: OLD_MARKER }))?.agent).toBe('amp')
  })
})

describe('a skill', () => {
  const edited = { contentHash: 'edited' }
  const rows: [what: string, registry: Registry, placements: Placement[], state: string | undefined][] = [
    ['nobody has is inactive', having(registeredOf()), [], 'inactive'],
    ['is current everywhere', having(registeredOf()), [placementOf(), placementOf({ root: CODEX })], 'current'],
    [
      'shows its worst state',
      having(registeredOf()),
      [placementOf(), placementOf({ root: CODEX, ...edited })],
      'edited',
    ],
    ['that is broken is invalid, whatever is installed', INVALID, [placementOf(edited)], 'invalid'],
    ['only the installs know is orphaned', having(), [placementOf()], 'orphaned'],
  ]
  it.each(rows)('%s', (_, registry, placements, state) => {
    expect(reconcile(registry, placements, LIBRARY).map((status) => status.state)).toEqual([state])
  })

  it('is listed once with all its placements, in the order of names', () => {
    const registry: Registry = {
      skills: [registeredOf({ name: 'zeta' }), registeredOf()],
      invalid: [{ name: 'alpha', folder: 'skills/alpha', problems: ['it is wrong'] }],
    }
    const placements = [placementOf(), placementOf({ name: 'gone' }), placementOf({ root: CODEX })]
    const statuses = reconcile(registry, placements, LIBRARY)
    expect(statuses.map(({ name, placements: found }) => [name, found.length])).toEqual([
      ['alpha', 0],
      ['gone', 1],
      ['review', 2],
      ['zeta', 0],
    ])
    expect(statuses[0]).toMatchObject({ problems: ['it is wrong'] })
    expect(statuses[0]?.registered).toBeUndefined()
  })

  it('does not list an unmanaged folder, unless it has the name of a skill', () => {
    const stranger: Placement = { name: 'mine', root: CLAUDE, kind: 'folder', contentHash: 'x' }
    expect(reconcile(having(), [stranger], LIBRARY)).toEqual([])
    expect(reconcile(having(registeredOf({ name: 'mine' })), [stranger], LIBRARY)).toMatchObject([
      { state: 'unmanaged' },
    ])
    expect(
      reconcile(
        { skills: [], invalid: [{ name: 'mine', folder: 'skills/mine', problems: ['x'] }] },
        [stranger],
        LIBRARY,
      ),
    ).toMatchObject([{ state: 'invalid' }])
  })
})

it.each<[marked: string, head: string, isSame: boolean]>([
  ['c0ffee1', HEAD, true],
  [HEAD, HEAD, true],
  ['c0ffee', HEAD, false],
  ['', HEAD, false],
  ['', '', true],
  [HEAD, '', false],
  ['0ffee12', HEAD, false],
])('%j marks %j: %s', (marked, head, isSame) => {
  expect(sameCommit(marked, head)).toBe(isSame)
})
