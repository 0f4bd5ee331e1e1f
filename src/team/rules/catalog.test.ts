import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CatalogEntry,
  type Change,
  chooseVerdicts,
  continuityProblem,
  describeChanges,
  expiryOf,
  formatSnapshot,
  nextSnapshot,
  parseSnapshot,
  type Snapshot,
  stopsInForce,
  type Version,
  versionProblem,
} from './catalog.ts'

const VERSION: Version = {
  kind: 'skill',
  name: 'lint',
  version: '1.0.0',
  groups: ['*'],
  commit: 'a'.repeat(40),
  digest: 'b'.repeat(64),
}

const HEAD = { team: 'ours', by: 'admin', at: '2026-11-01T00:00:00.000Z', days: 90, only: [] }

/** The catalog after some signatures: `approve 1, approve 2 for pilot, retire 1`. */
function signed(steps: string, base = nextSnapshot(undefined, [], HEAD)): Snapshot {
  return steps
    .split(', ')
    .filter(Boolean)
    .reduce((before, step) => {
      const [says, version = '', , group = '*'] = step.split(' ')
      const state = says === 'retire' ? 'retired' : says === 'hold' ? 'quarantined' : 'approved'
      const change: Change = { ...VERSION, version, groups: [group], state, isApproval: says === 'approve' }
      return nextSnapshot(before, [change], HEAD)
    }, base)
}

const STEPS = fc
  .array(
    fc
      .tuple(
        fc.constantFrom('approve', 'retire', 'hold', 'lift'),
        fc.constantFrom('1', '2', '3'),
        fc.constantFrom('*', 'web', 'pilot'),
      )
      .map(([says, version, group]) => `${says} ${version} for ${group}`),
    { maxLength: 8 },
  )
  .map((steps) => steps.join(', '))

describe('the text of a catalog', () => {
  it('is read back as it was signed', () => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const snapshot = signed(steps)
        expect(parseSnapshot(formatSnapshot(snapshot))).toEqual(snapshot)
      }),
    )
  })

  it('has one form only: any other bytes are no catalog, or another one', () => {
    fc.assert(
      fc.property(STEPS, fc.nat(), fc.constantFrom(' ', '\n', '}', '"x":1,', '\u0000'), (steps, at, more) => {
        const text = formatSnapshot(signed(steps))
        const place = at % (text.length + 1)
        const changed = text.slice(0, place) + more + text.slice(place)
        const read = parseSnapshot(changed)
        if (read !== undefined) expect(formatSnapshot(read)).toBe(changed)
      }),
    )
  })

  const text = formatSnapshot(signed('approve 1, approve 2'))
  it.each([
    ['versions in another order', text.replace(/(\{"kind".*?\}),(\{"kind".*\})\]/, '$2,$1]')],
    ['a version twice', text.replace(/(\{"kind".*?\}),/, '$1,$1,')],
    ['a version that was changed later than the catalog', text.replace('"changed":3', '"changed":4')],
    ['a draft', text.replace('"state":"approved"', '"state":"draft"')],
    ['the number 0', text.replace('"number":3', '"number":0')],
    ['a name that stands for all', text.replace('"name":"lint"', '"name":"*"')],
    ['an unknown kind of which only approved ones count', text.replace('"only":[]', '"only":["hook"]')],
  ])('with %s is no catalog', (_, changed) => {
    expect([changed === text, parseSnapshot(changed)]).toEqual([false, undefined])
  })
})

it.each([
  ['fine', {}, undefined],
  ['a name that is a path', { name: '../x' }, /not the name/],
  ['a long name', { name: 'a'.repeat(65) }, /not the name/],
  ['a version with a blank', { version: '1 0' }, /not a version/],
  ['no groups', { groups: [] }, /groups/],
  ['a group with a quote', { groups: ["'"] }, /not the name of a group/],
  ['a short commit', { commit: 'abc' }, /commit/],
  ['no commit', { commit: '' }, /commit/],
  ['no commit, as a pack of a package has none', { kind: 'pack' as const, commit: '' }, undefined],
  ['a digest that is none', { digest: 'xyz' }, /digest/],
])('a version with %s', (_, change, expected) => {
  const problem = versionProblem({ ...VERSION, ...change })
  if (expected === undefined) expect(problem).toBeUndefined()
  else expect(problem).toMatch(expected)
})

it.each([
  ['2026-11-01T00:00:00.000Z', 90, '2027-01-30T00:00:00.000Z'],
  ['+275760-09-13T00:00:00.000Z', 90, '+275760-09-13T00:00:00.000Z'],
])('a catalog that was signed at %s for %i days expires at %s', (at, days, expected) => {
  expect(expiryOf({ at, days })).toBe(expected)
})

const draft = (version: string, state: CatalogEntry['state'] = 'draft'): CatalogEntry => ({
  ...VERSION,
  version,
  state,
  owner: 'tools',
  published: '2026-11-01T00:00:00Z',
})

