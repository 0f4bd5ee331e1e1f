import { expect, test } from 'vitest'
import { folderOf, sessionLift, sharesOf } from './document.ts'
import { createRanker } from './ranker.ts'

const ranker = createRanker(
  ['billing/export', 'reports/export'].map((id) => ({ id, name: 'export', description: 'Export a table.' })),
  { silence: 0 },
)
const hit = (id: string, confidence: number) => ({ id, confidence, form: 'pointer' as const, score: 1, why: [] })

test.each([
  ['billing/refunds', 'billing'],
  ['a/b/c', 'a/b'],
  ['alone', ''],
])('%s belongs to %j', (id, family) => {
  expect(folderOf(id)).toBe(family)
})

test('a prompt was about families, in shares of 1', () => {
  const hits = [hit('a/x', 0.6), hit('b/x', 0.2), hit('a/y', 0.2), hit('alone', 0.6)]
  expect(sharesOf(hits, folderOf)).toEqual([
    ['a', 0.5],
    ['b', 0.125],
  ])
  expect(sharesOf([], folderOf)).toEqual([])
})

test('the last three prompts lift their family, the last one most', () => {
  const lift = sessionLift([[['a', 1]], [['b', 1]], [['b', 1]], [['c', 1]]], folderOf)!
  expect(['a/x', 'b/x', 'c/x', 'x'].map((id) => lift.of(id, undefined))).toEqual([1.25, 1.25, 1, 1])
  expect(sessionLift([[['__proto__', 7]]], folderOf)!.of('__proto__/x', undefined)).toBe(1.5)
  expect(sessionLift([], folderOf)).toBeUndefined()
})

test('equals are told apart by the session, and the reason says so', () => {
  const lift = sessionLift([[['reports', 1]]], folderOf)!
  expect(ranker.rank('export a table')[0]!.id).toBe('billing/export')
  const [best] = ranker.rank('export a table', { lift })
  expect(best!.id).toBe('reports/export')
  expect(best!.why).toContainEqual(expect.objectContaining({ field: 'session', term: 'more' }))
})
