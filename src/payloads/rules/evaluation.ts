import type { AnswerForm, Why } from '../../search/document.ts'
import { compareText } from '../../text/values.ts'

/** One question of a suite: what should match it, and what must not. */
export interface EvalQuery {
  qid: string
  query: string
  /** Ids of which one must be found; empty: a good router returns nothing. */
  relevant: string[]
  /** Ids that must not rank first. */
  not: string[]
  kind: 'pos' | 'neg' | 'pairneg'
  /** One of the library's own examples: tested with a library without the examples of this fold. */
  fold?: number
}

export interface Answer {
  id: string
  why: readonly Why[]
  /** Absent where answers have none. */
  form?: AnswerForm
}

/** All in per cent, except the counts. Positives without an answer count as not found. */
export interface Figures {
  positives: number
  negatives: number
  pairs: number
  r1: number
  r3: number
  r5: number
  ndcg5: number
  mrr: number
  answered: number
  /** Positives with an answer that is certain enough to load its text; the others get pointers, or nothing. */
  texts: number
  /** Of all texts that these load, the right ones. */
  rightTexts: number
  /** Negatives that got an answer. */
  falseTriggers: number
  /** Negatives that got text, not only pointers. */
  falseTexts: number
  /** Pairs whose forbidden id came first. */
  pairViolations: number
}

/** A question with a wrong answer: which entry, and by which words. */
interface Confusion {
  qid: string
  query: string
  expected: string[]
  got: string | null
  /** The rank of the right one, counted from 1; null when it was not among the answers. */
  place: number | null
  words: string[]
}

/** An entry that ranked first for questions of another. */
interface Taker {
  taker: string
  owner: string
  times: number
}

export interface Evaluation {
  figures: Figures
  takers: Taker[]
  confusions: Confusion[]
}

/** How deep the mean reciprocal rank looks. */
export const EVAL_DEPTH = 10

export function evaluate(
  queries: readonly EvalQuery[],
  answer: (query: string, of: EvalQuery) => readonly Answer[],
): Evaluation {
  const results = queries.map((query) => ({ query, answers: answer(query.query, query).slice(0, EVAL_DEPTH) }))
  const confusions = results.flatMap(confusionOf)
  return { figures: figuresOf(results), takers: takersOf(confusions), confusions }
}

/** Which entries won the questions of which others, most often first. */
function takersOf(confusions: readonly Confusion[]): Taker[] {
  const takers = new Map<string, Taker>()
  for (const { got, expected } of confusions) {
    if (got === null || expected.length === 0) continue
    const key = JSON.stringify([got, expected])
    const before = takers.get(key) ?? { taker: got, owner: expected.join(' or '), times: 0 }
    takers.set(key, { ...before, times: before.times + 1 })
  }
  return [...takers.values()].sort(
    (a, b) => b.times - a.times || compareText(a.taker, b.taker) || compareText(a.owner, b.owner),
  )
}

interface Result {
  query: EvalQuery
  answers: readonly Answer[]
}

function figuresOf(results: readonly Result[]): Figures {
  const of = (kind: EvalQuery['kind']) => results.filter(({ query }) => query.kind === kind)
  const positives = of('pos')
  const places = positives.map(placeOf)
  const within = (depth: number) => share(places, (place) => place < depth)
  return {
    positives: positives.length,
    negatives: of('neg').length,
    pairs: of('pairneg').length,
    r1: within(1),
    r3: within(3),
    r5: within(5),
    ndcg5: average(positives.map(ndcg)),
    mrr: average(places.map((place) => 1 / (place + 1))),
    answered: share(positives, ({ answers }) => answers.length > 0),
    texts: share(positives, isText),
    rightTexts: share(positives.flatMap(textsOf), (isRight) => isRight),
    falseTriggers: share(of('neg'), ({ answers }) => answers.length > 0),
    falseTexts: share(of('neg'), isText),
    pairViolations: share(of('pairneg'), isViolated),
  }
}

function confusionOf(result: Result): Confusion[] {
  const { query, answers } = result
  const place = placeOf(result)
  const isWrong = { pos: place > 0, neg: answers.length > 0, pairneg: isViolated(result) }[query.kind]
  if (!isWrong) return []
  return [
    {
      qid: query.qid,
      query: query.query,
      expected: query.relevant,
      got: answers[0]?.id ?? null,
      place: Number.isFinite(place) ? place + 1 : null,
      words: (answers[0]?.why ?? []).slice(0, 4).map(({ term }) => term),
    },
  ]
}

/** Of each text that is loaded, whether it is right. */
function textsOf({ query, answers }: Result): boolean[] {
  return answers.filter(({ form }) => form === 'text').map(({ id }) => query.relevant.includes(id))
}

function isText(result: Result): boolean {
  return textsOf(result).length > 0
}

function isViolated({ query, answers }: Result): boolean {
  return answers[0] !== undefined && query.not.includes(answers[0].id)
}

/** Infinity when no right answer is among them. */
function placeOf({ query, answers }: Result): number {
  const place = answers.findIndex(({ id }) => query.relevant.includes(id))
  return place < 0 ? Infinity : place
}

function ndcg({ query, answers }: Result): number {
  const gain = (place: number) => 1 / Math.log2(place + 2)
  let found = 0
  answers.slice(0, 5).forEach(({ id }, place) => {
    if (query.relevant.includes(id)) found += gain(place)
  })
  let best = 0
  for (let place = 0; place < Math.min(5, query.relevant.length); place++) best += gain(place)
  return best === 0 ? 0 : found / best
}

function share<T>(items: readonly T[], isCounted: (item: T) => boolean): number {
  return average(items.map((item) => (isCounted(item) ? 1 : 0)))
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : (100 * values.reduce((sum, value) => sum + value, 0)) / values.length
}
