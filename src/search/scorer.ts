import type { Tuning } from './document.ts'
import {
  fieldOf,
  fullImpact,
  isInName,
  type Library,
  type PostingList,
  postingAt,
  strongImpact,
} from './saved-library.ts'
import type { Query, QueryTerm } from './task.ts'
import { termsOf } from './tokens.ts'
import { isEveryday, relatedTo } from './word-lists.ts'

/** How rare a term is in all libraries together, smoothed by an assumed background of other documents. */
export class Rarity {
  private readonly cached = new Map<string, { holders: number; rarity: number }>()

  private readonly libraries: readonly Library[]
  private readonly tuning: Tuning

  constructor(libraries: readonly Library[], tuning: Tuning) {
    this.libraries = libraries
    this.tuning = tuning
  }

  of(term: string): number {
    return this.look(term).rarity
  }

  /** How many documents contain the term. */
  holders(term: string): number {
    return this.look(term).holders
  }

  private look(term: string): { holders: number; rarity: number } {
    const known = this.cached.get(term)
    if (known !== undefined) return known
    if (this.cached.size >= 50_000) this.cached.clear()
    const holders = this.count(term)
    const found = { holders, rarity: this.rarity(term, holders) }
    this.cached.set(term, found)
    return found
  }

  private rarity(term: string, own: number): number {
    const { backgroundSize, everydayShare } = this.tuning
    const background = backgroundSize * everydayShare
    const holders = own + (background > 0 && isEveryday(term) ? background : 0)
    const size = this.libraries.reduce((sum, library) => sum + library.size, 0)
    const others = size + backgroundSize - holders
    return Math.log(1 + (others + 0.5) / (holders + 0.5))
  }

  private count(term: string): number {
    let count = 0
    for (const library of this.libraries) {
      const list = library.find(term) ?? []
      const { targets } = library
      for (let i = 0; i < list.length; i += 2) {
        const target = targets[list[i]!]!
        const isExample = this.tuning.fields[fieldOf(list[i + 1]!)]?.isApart === true
        if (target === list[i] || (isExample && target >= 0 && postingAt(list, target) === undefined)) count++
      }
    }
    return count
  }
}

/** One way to find a word of the task in a document. */
export interface Evidence {
  readonly list: PostingList
  readonly factor: number
  readonly isRelated: boolean
  readonly word: string
}

/** Documents with a score, in no particular order. */
export interface Scores {
  readonly slots: readonly number[]
  readonly scores: readonly number[]
  /** The scores without examples. */
  readonly words: readonly number[]
}

/** Adds up scores. Every sum follows the order of the task's words, so it does not depend on the order of documents. */
export class Scorer {
  private readonly rarity: Rarity
  private scores = new Float64Array(0)
  private best = new Float64Array(0)
  private taught = new Float64Array(0)
  private gains = new Float64Array(0)
  private named = new Float64Array(0)
  private readonly nameMasses = new Map<number, number>()

  private readonly library: Library
  private readonly tuning: Tuning

  constructor(library: Library, rarity: Rarity, tuning: Tuning) {
    this.library = library
    this.rarity = rarity
    this.tuning = tuning
  }

  score(query: Query): Scores {
    this.reserve(this.library.targets.length)
    const touched: number[] = []
    for (const term of query.terms) this.addTerm(term, touched)
    for (const pair of query.pairs) this.addEvidence(pair, this.pairEvidence(pair), touched)
    this.addNameCoverage(touched)
    const scores = take(this.scores, touched)
    const gains = take(this.gains, touched)
    return { slots: touched, scores, words: scores.map((score, i) => score - gains[i]!) }
  }

  evidenceFor(term: QueryTerm): Evidence[] {
    const rarity = this.rarity.of(term.term)
    const own = this.library.find(term.term)
    const evidence: Evidence[] = own
      ? [{ list: own, factor: term.weight * rarity, isRelated: false, word: term.word }]
      : []
    const share = this.rarity.holders(term.term) > 0 ? this.tuning.related : this.tuning.relatedToUnknown
    if (share === 0) return evidence
    for (const related of relatedTo(term.term)) {
      const list = this.library.find(related.term)
      if (list === undefined) continue
      const factor = share * term.weight * Math.min(rarity, this.rarity.of(related.term))
      evidence.push({ list, factor, isRelated: true, word: related.word })
    }
    return evidence
  }

  pairEvidence(pair: QueryTerm): Evidence[] {
    const list = this.library.find(pair.term)
    if (list === undefined) return []
    return [{ list, factor: pair.weight * this.rarity.of(pair.term), isRelated: false, word: pair.word }]
  }

