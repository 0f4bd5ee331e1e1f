/** What the ranker ranks: a skill, a pack, a payload entry, a file. Only `id` and `name` are needed. */
export interface RankDocument {
  readonly id: string
  readonly name: string
  /** Texts for other fields than those below, by the name of the field in the caller's tuning. */
  readonly fields?: Readonly<Record<string, string>>
  /** Weight of everything in this document, from 0 to 1; default 1. */
  readonly factor?: number
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly headings?: readonly string[]
  readonly body?: string
  /** Confirmed past prompts of this document. */
  readonly examples?: readonly string[]
  /** Prompts that this document must not match. */
  readonly negatives?: readonly string[]
  /** Tokens that loading it costs, for `budget`. */
  readonly tokens?: number
  /** Returned with a hit, so that the caller needs no lookup by id. Saved as JSON. */
  readonly kept?: unknown
}

/** What the ranker stores of a document besides its terms. */
export interface DocumentRecord {
  readonly id: string
  readonly name: string
  readonly tokens: number
  /** Terms of each prompt that the document must not match. */
  readonly negatives: readonly (readonly string[])[]
  readonly redirects: readonly { readonly to: string; readonly isDenied: boolean }[]
  /** The value that the caller gets back with a hit. */
  readonly kept?: unknown
}

/** One word of the task, the field that matched it best, and how much it added to the score. */
export interface Why {
  readonly term: string
  readonly field: string
  readonly weight: number
  /** The related word that matched instead of `term`. */
  readonly via?: string
}

export interface RankHit {
  readonly id: string
  readonly score: number
  /** 0 to 1: how likely it is that the task needs this document. */
  readonly confidence: number
  readonly form: AnswerForm
  readonly why: readonly Why[]
  /** The `kept` value of the document. */
  readonly kept?: unknown
}

export interface RankRequest {
  /** Maximum number of hits; default 5. */
  readonly limit?: number
  /** Maximum tokens of all hits together. A hit that does not fit is skipped for the next that does. */
  readonly budget?: number
  /** Multiplies a document's score, by its id: for what the caller knows besides the words. */
  readonly lift?: Lift
}

export interface Lift {
  /** The field name that `why` shows for the gain or loss. */
  readonly label: string
  /** With a factor of 1 the score stays the same. `kept` is the document's own value. */
  readonly of: (id: string, kept: unknown) => number
  /** The range of `of`: the ranker skips documents that cannot reach the best even with the maximum. */
  readonly between?: readonly [least: number, most: number]
}

/** `rank` counts from 1 among all documents that share a word with the task; null when this one shares none. */
export interface RankExplanation {
  readonly id: string
  readonly outcome: RankOutcome
  readonly rank: number | null
  readonly score: number
  readonly confidence: number
  readonly form: AnswerForm
  readonly why: readonly Why[]
  /** Names of documents that this one refers the task to ("for X use other"). */
  readonly redirects: readonly string[]
}

/**
 * `first`: the best hit. `outranked`: a hit, but not the first. `silent`: the best match, but too weak to return.
 * `excluded`: the task is one of its negatives. `no-match`: no word in common. `unknown`: the id does not exist.
 */
export type RankOutcome = 'first' | 'outranked' | 'silent' | 'excluded' | 'no-match' | 'unknown'

/**
 * How Loadout uses a hit that the user did not ask for. `text`: certain enough to load the whole text. `pointer`: worth
 * one line, and the agent chooses. The ranker returns nothing weaker.
 */
export type AnswerForm = 'pointer' | 'text'

/** The hits that compete for the words of a task. */
export const MOST_RIVALS = 8

/** bench/README.md: about nine in ten texts that are loaded at this certainty are right. */
export const TEXT_CERTAINTY = 0.8

/**
 * Certainty: the odds of a hit against those of "nothing fits" and of its rivals, each as far as it matches the same
 * words. So one of many similar documents is never certain, and two documents are if each has words of its own.
 */
export function formsOf(rivals: readonly Pick<RankHit, 'confidence' | 'why'>[]): AnswerForm[] {
  const odds = rivals.map(({ confidence }) => confidence / Math.max(1e-9, 1 - confidence))
  return rivals.map((hit, at) => {
    if (hit.confidence < TEXT_CERTAINTY) return 'pointer'
    const others = rivals.reduce((sum, other, i) => (i === at ? sum : sum + odds[i]! * sharedWords(hit, other)), 0)
    // Confidence counts in part that others may fit better. With 0.4, 1 in 10 tasks that none of 1,000 documents fits
    // loads a text; without rivals 1 in 4 did.
    return odds[at]! / (1 + odds[at]! + 0.4 * others) >= TEXT_CERTAINTY ? 'text' : 'pointer'
  })
}

/** How much of a hit's score comes from words that another hit matches too. */
function sharedWords({ why }: Pick<RankHit, 'why'>, other: Pick<RankHit, 'why'>): number {
  const weights = new Map(other.why.map(({ term, weight }) => [term, weight]))
  const shared = why.reduce((sum, { term, weight }) => sum + Math.min(weight, weights.get(term) ?? 0), 0)
  return shared / why.reduce((sum, { weight }) => sum + weight, 0)
}

/** The maximum number of hits in a plan. */
export const RANKED_LIMIT = 5

/** The words that counted most, by the field that contains them: `name [release], body [tag]`. */
export function describeWhy(why: readonly Why[]): string {
  const byField = new Map<string, string[]>()
  for (const { term, field, via } of why.slice(0, 6)) {
    const words = byField.get(field) ?? []
    words.push(via === undefined ? term : `${term} as ${via}`)
    byField.set(field, words)
  }
  return [...byField].map(([field, words]) => `${field} [${words.join(', ')}]`).join(', ')
}

