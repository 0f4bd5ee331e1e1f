import { failWith, type LoadoutError } from '../text/trouble.ts'
import { checksum } from '../text/values.ts'
import { TAUGHT } from './analyze.ts'
import {
  DEFAULT_TUNING,
  formsOf,
  type Lift,
  MOST_RIVALS,
  type RankDocument,
  type RankExplanation,
  type RankHit,
  type RankOutcome,
  type RankRequest,
  TEXT_CERTAINTY,
  type Tuning,
  type Why,
} from './document.ts'
import {
  buildLibrary,
  DamagedForm,
  fieldOf,
  fullImpact,
  hashOf,
  openLibrary,
  postingAt,
  type ReadBytes,
  SavedLibrary,
  saveLibrary,
  strongImpact,
  termId,
} from './saved-library.ts'
import { type Evidence, matchesNegative, Rarity, Scorer } from './scorer.ts'
import { openBuilt } from './segment-builder.ts'
import { type Query, type QueryTerm, readTask, type Task, weighTask } from './task.ts'
import { isEveryday } from './word-lists.ts'

export interface RankerOptions {
  /** Confidence that the best hit needs; below it the result is empty. 0 always returns hits. */
  readonly silence?: number
  readonly tuning?: Tuning
}

export interface Ranker {
  readonly size: number
  /** Best first; empty when nothing fits. */
  rank(task: string | Task, request?: RankRequest): RankHit[]
  explain(task: string | Task, id: string): RankExplanation
  /** How many documents contain a term. */
  holders(term: string): number
  /** The hash of every term, see `termHash`. */
  termHashes(): Set<number>
  add(document: RankDocument): void
  /** False when the document does not exist. */
  remove(id: string): boolean
  /** The saved form, with a note of the caller; the same bytes for the same documents. */
  save(note?: Uint8Array): Uint8Array
}

/** Throws when two documents have the same id. */
export function createRanker(documents: Iterable<RankDocument>, options: RankerOptions = {}): Ranker {
  const list = [...documents]
  const seen = new Set<string>()
  const duplicates = new Set<string>()
  for (const { id } of list) (seen.has(id) ? duplicates : seen).add(id)
  if (duplicates.size > 0) throw duplicateIds([...duplicates].sort())
  const built = buildLibrary(list, options.tuning ?? DEFAULT_TUNING)
  return new LibraryRanker(options, [{ library: new SavedLibrary(openBuilt(built)) }])
}

/** The saved form of documents, with a note of the caller: `openSavedRanker` ranks them. */
export function compileRanker(
  documents: Iterable<RankDocument>,
  note: Uint8Array,
  options: RankerOptions = {},
): Uint8Array {
  return createRanker(documents, options).save(note)
}

/** For documents that are compiled here and not kept: those about a task, best first; by default all of them. */
export function rankDocuments(documents: readonly RankDocument[]): (task: string | Task, limit?: number) => RankHit[] {
  const ranker = createRanker(documents)
  return (task, limit = documents.length) => ranker.rank(task, { limit })
}

/** Identifies a term for a first look: two terms rarely share it. */
export function termHash(term: string): number {
  return hashOf(termId(term))
}

/** Null when `saved` is stale or damaged: compile again with createRanker. */
export function loadRanker(saved: Uint8Array, options: RankerOptions = {}): Ranker | null {
  const read = (from: number, length: number) => saved.subarray(from, from + length)
  const opened = openLibrary(read, saved.length, options.tuning ?? DEFAULT_TUNING)
  if (opened === null || checksum(opened.library.segment.all) !== opened.sum) return null
  return new LibraryRanker(options, [opened])
}

/**
 * A saved ranker that reads only what a task needs, and its note. Null when it is stale. If ranking finds damaged bytes,
 * the ranker calls `rebuild`, or throws DamagedForm without it.
 */
export function openSavedRanker(
  read: ReadBytes,
  size: number,
  rebuild?: () => Ranker,
  options: RankerOptions = {},
): { ranker: Ranker; note: Uint8Array } | null {
  const opened = openLibrary(read, size, options.tuning ?? DEFAULT_TUNING)
  if (opened === null) return null
  const { library, note } = opened
  const part = { library, rebuild: rebuild && (() => partsOf(rebuild())[0]!.library) }
  return { ranker: new LibraryRanker(options, [part]), note }
}

/** One ranking over several libraries, with word statistics over all of them. Ids must differ between them. */
export function joinRankers(rankers: readonly Ranker[], options: RankerOptions = {}): Ranker {
  return new LibraryRanker(options, rankers.flatMap(partsOf))
}

interface Part {
  library: SavedLibrary
  rebuild?: () => SavedLibrary
}

