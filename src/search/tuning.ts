/** Every number of the ranker in one place; docs/ranking.md tells how they were found. */
export interface Tuning {
  /** The parts of a document, at most 16. The order breaks ties when two fields answered a word equally well. */
  readonly fields: readonly Field[]
  /** Weighted frequency at which a term counts half. */
  readonly saturation: number
  /** Documents every library is imagined to hold besides its own, so that two documents already give sane rarity. */
  readonly backgroundSize: number
  /** Share of those that would contain an everyday word. */
  readonly everydayShare: number
  /** How much a pair of neighbouring words counts. 0: pairs are not even stored. */
  readonly pair: number
  /** A related word counts so much; more when the library does not know the word of the task at all. 0: not at all. */
  readonly related: number
  readonly relatedToUnknown: number
  readonly repetitionPower: number
  readonly joined: number
  readonly nameCoverage: number
  /** The n-th word of a task counts 1 / (1 + fade · n). */
  readonly fade: number
}

/** One part of a document: how much it counts, how strongly its length is normalised (0 to 1), its usual length in words. */
export interface Field {
  readonly name: string
  /** What a reader of `why` sees; the name when not given. */
  readonly label?: string
  readonly weight: number
  readonly norm: number
  readonly length: number
  /** Pairs are made of its first so many words; of all when not given. */
  readonly paired?: number
  /** Long text: a related word in it is no evidence. */
  readonly isLong?: boolean
  /** A task that names most of this field means the document. */
  readonly isName?: boolean
  /** Its author chose every word of it: a task that has one is never answered with silence. */
  readonly isChosen?: boolean
}

/** The parts of an entry: a payload, a pack, a skill, a note. */
const ENTRY_FIELDS: readonly Field[] = [
  { name: 'name', weight: 4, norm: 0.55, length: 3, isName: true },
  { name: 'keywords', weight: 4.5, norm: 0.4, length: 8, isChosen: true },
  { name: 'examples', weight: 1, norm: 0.4, length: 80 },
  { name: 'lead', label: 'description', weight: 2.5, norm: 0.4, length: 14 },
  { name: 'rest', label: 'description', weight: 1, norm: 0.65, length: 35 },
  { name: 'redirect', weight: 2, norm: 0.25, length: 6 },
  { name: 'headings', weight: 0.6, norm: 0.6, length: 30, paired: 0 },
  // The opening of a body is close to a description; pairs of the rest cost more than they gain.
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