/** A score as it is shown. Versions of Node differ in the last digits of logarithms; what is shown must not. */
export function roundScore(score: number): number {
  return Math.round(score * 1000) / 1000
}

/** Formats a confidence or another share as a percentage. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Every number of the ranker in one place; bench/README.md explains how they were chosen. */
export interface Tuning {
  /** The parts of a document, at most 8. The order breaks ties when two fields answered a word equally well. */
  readonly fields: readonly Field[]
  /** Weighted frequency at which a term counts half. */
  readonly saturation: number
  /** Number of assumed documents besides the library's own, so that even two documents give sensible rarity. */
  readonly backgroundSize: number
  /** Share of those that contain an everyday word. */
  readonly everydayShare: number
  /** Weight of a pair of neighbouring words. 0: pairs are not stored. */
  readonly pair: number
  /** Weight of a related word; higher when the library does not contain the word of the task. 0: ignored. */
  readonly related: number
  readonly relatedToUnknown: number
  readonly repetitionPower: number
  readonly joined: number
  readonly nameCoverage: number
  /** The n-th word of a task counts 1 / (1 + fade · n). */
  readonly fade: number
}

/**
 * One part of a document: how much it counts, how strongly its length is normalised (0 to 1), its usual length in
 * words.
 */
export interface Field {
  readonly name: string
  /** The label in `why`; defaults to the name. */
  readonly label?: string
  readonly weight: number
  readonly norm: number
  readonly length: number
  /** The first this many words form pairs; all by default. */
  readonly paired?: number
  /** Long text: a related word in it does not count as evidence. */
  readonly isLong?: boolean
  /** A task that contains most of this field means the document. */
  readonly isName?: boolean
  /** The author chose every word of it: a task that contains one always gets an answer. */
  readonly isChosen?: boolean
  /** Documents are also compared without it. */
  readonly isApart?: boolean
}

/** The parts of an entry: a payload, a pack, a skill, a note. */
const ENTRY_FIELDS: readonly Field[] = [
  { name: 'name', weight: 4, norm: 0.55, length: 3, isName: true },
  { name: 'keywords', weight: 4.5, norm: 0.4, length: 8, isChosen: true },
  { name: 'examples', weight: 0.8, norm: 0.4, length: 80, isApart: true },
  { name: 'lead', label: 'description', weight: 2.5, norm: 0.4, length: 14 },
  { name: 'rest', label: 'description', weight: 1, norm: 0.65, length: 35 },
  { name: 'redirect', weight: 2, norm: 0.25, length: 6 },
  { name: 'headings', weight: 0.6, norm: 0.6, length: 30, paired: 0 },
  // The opening of a body resembles a description; pairs of the rest cost more than they gain.
  { name: 'body', weight: 0.3, norm: 0.7, length: 250, paired: 60, isLong: true },
]

export const DEFAULT_TUNING: Tuning = {
  fields: ENTRY_FIELDS,
  saturation: 1.6,
  backgroundSize: 300,
  everydayShare: 0.4,
  pair: 0.5,
  related: 0.4,
  relatedToUnknown: 1,
  repetitionPower: 0.6,
  joined: 0.2,
  nameCoverage: 0.45,
  fade: 0.025,
}

/** How a task finds its entries: by the share of their keywords that it names, or by everything they say. */
export const STRATEGIES = ['keywords', 'ranked'] as const

export type Strategy = (typeof STRATEGIES)[number]

/** How much of a prompt was about each family; the shares add up to 1. */
export type FamilyShares = readonly (readonly [family: string, share: number])[]

/** Entries that belong together by their ids: `billing/refunds` and `billing/invoices`. Empty: no family. */
export function folderOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('/')))
}

/** The family of an entry; empty when it has none. `kept` is the document's own value. */
export type FamilyOf = (id: string, kept: unknown) => string

/** The families that a prompt was about, from its hits. It contains no word of the prompt. */
export function sharesOf(
  hits: readonly Pick<RankHit, 'id' | 'kept' | 'confidence'>[],
  familyOf: FamilyOf,
): FamilyShares {
  const shares = new Map<string, number>()
  const all = hits.reduce((sum, { confidence }) => sum + confidence, 0)
  for (const { id, kept, confidence } of hits.slice(0, 5)) {
    const family = familyOf(id, kept)
    if (family !== '') shares.set(family, (shares.get(family) ?? 0) + confidence / all)
  }
  return [...shares].map(([family, share]) => [family, Math.round(share * 1000) / 1000])
}

// Chosen on development data. R@1 without it is 77.2. In a session that stays with its subject, and in one that has
// changed it: 0.25 gives 79.5 and 76.8, 0.5 80.0 and 75.4, 1 81.2 and 71.3.
const BOOST = 0.5

// The last prompt counts most, so that the lift soon follows a session to a new subject.
const RECENCY = [0.5, 0.3, 0.2]

/** How many previous prompts of a session count. */
export const SESSION_LENGTH = RECENCY.length

/** Lifts the families that the last prompts of a session were about; `recent`: the last one first. */
export function sessionLift(recent: readonly FamilyShares[], familyOf: FamilyOf): Lift | undefined {
  const votes = new Map<string, number>()
  recent.slice(0, SESSION_LENGTH).forEach((shares, at) => {
    for (const [family, share] of shares) votes.set(family, (votes.get(family) ?? 0) + RECENCY[at]! * share)
  })
  if (votes.size === 0) return undefined
  return {
    label: 'session',
    of: (id, kept) => 1 + BOOST * Math.min(1, votes.get(familyOf(id, kept)) ?? 0),
    between: [1, 1 + BOOST],
  }
}