function partsOf(ranker: Ranker): readonly Part[] {
  if (!(ranker instanceof LibraryRanker)) throw new TypeError('a ranker of another kind')
  ranker.update()
  return ranker.parts
}

const DEFAULT_LIMIT = 5
/** A document with a score: its library, and its slot there. */
interface ScoredDocument {
  readonly at: number
  readonly slot: number
  readonly score: number
  /** The score without examples. */
  readonly words: number
  /** The factor of `withUntaught`, included in the score. */
  readonly raise?: number
}

/** Ties by library, then by id in code unit order. */
function bestFirst(a: ScoredDocument, b: ScoredDocument): number {
  return b.score - a.score || a.at - b.at || a.slot - b.slot
}

/** Documents are added to and removed from the first library. */
class LibraryRanker implements Ranker {
  private readonly tuning: Tuning
  private readonly silence: number
  readonly parts: Part[]
  private rarity!: Rarity
  private scorers!: Scorer[]
  private readonly added = new Map<string, RankDocument>()
  private readonly removed = new Set<string>()

  constructor(options: RankerOptions, parts: readonly Part[]) {
    this.tuning = options.tuning ?? DEFAULT_TUNING
    this.silence = options.silence ?? SILENCE
    this.parts = [...parts]
    this.open()
  }

  get size(): number {
    this.update()
    return this.parts.reduce((sum, { library }) => sum + library.size, 0)
  }

  termHashes(): Set<number> {
    return this.heal(() => {
      const hashes = new Set<number>()
      for (const { library } of this.parts) for (const id of library.segment.ids()) hashes.add(hashOf(id))
      return hashes
    })
  }

  holders(term: string): number {
    return this.heal(() => this.rarity.holders(term))
  }

  add(document: RankDocument): void {
    if (this.has(document.id)) throw duplicateIds([document.id])
    this.added.set(document.id, document)
  }

  remove(id: string): boolean {
    if (!this.has(id)) return false
    if (!this.added.delete(id)) this.removed.add(id)
    return true
  }

  private has(id: string): boolean {
    if (this.added.has(id)) return true
    return !this.removed.has(id) && this.healed(() => this.parts[0]!.library.slotOf(id) !== undefined)
  }

  /** Many changes are compiled at once. */
  update(): void {
    if (this.added.size + this.removed.size === 0) return
    const added = [...this.added.values()]
    const built = this.healed(() => buildLibrary(added, this.tuning, this.parts[0]!.library, this.removed))
    this.parts[0] = { library: new SavedLibrary(openBuilt(built)) }
    this.added.clear()
    this.removed.clear()
    this.open()
  }

  save(note = new Uint8Array(0)): Uint8Array {
    return this.heal(() => {
      const { all, place } = this.parts[0]!.library.segment
      return saveLibrary({ bytes: all, place }, note, this.tuning)
    })
  }

  rank(task: string | Task, request: RankRequest = {}): RankHit[] {
    return this.heal(() => this.rankQuery(weighTask(readTask(task), this.tuning), request))
  }

  explain(task: string | Task, id: string): RankExplanation {
    return this.heal(() => this.explainQuery(weighTask(readTask(task), this.tuning), id))
  }

  private rankQuery(query: Query, request: RankRequest): RankHit[] {
    const mass = this.massOf(query)
    const { limit = DEFAULT_LIMIT, lift } = request
    const hits: Omit<RankHit, 'form'>[] = []
    const rivals: Pick<RankHit, 'id' | 'confidence' | 'why'>[] = []
    let tokens = request.budget ?? Infinity
    for (const candidate of this.bestOf(this.lifted(this.findCandidates(query), query, request), query)) {
      const { at, slot, score } = candidate
      const confidence = confidenceOf(score, mass)
      const isFull = hits.length >= limit
      const isRival = rivals.length < MOST_RIVALS && (rivals[0]?.confidence ?? confidence) >= TEXT_CERTAINTY
      if (isFull && !isRival) break
      if (rivals.length === 0 && this.isSilent(candidate, mass, query)) break
      const { id, tokens: cost, kept } = this.parts[at]!.library.recordAt(slot)
      const why = this.explainScore(query, candidate)
      if (isRival || rivals.length === 0) rivals.push({ id, confidence, why })
      if (isFull || cost > tokens) continue
      tokens -= cost
      hits.push({ id, score, confidence, why: withMore(why, candidate, lift), kept })
    }
    const forms = formsOf(rivals)
    return hits.map((hit) => ({ ...hit, form: forms[rivals.findIndex(({ id }) => id === hit.id)] ?? 'pointer' }))
  }