  /** Whether a posting is of an example. */
  isTaught(packed: number): boolean {
    return this.tuning.fields[fieldOf(packed)]?.isApart === true
  }

  /** What examples add to what the document's own text gives for a word: their share of what that leaves. */
  gainOf({ term, weight }: QueryTerm, own: number, taught: number): number {
    return taught === 0 ? 0 : taught * (1 - own / (weight * this.rarity.of(term)))
  }

  nameBonus(query: Query, slot: number): number {
    let mass = 0
    for (const { term, isJoined } of query.terms) {
      const list = isJoined ? undefined : this.library.find(term)
      const packed = list && postingAt(list, slot)
      if (packed !== undefined && isInName(packed)) mass += this.rarity.of(term)
    }
    return mass === 0 ? 0 : this.coverName(slot, mass)
  }

  private addTerm(term: QueryTerm, touched: number[]): void {
    const evidence = this.evidenceFor(term)
    this.addEvidence(term, evidence, touched)
    const own = evidence[0]
    if (own === undefined || own.isRelated || term.isJoined) return
    const rarity = this.rarity.of(term.term)
    for (let i = 0; i < own.list.length; i += 2) {
      const slot = own.list[i]!
      if (isInName(own.list[i + 1]!) && this.library.targets[slot] === slot) this.named[slot]! += rarity
    }
  }

  // If a word can be found in several ways, only the best counts, and what the examples add to it.
  private addEvidence(term: QueryTerm, evidence: readonly Evidence[], touched: number[]): void {
    const { targets } = this.library
    const found: number[] = []
    for (const { list, factor, isRelated } of evidence) {
      for (let i = 0; i < list.length; i += 2) {
        const target = targets[list[i]!]!
        if (target < 0) continue
        const packed = list[i + 1]!
        const amount = factor * (isRelated ? strongImpact(packed) : fullImpact(packed))
        const best = this.isTaught(packed) ? this.taught : this.best
        if (amount <= best[target]!) continue
        if (this.best[target] === 0 && this.taught[target] === 0) found.push(target)
        best[target] = amount
      }
    }
    for (const target of found) {
      if (this.scores[target] === 0) touched.push(target)
      const gain = this.gainOf(term, this.best[target]!, this.taught[target]!)
      this.scores[target]! += this.best[target]! + gain
      this.gains[target]! += gain
      this.best[target] = 0
      this.taught[target] = 0
    }
  }

  private addNameCoverage(touched: readonly number[]): void {
    for (const slot of touched) {
      if (this.named[slot] === 0) continue
      this.scores[slot]! += this.coverName(slot, this.named[slot]!)
      this.named[slot] = 0
    }
  }

  // A task that contains most of a document's name means that document.
  private coverName(slot: number, mass: number): number {
    // A task may write a name as one word ("releasenotes" for "release-notes"), which may weigh more than its parts.
    return (this.tuning.nameCoverage * mass * mass) / Math.max(mass, this.nameMass(slot))
  }

  private nameMass(slot: number): number {
    let mass = this.nameMasses.get(slot)
    if (mass === undefined) {
      mass = 0
      for (const term of termsOf(this.library.recordAt(slot).name)) mass += this.rarity.of(term)
      this.nameMasses.set(slot, mass)
    }
    return mass
  }

  private reserve(size: number): void {
    if (this.scores.length >= size) return
    const room = Math.max(64, size * 2)
    this.scores = new Float64Array(room)
    this.best = new Float64Array(room)
    this.taught = new Float64Array(room)
    this.gains = new Float64Array(room)
    this.named = new Float64Array(room)
  }
}

function take(from: Float64Array, touched: readonly number[]): number[] {
  return touched.map((slot) => {
    const amount = from[slot]!
    from[slot] = 0
    return amount
  })
}

/** Whether the task repeats, perhaps in other words, a prompt that the document must not match. */
export function matchesNegative(query: Query, negatives: readonly (readonly string[])[], rarity: Rarity): boolean {
  if (negatives.length === 0) return false
  const asked = query.terms.filter(({ isJoined }) => !isJoined).map(({ term }) => term)
  const askedMass = massOf(asked, rarity)
  return negatives.some((negative) => {
    const shared = asked.filter((term) => negative.includes(term))
    // Two prompts with this share of rarity in common count as the same request.
    return shared.length > 0 && massOf(shared, rarity) >= 0.7 * Math.max(askedMass, massOf(negative, rarity))
  })
}

function massOf(terms: readonly string[], rarity: Rarity): number {
  return terms.reduce((mass, term) => mass + rarity.of(term), 0)
}
