import { LoadoutError } from '../text/trouble.ts'
import { analyze } from './analyze.ts'
import type { Lift, RankDocument, RankExplanation, RankHit, RankOutcome, RankRequest, Why } from './document.ts'
import { appendTexts, type CompiledLibrary, compileLibrary } from './library.ts'
import { matchesNegative } from './negatives.ts'
import { bestFirst, PrunedScorer } from './pruned-scorer.ts'
import { type Query, readQuery } from './query.ts'
import { decodeIndex, encodeIndex, fingerprint, openIndex } from './saved-form.ts'
import { DamagedForm, type ReadBytes } from './saved-pages.ts'
import { type Evidence, Scorer, type Scores } from './scorer.ts'
import { fieldOf, fullImpact, postingAt, type SlotTable, strongImpact, TermIndex } from './term-index.ts'
import { DEFAULT_TUNING, type Tuning } from './tuning.ts'
import { isEveryday } from './word-lists.ts'

export interface RankerOptions {
  /** Confidence that the best hit needs; below it the result is empty. 0 always returns hits. */
  readonly silence?: number
  readonly tuning?: Tuning
}

export interface Ranker {
  readonly size: number
  /** Best first; empty when nothing fits. */
  rank(task: string, request?: RankRequest): RankHit[]
  explain(task: string, id: string): RankExplanation
  add(document: RankDocument): void
  /** False when the document does not exist. */
  remove(id: string): boolean
  /** The compiled library; the same bytes for the same documents. */
  save(): Uint8Array
}

/** Throws when two documents have the same id. */
export function createRanker(documents: Iterable<RankDocument>, options: RankerOptions = {}): Ranker {
  const list = [...documents]
  const duplicates = findDuplicates(list)
  if (duplicates.length > 0) throw duplicateIds(duplicates)
  return new LibraryRanker(options, compileLibrary(list, options.tuning ?? DEFAULT_TUNING))
}

/** Null when `saved` is stale or damaged: compile again with createRanker. */
export function loadRanker(saved: Uint8Array, options: RankerOptions = {}): Ranker | null {
  const decoded = decodeIndex(saved, fingerprint(options.tuning ?? DEFAULT_TUNING))
  return decoded && new LibraryRanker(options, decoded)
}

/**
 * A saved ranker that reads only what a task needs. Null when it is stale. If ranking finds damaged bytes, the ranker
 * calls `rebuild`, or throws DamagedForm without it.
 */
export function openSavedRanker(
  read: ReadBytes,
  size: number,
  rebuild?: () => Ranker,
  options: RankerOptions = {},
): Ranker | null {
  const opened = openIndex(read, size, fingerprint(options.tuning ?? DEFAULT_TUNING))
  if (opened === null) return null
  const ranker = new LibraryRanker(options, opened)
  return rebuild === undefined ? ranker : new SavedRanker(ranker, rebuild)
}

const DEFAULT_LIMIT = 5
const MIN_DEAD_SLOTS = 256
// A hit below this share of the best score is noise.
const WORTH = 0.25

interface Candidates {
  readonly slots: readonly number[]
  readonly scores: readonly number[]
  readonly isBefore: (a: number, b: number) => boolean
  readonly confidence: (i: number) => number
}

class LibraryRanker implements Ranker {
  private readonly tuning: Tuning
  private readonly silence: number
  private index!: TermIndex
  private slots!: SlotTable
  private scorer!: Scorer
  private pruned!: PrunedScorer
  private deadSlots = 0

  constructor(options: RankerOptions, library: CompiledLibrary) {
    this.tuning = options.tuning ?? DEFAULT_TUNING
    this.silence = options.silence ?? SILENCE
    this.open(library)
  }

  get size(): number {
    return this.slots.size
  }

  add(document: RankDocument): void {
    if (this.slots.slotOf(document.id) !== undefined) throw duplicateIds([document.id])
    const analysis = analyze(document, this.tuning.fields)
    const slot = this.slots.add(analysis.record)
    appendTexts(analysis, slot, this.tuning, this.index)
    this.scorer.forget()
  }

  remove(id: string): boolean {
    const slot = this.slots.slotOf(id)
    if (slot === undefined) return false
    this.deadSlots += 1 + this.slots.recordAt(slot).redirects.length
    this.slots.remove(id)
    this.scorer.forget()
    if (this.deadSlots > Math.max(MIN_DEAD_SLOTS, this.slots.targets.length / 2)) this.compact()
    return true
  }

  save(): Uint8Array {
    return encodeIndex(this.slots, this.index, fingerprint(this.tuning))
  }

  rank(task: string, request: RankRequest = {}): RankHit[] {
    const query = readQuery(task, this.tuning)
    const candidates = this.findCandidates(query, request)
    const hits: RankHit[] = []
    let tokens = request.budget ?? Infinity
    let isBest = true
    for (const i of this.bestOf(candidates, query)) {
      if (hits.length >= (request.limit ?? DEFAULT_LIMIT)) break
      if (isBest && this.isSilent(candidates, i, query)) break
      isBest = false
      const slot = candidates.slots[i]!
      const record = this.slots.recordAt(slot)
      if (record.tokens > tokens) continue
      tokens -= record.tokens
      const score = candidates.scores[i]!
      const why = withLift(this.explainScore(query, slot), score, request.lift)
      const kept = record.kept === undefined ? {} : { kept: record.kept }
      hits.push({ id: record.id, score, confidence: candidates.confidence(i), why, ...kept })
    }
    return hits
  }