  private explainQuery(query: Query, id: string): RankExplanation {
    const at = this.parts.findIndex(({ library }) => library.slotOf(id) !== undefined)
    const slot = this.parts[at]?.library.slotOf(id)
    if (slot === undefined) return { id, outcome: 'unknown', ...NO_MATCH }
    const redirects = this.redirectsTaken(query, at, slot)
    if (this.isExcluded(query, at, slot)) return { id, outcome: 'excluded', ...NO_MATCH, redirects }
    const candidates = this.findCandidates(query)
    const found = candidates.find((each) => each.at === at && each.slot === slot)
    if (found === undefined) return { id, outcome: 'no-match', ...NO_MATCH, redirects }
    const better = candidates
      .filter((each) => bestFirst(each, found) < 0 && !this.isExcluded(query, each.at, each.slot))
      .sort(bestFirst)
    const best = better[0] ?? found
    const mass = this.massOf(query)
    const isSilent = this.isSilent(best, mass, query)
    const outcome: RankOutcome = isSilent ? 'silent' : better.length === 0 ? 'first' : 'outranked'
    const { score } = found
    const { form } = this.rankQuery(query, { limit: MOST_RIVALS }).find((hit) => hit.id === id) ?? NO_MATCH
    const why = withMore(this.explainScore(query, found), found)
    return { id, outcome, rank: better.length + 1, score, confidence: confidenceOf(score, mass), form, why, redirects }
  }

  private findCandidates(query: Query): readonly ScoredDocument[] {
    const candidates = this.scorers.flatMap((scorer, at): ScoredDocument[] => {
      const { slots, scores, words } = scorer.score(query)
      return slots.map((slot, i) => ({ at, slot, score: scores[i]!, words: words[i]! }))
    })
    return this.withUntaught(candidates, query)
  }

  /**
   * The best document by words alone gives way to the examples of others only by a margin, if it has none itself. The
   * surer the words are, the larger the margin.
   */
  private withUntaught(candidates: readonly ScoredDocument[], query: Query): readonly ScoredDocument[] {
    const most = candidates.reduce((best, { words }) => Math.max(best, words), 0)
    if (candidates.every(({ score }) => score <= most)) return candidates
    const raise = 1.1 + 0.4 * confidenceOf(most, this.massOf(query))
    return candidates.map((each) => {
      if (each.words < most) return each
      const { redirects } = this.parts[each.at]!.library.recordAt(each.slot)
      return redirects.some(({ to }) => to === TAUGHT) ? each : { ...each, score: raise * each.score, raise }
    })
  }

  private lifted(
    candidates: readonly ScoredDocument[],
    query: Query,
    { lift, limit, budget }: RankRequest,
  ): ScoredDocument[] {
    if (lift === undefined) return [...candidates]
    const count = limit ?? DEFAULT_LIMIT
    const isPruned = lift.between !== undefined && budget === undefined && count >= 1
    const near = isPruned ? this.reachable(candidates, count, lift.between!, query) : candidates
    return near.map((candidate) => {
      const { id, kept } = this.parts[candidate.at]!.library.recordAt(candidate.slot)
      return { ...candidate, score: candidate.score * Math.max(0, lift.of(id, kept)) }
    })
  }

  /** The documents that a lift can bring among the best `count`; the lift of all others is not needed. */
  private reachable(
    candidates: readonly ScoredDocument[],
    count: number,
    [least, most]: readonly [number, number],
    query: Query,
  ): ScoredDocument[] {
    let bar = 0
    let left = count
    for (const { at, slot, score } of [...candidates].sort(bestFirst)) {
      if (this.isExcluded(query, at, slot) || --left > 0) continue
      bar = score * least
      break
    }
    return candidates.filter(({ score }) => score * most >= bar)
  }

  private *bestOf(candidates: readonly ScoredDocument[], query: Query): Generator<ScoredDocument> {
    // A hit below this share of the best score is noise.
    const floor = 0.25 * candidates.reduce((best, { score }) => Math.max(best, score), 0)
    for (const each of candidates.filter(({ score }) => score >= floor).sort(bestFirst)) {
      if (!this.isExcluded(query, each.at, each.slot)) yield each
    }
  }

  private isExcluded(query: Query, at: number, slot: number): boolean {
    return matchesNegative(query, this.parts[at]!.library.recordAt(slot).negatives, this.rarity)
  }

  /** The score of a document that matches every word of the task completely. */
  private massOf(query: Query): number {
    let mass = 0
    for (const { term, weight, isJoined } of query.terms) if (!isJoined) mass += weight * this.rarity.of(term)
    return mass
  }