describe('what a machine of the group web does with a skill of the catalog', () => {
  const rows: [name: string, steps: string, entries: CatalogEntry[], expected: string | undefined][] = [
    ['a draft', '', [draft('1')], 'held 1'],
    ['a version that only the database calls approved', '', [draft('1', 'approved')], 'held 1'],
    ['an approval', 'approve 1', [], 'approved 1'],
    ['a newer draft', 'approve 1', [draft('2')], 'approved 1'],
    ['two approvals: the newer one', 'approve 1, approve 2', [], 'approved 2'],
    ['the older version approved again', 'approve 1, approve 2, approve 1', [], 'approved 1'],
    ['an approval for another group', 'approve 1, approve 2 for pilot', [], 'approved 1'],
    ['an approval for this group', 'approve 1, approve 2 for web', [], 'approved 2'],
    ['only for another group', 'approve 2 for pilot', [], 'held 2'],
    ['a signed quarantine', 'approve 1, approve 2, hold 2', [], 'held 2'],
    ['a stop of the database', 'approve 1, approve 2', [draft('2', 'quarantined')], 'held 2'],
    ['a quarantine that was lifted', 'approve 1, hold 1, lift 1', [], 'approved 1'],
    ['a lifted quarantine of the older version', 'approve 1, hold 1, approve 2, lift 1', [], 'approved 2'],
    ['a retired version', 'approve 1, approve 2, retire 2', [], 'approved 1'],
    ['the only version retired', 'approve 1, retire 1', [], 'retired 1'],
    ['all versions retired', 'approve 1, approve 2, retire 1, retire 2', [], 'retired *'],
    ['approved again after that', 'approve 1, retire 1, approve 1', [], 'approved 1'],
    ['retired, and the database calls it approved', 'approve 1, retire 1', [draft('1', 'approved')], 'retired 1'],
    ['nothing', '', [], undefined],
  ]
  it.each(rows)('%s', (_, steps, entries, expected) => {
    const snapshot = signed(steps)
    const stops = stopsInForce(snapshot, [], entries)
    const [verdict] = chooseVerdicts(snapshot, { group: 'web', stops, entries })
    expect(verdict && `${verdict.state} ${verdict.version}`).toBe(expected)
    if (verdict?.state === 'approved') expect(verdict).toMatchObject({ commit: VERSION.commit, by: 'admin' })
  })
})

describe('a stop of the database', () => {
  const one = signed('approve 1')
  const seen = stopsInForce(one, [], [draft('1', 'quarantined')])
  const rows: [name: string, snapshot: Snapshot, entries: CatalogEntry[], isInForce: boolean][] = [
    ['stays when the database takes it back', one, [draft('1', 'approved')], true],
    ['stays when another version is approved', signed('approve 2', one), [], true],
    ['ends when a later catalog lifts it', signed('hold 1, lift 1', one), [], false],
    ['ends when a later catalog approves the version again', signed('approve 1', one), [], false],
    ['counts again after it was lifted', signed('lift 1', one), [draft('1', 'quarantined')], true],
    ['is not needed for a retired version', signed('retire 1', one), [], false],
  ]
  it.each(rows)('%s', (_, snapshot, entries, isInForce) => {
    expect([seen.length, stopsInForce(snapshot, seen, entries).length]).toEqual([1, isInForce ? 1 : 0])
  })
})

describe('a catalog continues the one that a machine verified', () => {
  it('when it was made from it by any changes', () => {
    fc.assert(
      fc.property(STEPS, STEPS, (first, more) => {
        const before = signed(first)
        expect(continuityProblem(before, signed(more, before))).toBeUndefined()
      }),
    )
  })

  const before = signed('approve 1, approve 2, hold 2')
  const rows: [name: string, next: Snapshot, problem: RegExp][] = [
    ['with a lower number', signed('approve 1'), /older than number 4/],
    ['with the same number and other content', signed('approve 1, approve 2, approve 3'), /another/],
    [
      'that was made from an older one, and leaves a version out',
      signed('approve 1, retire 1, approve 1, retire 1'),
      /leaves out lint 2/,
    ],
    [
      'that was made from an older one, and forgets a quarantine',
      signed('approve 1, approve 2, approve 1, retire 1'),
      /takes back what admin signed about lint 2/,
    ],
    [
      'with other content of a version',
      { ...before, number: 9, versions: before.versions.map((each) => ({ ...each, digest: 'c'.repeat(64) })) },
      /other content as lint 1/,
    ],
  ]
  it.each(rows)('not %s', (_, next, problem) => {
    expect(continuityProblem(before, next)).toMatch(problem)
  })
})

it('a catalog tells what another approver changed since', () => {
  const before = signed('approve 1')
  const next = signed('retire 1, approve 2 for pilot', before)
  expect(describeChanges(before, next)).toEqual(['lint 1 retired by admin', 'lint 2 approved for pilot by admin'])
})
