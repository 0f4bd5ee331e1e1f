import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../machine/rules/verdict.ts'
import {
  type CatalogEntry,
  type CatalogState,
  type CheckedEntry,
  chooseVerdicts,
  formatStatement,
  parseStatement,
  type Statement,
  versionProblem,
} from './catalog.ts'

const STATEMENT: fc.Arbitrary<Statement> = fc.record({
  team: fc.string(),
  kind: fc.constantFrom('skill' as const, 'pack' as const),
  name: fc.string(),
  version: fc.string(),
  state: fc.constantFrom('approved' as const, 'retired' as const),
  commit: fc.string(),
  digest: fc.string(),
  groups: fc.array(fc.string()),
  by: fc.string(),
  at: fc.date({ min: new Date(0), max: new Date('2999-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
})

it('is read back as it was signed', () => {
  fc.assert(
    fc.property(STATEMENT, (statement) => {
      expect(parseStatement(formatStatement(statement))).toEqual(statement)
    }),
  )
})

it('has one form only: any other bytes say nothing', () => {
  fc.assert(
    fc.property(STATEMENT, fc.nat(), fc.constantFrom(' ', '\n', '}', '"x":1,', '\u0000'), (statement, at, more) => {
      const text = formatStatement(statement)
      const place = at % (text.length + 1)
      const changed = text.slice(0, place) + more + text.slice(place)
      const read = parseStatement(changed)
      // A change inside a text gives another statement, and then the signature is not valid.
      if (read !== undefined) expect(formatStatement(read)).toBe(changed)
    }),
  )
})

const VERSION = {
  kind: 'skill' as const,
  name: 'lint',
  version: '1.0.0',
  groups: ['*'],
  commit: 'a'.repeat(40),
  digest: 'b'.repeat(64),
}

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

const DAY = (day: number) => `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`

interface Row {
  version: string
  state: CatalogState
  /** The day of a verified statement, and its content. */
  signed?: [day: number, says: Statement['state'], groups?: string[]]
  team?: string
}

function entryOf({ version, state, signed, team = 'ours' }: Row): CheckedEntry {
  const fields = { kind: 'skill' as const, name: 'lint', version, commit: `c${version}`, digest: `d${version}` }
  const entry: CatalogEntry = { ...fields, state, owner: 'tools', groups: ['*'], published: DAY(1) }
  if (signed === undefined) return { entry }
  const [day, says, groups = ['*']] = signed
  return { entry, signed: { ...fields, team, state: says, groups, by: 'admin', at: DAY(day) } }
}

const approved = (version: string, day: number, groups?: string[]): Row => ({
  version,
  state: 'approved',
  signed: [day, 'approved', groups ?? ['*']],
})

describe('what a machine does with a skill of the catalog', () => {
  const rows: [name: string, entries: Row[], expected: string | undefined][] = [
    ['a draft', [{ version: '1', state: 'draft' }], 'held 1'],
    ['an approval', [approved('1', 2)], 'approved 1'],
    ['an approval without a valid signature', [{ version: '1', state: 'approved' }], 'held 1'],
    ['an approval of another team', [{ ...approved('1', 2), team: 'theirs' }], 'held 1'],
    ['a newer draft', [approved('1', 2), { version: '2', state: 'draft' }], 'approved 1'],
    ['two approvals: the newer one', [approved('2', 3), approved('1', 2)], 'approved 2'],
    ['two approvals, the older version approved later', [approved('2', 3), approved('1', 4)], 'approved 1'],
    ['an approval for another group', [approved('2', 3, ['pilot']), approved('1', 2)], 'approved 1'],
    ['an approval for this group', [approved('2', 3, ['web']), approved('1', 2)], 'approved 2'],
    ['only for another group', [approved('2', 3, ['pilot'])], 'held 2'],
    [
      'a quarantine of the approved version',
      [{ ...approved('2', 3), state: 'quarantined' }, approved('1', 2)],
      'held 2',
    ],
    ['a retired version', [{ version: '2', state: 'retired', signed: [3, 'retired'] }, approved('1', 2)], 'approved 1'],
    ['the only version retired', [{ version: '1', state: 'retired', signed: [3, 'retired'] }], 'retired 1'],
    ['retired without a valid signature', [{ version: '1', state: 'retired' }], 'held 1'],
    ['everything retired', [approved('1', 2), { version: '*', state: 'retired', signed: [3, 'retired'] }], 'retired *'],
    [
      'approved again after that',
      [approved('1', 4), { version: '*', state: 'retired', signed: [3, 'retired'] }],
      'approved 1',
    ],
    ['nothing', [], undefined],
  ]
  it.each(rows)('%s', (_, entries, expected) => {
    const [verdict] = chooseVerdicts(entries.map(entryOf), { team: 'ours', group: 'web', before: [] })
    expect(verdict && `${verdict.state} ${verdict.version}`).toBe(expected)
    if (verdict?.state === 'approved') expect(verdict).toMatchObject({ commit: `c${verdict.version}`, by: 'admin' })
  })
})

describe('a database that takes something away', () => {
  const known = (state: Verdict['state'], day: number): Verdict => ({
    kind: 'skill',
    name: 'lint',
    state,
    version: '2',
    commit: 'c2',
    digest: 'd2',
    by: 'admin',
    at: DAY(day),
  })
  const rows: [name: string, before: Verdict, entries: Row[], expected: string][] = [
    ['a newer approval hidden: the older version is not installed', known('approved', 3), [approved('1', 2)], 'held 2'],
    ['a retirement hidden: it stays retired', known('retired', 3), [approved('1', 2)], 'retired 2'],
    ['everything hidden: it is held', known('approved', 3), [], 'held 2'],
    ['the same again', known('approved', 3), [approved('2', 3)], 'approved 2'],
    ['something newer', known('retired', 3), [approved('3', 4)], 'approved 3'],
  ]
  it.each(rows)('%s', (_, before, entries, expected) => {
    const [verdict] = chooseVerdicts(entries.map(entryOf), { team: 'ours', group: 'web', before: [before] })
    expect(verdict && `${verdict.state} ${verdict.version}`).toBe(expected)
  })
})
