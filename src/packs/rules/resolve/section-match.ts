import type { TaskWords } from '../../../search/task-words.ts'
import { termsOf } from '../../../search/tokens.ts'
import { isWorkWord } from '../../../search/word-lists.ts'
import type { SectionHit, SectionIndex } from './section-index.ts'

/** How much a pack says about a task, by its best section. */
export interface SectionMatch {
  /** 0 to 1: the share of the task's words. A word that is common in the pack counts less. */
  share: number
  /** How much more likely the pack has these words than any other text, as a logarithm. */
  evidence: number
  /** Whether this is enough to choose the pack by its text alone. */
  isAbout: boolean
  section?: SectionHit
}

// A section must have half of the task's words, typical ones of the pack: in a large pack, some section has any two
// words. A third is enough for very typical words. docs/packs.md has the measurements.
const ENOUGH = [
  { share: 0.5, evidence: 5 },
  { share: 0.35, evidence: 7.5 },
]
const SECTIONS_LOOKED_AT = 3

/** Words of `description`, the pack's metadata, count as matched. */
export function matchSections(index: SectionIndex, task: string, words: TaskWords, description: string): SectionMatch {
  const weights = new Map([...words].map(([word, weight]) => [word, weight * rarity(index, word)]))
  const all = sum(weights.keys(), weights)
  const known = termsOf(description)
  const described = new Set(known.filter((term) => words.has(term)))
  const share = all === 0 ? 0 : sum(described, weights) / all
  let best: SectionMatch = { share, evidence: evidenceOf(index, words, described), isAbout: false }
  for (const section of [...index.rank(task, SECTIONS_LOOKED_AT), ...index.rankRecords(task, SECTIONS_LOOKED_AT)]) {
    const said = new Set([...section.terms, ...known].filter((term) => words.has(term)))
    const share = all === 0 ? 0 : sum(said, weights) / all
    if (share <= best.share) continue
    const evidence = evidenceOf(index, words, said)
    const isOwn = section.terms.some((term) => words.get(term) === 1)
    const isEnough = ENOUGH.some((least) => share >= least.share && evidence >= least.evidence)
    best = { share, evidence, isAbout: isEnough && isOwn, section }
  }
  return best
}

function sum(terms: Iterable<string>, weights: ReadonlyMap<string, number>): number {
  let total = 0
  for (const term of terms) total += weights.get(term) ?? 0
  return total
}

/** The weight of a word. A part number such as `K4` or `IP67` counts twice. */
function rarity(index: SectionIndex, term: string): number {
  const isCode = /[a-z]/.test(term) && /\d/.test(term)
  const spread = Math.log((index.size + 1) / (index.holders(term) + 1)) / Math.log(index.size + 1)
  return (isCode ? 2 : 1) * Math.max(0.1, spread || 0)
}

// The share of all texts that contain a word, by its kind. Guesses: five times more or less gives similar results.
const HELD_BY = { everyday: 0.05, work: 0.02, other: 0.0015 }
/** Assumed number of other texts beside the sections of a pack, so that few sections give little evidence. */
const IMAGINED = 5
const STRONGEST = 5
const WEAKEST = -1.5
const UNSAID = -0.7

function evidenceOf(index: SectionIndex, words: TaskWords, said: ReadonlySet<string>): number {
  let evidence = 0
  for (const [word, weight] of words) {
    if (!said.has(word)) {
      evidence += weight * UNSAID
      continue
    }
    const isWork = isWorkWord(word) || /^\d+$/.test(word)
    const usual = weight < 1 ? HELD_BY.everyday : isWork ? HELD_BY.work : HELD_BY.other
    // A word of the description counts as at least one section.
    const holders = Math.max(1, index.holders(word)) + IMAGINED * usual
    const typical = Math.log(holders / (index.size + IMAGINED) / usual)
    evidence += Math.min(STRONGEST, Math.max(WEAKEST, typical))
  }
  return evidence
}

/** A pack with the match of its description and, if it may be read, of its text. */
export interface Judged<Pack> {
  pack: Pack
  /** 0 to 1; 0 if its description does not fit. */
  described: number
  match: SectionMatch | undefined
}

export interface Likely<Pack> {
  pack: Pack
  /** 0 to 1. */
  confidence: number
  /** The matching section, if the text is the reason. */
  section?: SectionHit
}

// A match of the description alone needs high confidence, or some support by the text while no other pack's text fits.
const LIKELY = 0.5
const LEAST_SUPPORT = 3
const LEAST_OF_BEST = 0.7

/** The maximum number of packs for one task. */
export const MOST_PACKS = 3

/** The packs for a task, by description and text, best first. */
export function likelyPacks<Pack>(judged: readonly Judged<Pack>[]): Likely<Pack>[] {
  const best = Math.max(0, ...judged.map(({ match }) => (match?.isAbout ? match.evidence : 0)))
  const likely = judged.flatMap(({ pack, described, match }) => {
    const { isAbout = false, evidence = STRONGEST, share = 0, section } = match ?? {}
    const isRead = isAbout && evidence >= LEAST_OF_BEST * best
    const isDescribed = described > 0 && (described >= LIKELY || (best === 0 && evidence >= LEAST_SUPPORT))
    if (!isRead && !isDescribed) return []
    const confidence = Math.max(isRead ? share : 0, isDescribed ? described : 0)
    return [{ pack, confidence, order: isRead ? evidence : 0, ...(isRead && section && { section }) }]
  })
  return likely
    .sort((a, b) => b.order - a.order || b.confidence - a.confidence)
    .slice(0, MOST_PACKS)
    .map(({ order, ...each }) => each)
}