  explain(task: string, id: string): RankExplanation {
    const slot = this.slots.slotOf(id)
    if (slot === undefined) return { id, outcome: 'unknown', ...NO_MATCH }
    const query = readQuery(task, this.tuning)
    const redirects = this.redirectsTaken(query, slot)
    if (this.isExcluded(query, slot)) return { id, outcome: 'excluded', ...NO_MATCH, redirects }
    const candidates = this.findCandidates(query)
    const at = candidates.slots.indexOf(slot)
    if (at < 0) return { id, outcome: 'no-match', ...NO_MATCH, redirects }
    const better = this.betterThan(at, candidates, query)
    const best = better.reduce((a, b) => (candidates.isBefore(b, a) ? b : a), at)
    const isSilent = this.isSilent(candidates, best, query)
    const outcome: RankOutcome = isSilent ? 'silent' : better.length === 0 ? 'first' : 'outranked'
    const why = this.explainScore(query, slot)
    const found = { rank: better.length + 1, score: candidates.scores[at]!, confidence: candidates.confidence(at) }
    return { id, outcome, ...found, why, redirects }
  }

  // Ties by id, in code unit order.
  private findCandidates(query: Query, request?: RankRequest): Candidates {
    const { slots, scores, mass } = this.score(query, request)
    const isBefore = (a: number, b: number) =>
      scores[a]! > scores[b]! || (scores[a] === scores[b] && this.slots.isBefore(slots[a]!, slots[b]!))
    return { slots, scores, isBefore, confidence: (i) => confidenceOf(scores[i]!, mass) }
  }

  // With a budget any number of hits may be skipped, and `explain` counts all of them: every document may matter.
  private score(query: Query, request?: RankRequest): Scores {
    const count = request?.limit ?? DEFAULT_LIMIT
    if (request?.lift !== undefined) {
      const all = this.scorer.score(query)
      const { between } = request.lift
      const isPruned = between !== undefined && request.budget === undefined && count >= 1
      return this.lifted(isPruned ? this.reachable(all, count, between, query) : all, request.lift)
    }
    if (request === undefined || request.budget !== undefined || count < 1) return this.scorer.score(query)
    return this.pruned.score(query, count, (slot) => !this.isExcluded(query, slot))
  }

  private lifted({ slots, scores, mass }: Scores, { of }: Lift): Scores {
    const factorOf = (slot: number) => {
      const { id, kept } = this.slots.recordAt(slot)
      return Math.max(0, of(id, kept))
    }
    return { slots, scores: scores.map((score, i) => score * factorOf(slots[i]!)), mass }
  }

  /** The documents that a lift can bring among the best `count`; the lift of all others is not needed. */
  private reachable(
    { slots, scores, mass }: Scores,
    count: number,
    [least, most]: readonly [number, number],
    query: Query,
  ): Scores {
    let bar = 0
    let left = count
    for (const i of bestFirst([...scores.keys()], (a, b) => scores[a]! > scores[b]!)) {
      if (this.isExcluded(query, slots[i]!) || --left > 0) continue
      bar = scores[i]! * least
      break
    }
    const isReachable = (_: unknown, i: number) => scores[i]! * most >= bar
    return { slots: slots.filter(isReachable), scores: scores.filter(isReachable), mass }
  }

  // A common word matches many documents; sort only the few that can count.
  private *bestOf({ slots, scores, isBefore }: Candidates, query: Query): Generator<number> {
    const floor = WORTH * scores.reduce((best, score) => Math.max(best, score), 0)
    const worthy: number[] = []
    for (let i = 0; i < scores.length; i++) if (scores[i]! >= floor) worthy.push(i)
    for (const i of bestFirst(worthy, isBefore)) if (!this.isExcluded(query, slots[i]!)) yield i
  }

  private betterThan(at: number, { slots, isBefore }: Candidates, query: Query): number[] {
    const better: number[] = []
    for (let i = 0; i < slots.length; i++) {
      if (isBefore(i, at) && !this.isExcluded(query, slots[i]!)) better.push(i)
    }
    return better
  }

  private isExcluded(query: Query, slot: number): boolean {
    if (!this.slots.hasNegatives(slot)) return false
    return matchesNegative(query, this.slots.recordAt(slot).negatives, this.scorer.rarity)
  }

  /**
   * Too weak to return. An exception: the author chose the keywords, so a keyword match counts, except everyday words.
   */
  private isSilent({ slots, confidence }: Candidates, best: number, query: Query): boolean {
    if (confidence(best) >= this.silence) return false
    return !query.terms.some(({ term }) => {
      const list = isEveryday(term) ? undefined : this.index.find(term)
      const packed = list && postingAt(list, slots[best]!)
      return packed !== undefined && this.tuning.fields[fieldOf(packed)]!.isChosen === true
    })
  }

