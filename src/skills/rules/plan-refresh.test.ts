import { describe, expect, it } from 'vitest'
import { planRefresh } from './operations.ts'
import { foundOf, markerOf, SHARED, statusOf } from './placement.fixture.ts'
import type { PlacementStatus, SkillStatus } from './skill.ts'

const LIBRARY = { head: 'c0ffee1234', uncommittedFolders: new Set<string>() }
const MOVED = { ...LIBRARY, head: 'abcdef0000' }
const CHANGED = { ...LIBRARY, uncommittedFolders: new Set(['skills/review']) }

function refresh(found: PlacementStatus, library = LIBRARY, replaces = false): string[] {
  const { operations, findings } = planRefresh([statusOf([found])], library, () => replaces)
  return [
    ...operations.map((each) => `${each.kind}${'keepsCopy' in each && each.keepsCopy ? ' with a copy' : ''}`),
    ...findings.map(({ severity, code }) => `${severity} ${code}`),
  ]
}

describe('a refresh', () => {
  const marker = { commit: 'c0ffee1', installedAt: '2020-01-01T00:00:00Z' }
  const rows: [what: string, found: PlacementStatus, expected: string[], library?: typeof LIBRARY][] = [
    ['leaves what is current', foundOf('current'), []],
    [
      'leaves a marker with the beginning of the commit',
      foundOf('current', {}, { marker: markerOf({ commit: 'c0ffee1' }) }),
      [],
    ],
    ['marks anew what comes from another commit', foundOf('current'), ['restamp'], MOVED],
    ['marks anew what had no hashes', foundOf('current', {}, { marker }), ['restamp']],
    ['marks anew what is no longer committed', foundOf('current'), ['restamp'], CHANGED],
    [
      'marks anew what is committed now',
      foundOf('current', {}, { marker: markerOf({ isUncommitted: true }) }),
      ['restamp'],
    ],
    [
      'leaves what is as little committed as before',
      foundOf('current', {}, { marker: markerOf({ isUncommitted: true }) }),
      [],
      CHANGED,
    ],
    ['replaces what is outdated', foundOf('outdated', { isBehind: true }), ['refresh']],
    ['merges what may be edited', foundOf('outdated', { isBehind: true, mayBeEdited: true }), ['merge']],
    ['merges an edit that is behind', foundOf('edited', { isBehind: true, mayBeEdited: true }), ['merge']],
    ['leaves an edit of the newest', foundOf('edited', { mayBeEdited: true }), ['warning EDITED_INSTALL']],
    ['leaves what is not ours, without a word', foundOf('unmanaged'), []],
    ['tells of an orphan', foundOf('orphaned'), ['warning OUTDATED_INSTALL']],
    ['tells of an agent that is no longer listed', foundOf('unsupported'), ['warning UNSUPPORTED_TARGET']],
    ['tells of a broken marker', foundOf('broken', { reason: 'x' }), ['error UNMANAGED_FOLDER']],
  ]
  it.each(rows)('%s', (_, found, expected, library) => {
    expect(refresh(found, library)).toEqual(expected)
  })

  it('replaces edits only on request, with a copy', () => {
    for (const state of ['edited', 'outdated'] as const) {
      for (const isBehind of [true, false]) {
        expect(refresh(foundOf(state, { isBehind, mayBeEdited: true }), LIBRARY, true)).toEqual(['refresh with a copy'])
      }
    }
    expect(refresh(foundOf('outdated'), LIBRARY, true)).toEqual(['refresh'])
  })

  it('does not renew the marker of a skill that is broken in the library', () => {
    const { registered: _, ...status } = statusOf([foundOf('current')], { state: 'invalid', problems: ['x'] })
    expect(planRefresh([status], MOVED)).toEqual({ operations: [], findings: [] })
  })

  it('renews a marker with a commit in a library without commits', () => {
    const empty = { head: undefined, uncommittedFolders: new Set<string>() }
    const plan = (commit: string) =>
      planRefresh([statusOf([foundOf('current', {}, { marker: markerOf({ commit }) })])], empty)
    expect(plan('c0ffee1').operations).toMatchObject([{ kind: 'restamp', contentHash: 'content' }])
    expect(plan('').operations).toEqual([])
  })

  it('leaves many older commits in markers with hashes, and renews the other markers', () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ ...statusOf([foundOf('current')]), name: `s${at}` }))
    const plain = { ...statusOf([foundOf('current', {}, { marker })]), name: 'plain' }
    const restamped = (statuses: SkillStatus[]) => planRefresh(statuses, MOVED).operations.map(({ skill }) => skill)
    expect(restamped([...many, plain])).toEqual(['plain'])
    expect(restamped(many.slice(1))).toHaveLength(100)
  })

  it('names the place of each operation', () => {
    const found = foundOf('outdated', { agent: 'cursor' }, { root: SHARED })
    expect(planRefresh([statusOf([found])], LIBRARY).operations).toEqual([
      { kind: 'refresh', keepsCopy: false, skill: 'review', agent: 'cursor', scope: 'project', root: SHARED.path },
    ])
  })

  it('says what to do next, with the flag for the scope', () => {
    const hint = (found: PlacementStatus) => planRefresh([statusOf([found])], LIBRARY).findings[0]?.hint
    expect(hint(foundOf('edited'))).toBe(
      'loadout adopt review brings the edit into the library; loadout diff review shows it',
    )
    expect(hint(foundOf('unsupported', { agent: 'amp' }, { root: SHARED }))).toBe(
      'loadout remove --copies review --target amp --project .',
    )
  })
})
