/** What the ranker ranks: a skill, a pack, a payload entry, a file. Only `id` and `name` are needed. */
export interface RankDocument {
  readonly id: string
  readonly name: string
  /** Texts for other fields than those below, by the name of the field in the caller's tuning. */
  readonly fields?: Readonly<Record<string, string>>
  /** 0 to 1: everything this document says counts so much; 1 when not given. */
  readonly factor?: number
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly headings?: readonly string[]
  readonly body?: string
  /** Confirmed past prompts of this document. */
  readonly examples?: readonly string[]
  /** Prompts this document must not answer. */
  readonly negatives?: readonly string[]
  /** Cost of loading it, for `budget`. */
  readonly tokens?: number
  /** Given back with a hit, so that the caller need not look for what belongs to an id. Saved as JSON. */
  readonly kept?: unknown
}

/** One word of the task, the part of the document that answered it best, and how much it added to the score. */
export interface Why {
  readonly term: string
  readonly field: string
  readonly weight: number
  /** The related word that was found in place of `term`. */
  readonly via?: string
}

export interface RankHit {
  readonly id: string
  readonly score: number
  /** 0 to 1: how likely it is that this document is what the task needs. */
  readonly confidence: number
  readonly why: readonly Why[]
  /** As the document gave it. */
  readonly kept?: unknown
}

export interface RankRequest {
  /** At most so many hits; 5 when not given. */
  readonly limit?: number
  /** Hits cost at most so many tokens together; one that does not fit is skipped for the next that does. */
  readonly budget?: number
  /** Multiplies the score of a document, by its id: what the caller knows besides the words. */
  readonly lift?: Lift
}

export interface Lift {
  /** What a reader of `why` sees as the field of the gain or loss. */
  readonly label: string
  /** 1 changes nothing. `kept`: as the document gave it. */
  readonly of: (id: string, kept: unknown) => number
  /** The least and the most that `of` gives: documents that cannot reach the best with it are not asked for. */
  readonly between?: readonly [least: number, most: number]
}

/** `rank` counts from 1 among all documents that share a word with the task; null when this one shares none. */
export interface RankExplanation {
  readonly id: string
  readonly outcome: RankOutcome
  readonly rank: number | null
  readonly score: number
  readonly confidence: number
  readonly why: readonly Why[]
  /** Names of documents this one hands the task to ("for X use other"). */
  readonly redirects: readonly string[]
}

/**
 * `first`: the best hit. `outranked`: an answer, but not the first. `silent`: the best match, yet too weak to answer.
 * `excluded`: the task is one of its negatives. `no-match`: no word in common. `unknown`: no such document.
 */
export type RankOutcome = 'first' | 'outranked' | 'silent' | 'excluded' | 'no-match' | 'unknown'

/**
 * What a hit is good for when nobody asked for it. `text`: sure enough to be given whole. `pointer`: worth a line, and
 * the agent chooses. Too weak for both: the ranker is silent.
 */
export type AnswerForm = 'pointer' | 'text'

// docs/ranking.md: at most one in ten questions that nothing fits gets a text, and nine in ten of those texts are right.
const TEXT_CONFIDENCE = 0.8

export function answerForm(confidence: number): AnswerForm {
  return confidence >= TEXT_CONFIDENCE ? 'text' : 'pointer'
}

/** How many hits a plan offers at most. */
export const RANKED_LIMIT = 5

const MOST_TERMS = 6

/** The words that counted most, by the part of the document that held them: `name [release], body [tag]`. */
export function describeWhy(why: readonly Why[]): string {
  const byField = new Map<string, string[]>()
  for (const { term, field, via } of why.slice(0, MOST_TERMS)) {
    const words = byField.get(field) ?? []
    words.push(via === undefined ? term : `${term} as ${via}`)
    byField.set(field, words)
  }
  return [...byField].map(([field, words]) => `${field} [${words.join(', ')}]`).join(', ')
}

/** A confidence or another share, for people. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
