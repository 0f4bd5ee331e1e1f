import { expect, it } from 'vitest'
import type { RankDocument } from '../search/document.ts'
import { createRanker } from '../search/ranker.ts'
import { findSimilar } from './similar.ts'

const document = (id: string, description: string, examples?: string[]): RankDocument => {
  return { id, name: id.slice(id.indexOf(':') + 1), description, examples }
}

function similarOf(documents: readonly RankDocument[]) {
  const ranker = createRanker(documents)
  const entries = documents.map((each) => ({ kind: 'skill' as const, document: each }))
  return findSimilar(entries, (question, limit) => ranker.rank(question, { limit }))
}

it('pairs entries that answer the same question, and names the words', () => {
  const { pairs, entries, asked } = similarOf([
    document('skill:refunds', 'Refund the payment of an order.'),
    document('skill:returns', 'Return an order and refund its payment.'),
    document('skill:fonts', 'Choose typefaces and kerning for a poster.'),
  ])
  expect(asked).toBe(3)
  expect(pairs.map(({ a, b }) => [a, b])).toEqual([['skill:refunds', 'skill:returns']])
  expect(pairs[0]?.strength).toBeGreaterThanOrEqual(0.5)
  expect(pairs[0]?.questions[0]?.words).toContain('refund')
  expect(entries.map(({ id }) => id)).toEqual(['skill:refunds', 'skill:returns'])
})

it('asks the examples of an entry where it has some', () => {
  const { pairs } = similarOf([
    document('skill:a', 'Cut a release and tag it.', ['money back for a broken lamp']),
    document('skill:b', 'Give money back for broken lamps and other goods.'),
  ])
  expect(pairs[0]?.questions.map(({ question }) => question)).toContain('money back for a broken lamp')
})

it('has nothing to say about a library of one, or of none', () => {
  expect(similarOf([document('skill:a', 'Cut a release.')]).pairs).toEqual([])
  expect(similarOf([])).toEqual({ asked: 0, entries: [], pairs: [] })
})
