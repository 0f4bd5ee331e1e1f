import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatStatement, parseStatement, type Statement, versionProblem } from './statement.ts'

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
      // Inside a text the change is part of what was said, and then the signature no longer fits.
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
