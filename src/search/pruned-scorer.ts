import type { Query, QueryTerm } from './query.ts'
import type { Evidence, Scorer, Scores } from './scorer.ts'
import { fullImpact, isInName, type SlotTable, strongImpact } from './term-index.ts'

/** One word or pair of the task. */
interface Unit {
  readonly evidence: readonly Evidence[]
  /** What it adds to a document's name coverage when the name has it. */
  readonly nameShare: number
  /** The most that it adds to any document. */
  readonly bound: number
  readonly postings: number
}

// For fewer, adding up is faster than pruning. Processor time of a question, pruned and not (npm run bench rank): with
// 2,000 documents of 8,000 characters and ten examples each 0.73 ms and 0.44 ms, with 10,000 short ones 0.64 ms and
// 0.93 ms, with 100,000 short ones 4.5 ms and 15.8 ms.
const FEWEST_DOCUMENTS = 5_000
const FEWEST_POSTINGS = 8_192
// A binary search costs as much as reading this many postings.
const SEARCH_COST = 16
// Tolerance for sums that were added in another order.
const SLACK = 1 + 1e-9

/**
 * Finds the documents that can be among the best without reading the long lists of common words. Adds up the words from
 * the largest possible contribution to the smallest. Once the remaining words cannot lift a new document above the
 * worst of the best, it considers only the documents found so far, and scores the last few exactly.
 */
export class PrunedScorer {
  private readonly scorer: Scorer
  private readonly slots: SlotTable
  private readonly isAlways: boolean
  private partial = new Float64Array(0)
  private named = new Float64Array(0)
  private best = new Float64Array(0)
  private highest = 0

  /** `isAlways`: prune even where adding up everything is faster. */
  constructor(scorer: Scorer, slots: SlotTable, isAlways = false) {
    this.scorer = scorer
    this.slots = slots
    this.isAlways = isAlways
  }

  /** Like Scorer.score, but guarantees only the documents that can be among the best `count` of the eligible ones. */
  score(query: Query, count: number, isEligible: (slot: number) => boolean): Scores {
    if (!this.isAlways && this.slots.size < FEWEST_DOCUMENTS) return this.scorer.score(query)
    const units = [...query.terms.map((term) => this.termUnit(term)), ...query.pairs.map((pair) => this.pairUnit(pair))]
    const postings = units.reduce((sum, { postings }) => sum + postings, 0)
    if (!this.isAlways && postings < FEWEST_POSTINGS) return this.scorer.score(query)
    this.reserve(this.slots.targets.length)
    const touched: number[] = []
    const racing = this.race(units, count, isEligible, touched)
    this.clear(touched)
    const scores = racing.map((slot) =>
      this.scorer.scoreAt(
        query,
        units.map(({ evidence }) => evidence),
        slot,
      ),
    )
    return { slots: racing, scores, mass: this.scorer.massOf(query) }
  }

  private race(
    units: readonly Unit[],
    count: number,
    isEligible: (slot: number) => boolean,
    touched: number[],
  ): number[] {
    const ordered = [...units].sort((a, b) => b.bound - a.bound)
    const ways = units.reduce((sum, { evidence }) => sum + evidence.length, 0)
    let racing = touched
    for (let done = 1; done <= ordered.length; done++) {
      this.add(ordered[done - 1]!, touched)
      const gain = SLACK * ordered.slice(done).reduce((sum, { bound }) => sum + bound, 0)
      if (gain >= this.highest) continue
      const bar = this.nthBest(racing, count, isEligible)
      if (gain >= bar) continue
      racing = racing.filter((slot) => SLACK * (this.partial[slot]! + this.named[slot]!) + gain >= bar)
      // Adding up the next word may still be cheaper than scoring all remaining documents.
      if (SEARCH_COST * ways * racing.length <= (ordered[done]?.postings ?? 0)) break
    }
    return racing
  }

  private termUnit(term: QueryTerm): Unit {
    const evidence = this.scorer.evidenceFor(term)
    const isNaming = !term.isJoined && evidence[0]?.isRelated === false
    return unitOf(evidence, isNaming ? this.scorer.nameShareOf(term) : 0)
  }

  private pairUnit(pair: QueryTerm): Unit {
    return unitOf(this.scorer.pairEvidence(pair), 0)
  }

  private add({ evidence, nameShare }: Unit, touched: number[]): void {
    const { targets } = this.slots
    const { best, partial, named } = this
    const found: number[] = []
    for (const { list, factor, isRelated } of evidence) {
      for (let i = 0; i < list.length; i += 2) {
        const slot = list[i]!
        const packed = list[i + 1]!
        const target = targets[slot]!
        if (target < 0) continue
        const amount = factor * (isRelated ? strongImpact(packed) : fullImpact(packed))
        if (nameShare > 0 && !isRelated && isInName(packed) && target === slot) named[slot]! += nameShare
        const known = best[target]!
        if (amount <= known) continue
        if (known === 0) found.push(target)
        best[target] = amount
      }
    }
    for (const target of found) {
      if (partial[target] === 0) touched.push(target)
      const sum = partial[target]! + best[target]!
      partial[target] = sum
      if (sum > this.highest) this.highest = sum
      best[target] = 0
    }
  }

  // 0 while there are fewer than `count`.
  private nthBest(touched: readonly number[], count: number, isEligible: (slot: number) => boolean): number {
    const top: number[] = []
    for (const slot of touched) {
      const score = this.partial[slot]!
      if (top.length === count && score <= top[0]!) continue
      if (!isEligible(slot)) continue
      if (top.length === count) top.shift()
      let at = top.length
      while (at > 0 && top[at - 1]! > score) at--
      top.splice(at, 0, score)
    }
    return top.length < count ? 0 : top[0]!
  }

  private clear(touched: readonly number[]): void {
    for (const slot of touched) this.partial[slot] = this.named[slot] = 0
    this.highest = 0
  }

  private reserve(size: number): void {
    if (this.partial.length >= size) return
    const room = Math.max(64, size * 2)
    this.partial = new Float64Array(room)
    this.named = new Float64Array(room)
    this.best = new Float64Array(room)
  }
}

function unitOf(evidence: readonly Evidence[], nameShare: number): Unit {
  const most = evidence.reduce((most, { factor }) => Math.max(most, factor), 0)
  return {
    evidence,
    nameShare,
    bound: most + nameShare,
    postings: evidence.reduce((sum, { list }) => sum + list.length / 2, 0),
  }
}

/** Yields the items in the order `isBefore` defines, sorting no more than the caller takes. */
export function* bestFirst(items: readonly number[], isBefore: (a: number, b: number) => boolean): Generator<number> {
  const heap = items.slice()
  for (let i = (heap.length >>> 1) - 1; i >= 0; i--) sink(heap, i, isBefore)
  while (heap.length > 0) {
    const best = heap[0]!
    const last = heap.pop()!
    if (heap.length > 0) {
      heap[0] = last
      sink(heap, 0, isBefore)
    }
    yield best
  }
}

function sink(heap: number[], at: number, isBefore: (a: number, b: number) => boolean): void {
  const moving = heap[at]!
  for (let hole = at; ; ) {
    let child = 2 * hole + 1
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
    if (child >= heap.length || !isBefore(heap[child]!, moving)) {
      heap[hole] = moving
      return
    }
    heap[hole] = heap[child]!
    hole = child
  }
}
