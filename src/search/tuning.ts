/** Every number of the ranker in one place; docs/ranking.md explains how they were chosen. */
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
