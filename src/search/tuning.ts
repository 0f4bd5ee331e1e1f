/** Every number of the ranker in one place; docs/ranking.md tells how they were found. */
export interface Tuning {
  /** How much a field counts, how strongly its length is normalised (0 to 1), and its usual length in words. */
  readonly fields: Readonly<Record<FieldName, FieldTuning>>
  /** Weighted frequency at which a term counts half. */
  readonly saturation: number
  /** Documents every library is imagined to hold besides its own, so that two documents already give sane rarity. */
  readonly backgroundSize: number
  /** Share of those that would contain an everyday word. */
  readonly everydayShare: number
  readonly pair: number
  /** A related word counts so much; more when the library does not know the word of the task at all. */
  readonly related: number
  readonly relatedToUnknown: number
  readonly repetitionPower: number
  readonly joined: number
  readonly nameCoverage: number
  /** The n-th word of a task counts 1 / (1 + fade · n). */
  readonly fade: number
}

export interface FieldTuning {
  readonly weight: number
  readonly norm: number
  readonly length: number
}

// Order breaks ties when two fields answered a word equally well.
export const FIELD_NAMES = ['name', 'keywords', 'examples', 'lead', 'rest', 'redirect', 'headings', 'body'] as const
export type FieldName = (typeof FIELD_NAMES)[number]

/** What a reader of `why` sees. */
export const FIELD_LABELS: Readonly<Record<FieldName, string>> = {
  name: 'name',
  keywords: 'keywords',
  examples: 'examples',
  lead: 'description',
  rest: 'description',
  redirect: 'redirect',
  headings: 'headings',
  body: 'body',
}

export const DEFAULT_TUNING: Tuning = {
  fields: {
    name: { weight: 4, norm: 0.55, length: 3 },
    keywords: { weight: 2.7, norm: 0.4, length: 8 },
    examples: { weight: 2.7, norm: 0.4, length: 12 },
    lead: { weight: 2.5, norm: 0.4, length: 14 },
    rest: { weight: 1, norm: 0.65, length: 35 },
    redirect: { weight: 2, norm: 0.25, length: 6 },
    headings: { weight: 0.6, norm: 0.6, length: 30 },
    body: { weight: 0.3, norm: 0.7, length: 250 },
  },
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
