import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RankDocument } from './document.ts'
import { createRanker, joinRankers, loadRanker, type Ranker } from './ranker.ts'

const WORDS = [
  'bake',
  'bread',
  'cake',
  'invoice',
  'release',
  'notes',
  'tests',
  'testing',
  'error',
  'crash',
  'the',
  'ci/cd',
  '東京都',
  'for',
  'see',
  'not',
]
const word = fc.constantFrom(...WORDS)
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('-'))
const redirect = fc.tuple(word, name).map(([topic, to]) => ` Not for ${topic}; use ${to}.`)
const document: fc.Arbitrary<RankDocument> = fc.record(
  {
    id: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', 'a/b')),
    name,
    description: fc.tuple(text, fc.oneof(fc.constant(''), redirect)).map((parts) => parts.join('')),
    keywords: fc.array(text, { maxLength: 3 }),
    body: text,
    examples: fc.array(text, { maxLength: 2 }),
    negatives: fc.array(text, { maxLength: 2 }),
    tokens: fc.nat(100),
  },
  { requiredKeys: ['id', 'name'] },
)
const library = fc.uniqueArray(document, { selector: ({ id }) => id, maxLength: 8 })
const options = { silence: 0 }

function answers(ranker: Ranker, tasks: readonly string[], documents: readonly RankDocument[]) {
  return tasks.map((task) => ({
    hits: ranker.rank(task, { limit: 10, budget: 150 }),
    explained: documents.map(({ id }) => ranker.explain(task, id)),
  }))
}

const tasks = fc.array(text, { minLength: 1, maxLength: 3 })

test('the order of documents does not matter, to answers or to bytes', () => {
  fc.assert(
    fc.property(library, tasks, (documents, asked) => {
      const one = createRanker(documents, options)
      const other = createRanker([...documents].reverse(), options)
      expect(answers(other, asked, documents)).toEqual(answers(one, asked, documents))
      expect(other.save()).toEqual(one.save())
    }),
  )
})

test('a loaded ranker answers as the saved one did, also after changes', () => {
  fc.assert(
    fc.property(library, document, tasks, (documents, extra, asked) => {
      fc.pre(documents.every(({ id }) => id !== extra.id))
      const built = createRanker(documents, options)
      const loaded = loadRanker(built.save(), options)!
      expect(answers(loaded, asked, documents)).toEqual(answers(built, asked, documents))
      loaded.add(extra)
      built.add(extra)
      expect(answers(loaded, asked, [extra])).toEqual(answers(built, asked, [extra]))
      expect(loaded.save()).toEqual(built.save())
    }),
  )
})

test('adding and removing equals building anew', () => {
  fc.assert(
    fc.property(library, library, tasks, (kept, gone, asked) => {
      const ids = new Set(kept.map(({ id }) => id))
      const removed = gone.filter(({ id }) => !ids.has(id))
      const changed = createRanker(removed, options)
      for (const one of kept) changed.add(one)
      for (const { id } of removed) changed.remove(id)
      const fresh = createRanker(kept, options)
      expect(changed.size).toBe(fresh.size)
      expect(answers(changed, asked, kept)).toEqual(answers(fresh, asked, kept))
      expect(changed.save()).toEqual(fresh.save())
    }),
  )
})

test('hits are ordered, confident between 0 and 1, and explained', () => {
  fc.assert(
    fc.property(library, text, (documents, task) => {
      const hits = createRanker(documents, options).rank(task, { limit: 10 })
      hits.forEach((hit, i) => {
        const next = hits[i + 1]
        if (next) expect(hit.score > next.score || (hit.score === next.score && hit.id < next.id)).toBe(true)
        expect(hit.confidence).toBeGreaterThanOrEqual(0)
        expect(hit.confidence).toBeLessThanOrEqual(1)
        expect(hit.why.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(hit.score, 6)
      })
    }),
  )
})

test('libraries that are ranked together score like one library of all their documents', () => {
  fc.assert(
    fc.property(library, fc.nat(8), tasks, (all, at, asked) => {
      // Topics are handed over within a library only.
      const documents = all.map((each) => ({ ...each, description: '' }))
      const parts = [documents.slice(0, at), documents.slice(at)].map((some) => createRanker(some, options))
      const [joined, whole] = [joinRankers(parts, options), createRanker(documents, options)]
      const scores = (ranker: Ranker, task: string) =>
        new Map(
          ranker.rank(task, { limit: 100 }).map(({ id, score, confidence, why }) => [id, { score, confidence, why }]),
        )
      for (const task of asked) expect(scores(joined, task)).toEqual(scores(whole, task))
    }),
  )
})
