import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RankDocument } from './document.ts'
import { compileLibrary } from './library.ts'
import { PrunedScorer } from './pruned-scorer.ts'
import { readQuery } from './query.ts'
import { Scorer } from './scorer.ts'
import { TermIndex } from './term-index.ts'
import { DEFAULT_TUNING } from './tuning.ts'

const WORDS = ['bake', 'bread', 'cake', 'invoice', 'release', 'notes', 'error', 'crash', 'dough', 'yeast', 'archive']
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '))
const name = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 2 }).map((words) => words.join('-'))
const description = fc
  .tuple(text, fc.constantFrom('', ' Not for yeast; use cake.', ' For notes, see bread-bake.'))
  .map((parts) => parts.join('.'))
const documents = fc
  .array(fc.record({ name, description, body: text }), { maxLength: 40 })
  .map((list) => list.map((one, i): RankDocument => ({ id: `d${i}`, ...one })))

function scorersOf(list: readonly RankDocument[]) {
  const { slots, terms } = compileLibrary(list, DEFAULT_TUNING)
  const scorer = new Scorer(new TermIndex(terms), slots, DEFAULT_TUNING)
  return { scorer, pruned: new PrunedScorer(scorer, slots, true) }
}

function best({ slots, scores }: ReturnType<Scorer['score']>, count: number, isEligible: (slot: number) => boolean) {
  return slots
    .map((slot, i) => ({ slot, score: scores[i]! }))
    .filter(({ slot }) => isEligible(slot))
    .sort((a, b) => b.score - a.score || a.slot - b.slot)
    .slice(0, count)
}

test('pruning keeps the best and their scores, to the bit', () => {
  fc.assert(
    fc.property(documents, text, fc.integer({ min: 1, max: 6 }), fc.nat(3), (list, task, count, hidden) => {
      const { scorer, pruned } = scorersOf(list)
      const query = readQuery(task, DEFAULT_TUNING)
      const isEligible = (slot: number) => slot % 4 !== hidden
      const expected = best(scorer.score(query), count, isEligible)
      for (let again = 0; again < 2; again++) {
        expect(best(pruned.score(query, count, isEligible), count, isEligible)).toEqual(expected)
      }
    }),
    { numRuns: 500 },
  )
})

test('a name asked for in one word does not count more than that word', () => {
  const { scorer } = scorersOf([{ id: 'a', name: 'it-is' }])
  expect(scorer.score(readQuery('itis', DEFAULT_TUNING)).scores.every(Number.isFinite)).toBe(true)
})