  // Names of the documents that this one refers words of the task to.
  private redirectsTaken(query: Query, slot: number): string[] {
    const names = new Set<string>()
    this.slots.recordAt(slot).redirects.forEach(({ to }, i) => {
      const isTaken = this.slots.targets[slot + 1 + i] !== slot
      if (isTaken && query.terms.some(({ term }) => this.index.holds(term, slot + 1 + i))) names.add(to)
    })
    return [...names]
  }

  /** What each word of the task added to a document's score, largest first; the weights add up to the score. */
  private explainScore(query: Query, slot: number): Why[] {
    const sources = [slot, ...this.slots.inbound(slot)]
    const why: Why[] = []
    for (const term of query.terms) this.pushBest(why, term.word, this.scorer.evidenceFor(term), sources)
    for (const pair of query.pairs) this.pushBest(why, pair.word, this.scorer.pairEvidence(pair), sources)
    const bonus = this.scorer.nameBonus(query, slot)
    if (bonus > 0) why.push({ term: this.slots.recordAt(slot).name, field: 'name', weight: bonus })
    return why.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
  }

  private pushBest(why: Why[], term: string, evidence: readonly Evidence[], sources: readonly number[]): void {
    let best: Why | null = null
    for (const { list, factor, isRelated, word } of evidence) {
      for (const source of sources) {
        const packed = postingAt(list, source)
        if (packed === undefined) continue
        const weight = factor * (isRelated ? strongImpact(packed) : fullImpact(packed))
        if (weight <= (best?.weight ?? 0)) continue
        const { name, label = name } = this.tuning.fields[fieldOf(packed)]!
        best = { term, field: label, weight, ...(isRelated ? { via: word } : {}) }
      }
    }
    if (best !== null) why.push(best)
  }

  private open({ slots, terms }: CompiledLibrary): void {
    this.index = new TermIndex(terms)
    this.slots = slots
    this.scorer = new Scorer(this.index, this.slots, this.tuning)
    this.pruned = new PrunedScorer(this.scorer, this.slots)
    this.deadSlots = 0
  }

  private compact(): void {
    this.open(decodeIndex(this.save(), fingerprint(this.tuning))!)
  }
}

/** Uses a saved ranker, and a rebuilt one when the saved one turns out to be damaged. */
class SavedRanker implements Ranker {
  private ranker: Ranker
  private readonly rebuild: () => Ranker

  constructor(ranker: Ranker, rebuild: () => Ranker) {
    this.ranker = ranker
    this.rebuild = rebuild
  }

  get size(): number {
    return this.ranker.size
  }

  rank(task: string, request?: RankRequest): RankHit[] {
    return this.ask((ranker) => ranker.rank(task, request))
  }

  explain(task: string, id: string): RankExplanation {
    return this.ask((ranker) => ranker.explain(task, id))
  }

  add(document: RankDocument): void {
    this.ask((ranker) => ranker.add(document))
  }

  remove(id: string): boolean {
    return this.ask((ranker) => ranker.remove(id))
  }

  save(): Uint8Array {
    return this.ask((ranker) => ranker.save())
  }

  private ask<T>(question: (ranker: Ranker) => T): T {
    try {
      return question(this.ranker)
    } catch (error) {
      if (!(error instanceof DamagedForm)) throw error
      this.ranker = this.rebuild()
      return question(this.ranker)
    }
  }
}

// The weights of the words add up to the score before lifting.
function withLift(why: Why[], score: number, lift: Lift | undefined): Why[] {
  if (lift === undefined) return why
  const weight = score - why.reduce((sum, each) => sum + each.weight, 0)
  return Math.abs(weight) < 1e-9 ? why : [...why, { term: weight > 0 ? 'more' : 'less', field: lift.label, weight }]
}

const NO_MATCH = { rank: null, score: 0, confidence: 0, why: [], redirects: [] }

function duplicateIds(ids: readonly string[]): LoadoutError {
  return new LoadoutError('DUPLICATE_ID', `documents share the id ${ids.join(', ')}`, {
    hint: 'give each an id of its own',
  })
}

function findDuplicates(documents: readonly RankDocument[]): string[] {
  const seen = new Set<string>()
  const duplicates = new Set<string>()
  for (const { id } of documents) (seen.has(id) ? duplicates : seen).add(id)
  return [...duplicates].sort()
}

// Confidence depends on the score divided by the square root of the maximum score of the task (cosine-like: a long task
// scores more by chance). On development data this one number separated right from wrong hits as well as any set of
// numbers, for libraries of 2 to 474 documents. docs/ranking.md explains how the constants and the threshold were
// chosen.

/** Fit at which half of the hits are right. */
export const HALFWAY = 1.6
export const STEEPNESS = 3.8

/** Below this confidence of the best hit the ranker returns nothing. One value for every library. */
const SILENCE = 0.07

export function confidenceOf(score: number, mass: number): number {
  if (score <= 0 || mass <= 0) return 0
  const fit = score / Math.sqrt(mass)
  return 1 / (1 + (HALFWAY / fit) ** STEEPNESS)
}