  /**
   * Too weak to return. An exception: the author chose the keywords, so a keyword match counts, except everyday words.
   */
  private isSilent({ at, slot, score }: ScoredDocument, mass: number, query: Query): boolean {
    if (confidenceOf(score, mass) >= this.silence) return false
    return !query.terms.some(({ term }) => {
      const list = isEveryday(term) ? undefined : this.parts[at]!.library.find(term)
      const packed = list && postingAt(list, slot)
      return packed !== undefined && this.tuning.fields[fieldOf(packed)]!.isChosen === true
    })
  }

  // Names of the documents that this one refers words of the task to.
  private redirectsTaken(query: Query, at: number, slot: number): string[] {
    const { library } = this.parts[at]!
    const names = new Set<string>()
    library.recordAt(slot).redirects.forEach(({ to }, i) => {
      const topic = slot + 1 + i
      const isTaken = library.targets[topic] !== slot
      const holds = ({ term }: QueryTerm) => postingAt(library.find(term) ?? [], topic) !== undefined
      if (isTaken && query.terms.some(holds)) names.add(to)
    })
    return [...names]
  }

  /** What each word of the task added to a document's score, largest first; the weights add up to the score. */
  private explainScore(query: Query, { at, slot }: ScoredDocument): Why[] {
    const { library } = this.parts[at]!
    const scorer = this.scorers[at]!
    const sources = [slot, ...library.inbound(slot)]
    const why: Why[] = []
    for (const term of query.terms) this.pushBest(why, term, scorer, scorer.evidenceFor(term), sources)
    for (const pair of query.pairs) this.pushBest(why, pair, scorer, scorer.pairEvidence(pair), sources)
    const bonus = scorer.nameBonus(query, slot)
    if (bonus > 0) why.push({ term: library.recordAt(slot).name, field: 'name', weight: bonus })
    return why.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
  }

  private pushBest(
    why: Why[],
    term: QueryTerm,
    scorer: Scorer,
    evidence: readonly Evidence[],
    sources: readonly number[],
  ): void {
    let [own, taught]: [Why | null, Why | null] = [null, null]
    for (const { list, factor, isRelated, word } of evidence) {
      for (const source of sources) {
        const packed = postingAt(list, source)
        if (packed === undefined) continue
        const weight = factor * (isRelated ? strongImpact(packed) : fullImpact(packed))
        const isTaught = scorer.isTaught(packed)
        if (weight <= ((isTaught ? taught : own)?.weight ?? 0)) continue
        const { name, label = name } = this.tuning.fields[fieldOf(packed)]!
        const found: Why = { term: term.word, field: label, weight, via: isRelated ? word : undefined }
        if (isTaught) taught = found
        else own = found
      }
    }
    const best = taught === null || (own !== null && own.weight >= taught.weight) ? own : taught
    if (best === null) return
    const gain = scorer.gainOf(term, own?.weight ?? 0, taught?.weight ?? 0)
    why.push({ ...best, weight: (own?.weight ?? 0) + gain })
  }

  private open(): void {
    const libraries = this.parts.map(({ library }) => library)
    this.rarity = new Rarity(libraries, this.tuning)
    this.scorers = libraries.map((library) => new Scorer(library, this.rarity, this.tuning))
  }

  private heal<T>(ask: () => T): T {
    this.update()
    return this.healed(ask)
  }

  /** Rebuilds the libraries that turn out to be damaged, and asks again. */
  private healed<T>(ask: () => T): T {
    try {
      return ask()
    } catch (error) {
      if (!(error instanceof DamagedForm)) throw error
      this.parts.forEach(({ library, rebuild }, at) => {
        if (!library.segment.isDamaged) return
        if (rebuild === undefined) throw error
        this.parts[at] = { library: rebuild() }
      })
      this.open()
      return this.healed(ask)
    }
  }
}

// The weights of the words add up to the score before it was raised and lifted.
function withMore(words: Why[], { score, raise = 1 }: ScoredDocument, lift?: Lift): Why[] {
  const sum = words.reduce((all, { weight }) => all + weight, 0)
  const why = raise === 1 ? words : [...words, { term: 'more', field: 'words', weight: (raise - 1) * sum }]
  const weight = score - raise * sum
  if (lift === undefined || Math.abs(weight) < 1e-9) return why
  return [...why, { term: weight > 0 ? 'more' : 'less', field: lift.label, weight }]
}

const NO_MATCH = { rank: null, score: 0, confidence: 0, form: 'pointer', why: [], redirects: [] } as const

function duplicateIds(ids: readonly string[]): LoadoutError {
  return failWith('DUPLICATE_ID/documents', { ids: ids.join(', ') })
}

// Confidence depends on the score divided by the square root of the maximum score of the task (cosine-like: a long task
// scores more by chance). On development data this one number separated right from wrong hits as well as any set of
// numbers, for libraries of 2 to 474 documents. bench/README.md explains how the constants and the threshold were
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
