import type { TaskWords } from '../../../search/task-words.ts'
import { termsOf } from '../../../search/tokens.ts'
import { isWorkWord } from '../../../search/word-lists.ts'
import type { SectionHit, SectionIndex } from './section-index.ts'

/** How much of a task one section of a pack speaks of. */
export interface Spoken {
  /** 0 to 1. A word that stands all over the pack counts little, one that is nowhere in it counts against it. */
  share: number
  /** How much more likely the pack is to say these words than a text about anything, as a logarithm. */
  evidence: number
  /** Whether that is enough to choose the pack by its text alone. */
  isAbout: boolean
  section?: SectionHit
}

// A section must hold half of what the task says, in words that are typical of the pack: in a large pack some section
// holds any two words. A third is enough when they are surely the pack's. docs/packs.md tells what was measured.
const ENOUGH = [
  { share: 0.5, evidence: 5 },
  { share: 0.35, evidence: 7.5 },
]
const SECTIONS_LOOKED_AT = 3

/** `description`: what the catalog knows of the pack. Its words count as said. */
export function speaksOf(index: SectionIndex, task: string, words: TaskWords, description: string): Spoken {
  const weights = new Map([...words].map(([word, weight]) => [word, weight * rarity(index, word)]))
  const all = sum(weights.keys(), weights)
  const known = termsOf(description)
  const described = new Set(known.filter((term) => words.has(term)))
  const share = all === 0 ? 0 : sum(described, weights) / all
  let best: Spoken = { share, evidence: evidenceOf(index, words, described), isAbout: false }
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

/** A number of a part or of a standard says more than a word: `K4`, `IP67`. */
function rarity(index: SectionIndex, term: string): number {
  const isCode = /[a-z]/.test(term) && /\d/.test(term)
  const spread = Math.log((index.size + 1) / (index.holders(term) + 1)) / Math.log(index.size + 1)
  return (isCode ? 2 : 1) * Math.max(0.1, spread || 0)
}

// The share of all texts that hold a word, by its kind: guesses, as good as five times more or less.
const HELD_BY = { everyday: 0.05, work: 0.02, other: 0.0015 }
/** So many texts about anything are imagined beside the sections of a pack: of few sections little follows. */
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
    // What the description says, the pack is about.
    const holders = Math.max(1, index.holders(word)) + IMAGINED * usual
    const typical = Math.log(holders / (index.size + IMAGINED) / usual)
    evidence += Math.min(STRONGEST, Math.max(WEAKEST, typical))
  }
  return evidence
}

/** A pack, how likely its description makes it, and what its text says when it may be read. */
export interface Judged<Pack> {
  pack: Pack
  /** 0 to 1; 0 when its description does not fit. */
  described: number
  spoken: Spoken | undefined
}

export interface Likely<Pack> {
  pack: Pack
  /** 0 to 1. */
  confidence: number
  /** Where its text speaks of the task, when that is why. */
  section?: SectionHit
}

// What only the description says has to be likely, or the text has to speak of it too while no other pack's text does.
const LIKELY = 0.5
const LEAST_SUPPORT = 3
const LEAST_OF_BEST = 0.7

/** Of many that fit a little, few are worth their place. */
export const MOST_PACKS = 3

/** The packs that a task is about, by what is known of each: best first. */
export function likelyPacks<Pack>(judged: readonly Judged<Pack>[]): Likely<Pack>[] {
  const best = Math.max(0, ...judged.map(({ spoken }) => (spoken?.isAbout ? spoken.evidence : 0)))
  const likely = judged.flatMap(({ pack, described, spoken }) => {
    const { isAbout = false, evidence = STRONGEST, share = 0, section } = spoken ?? {}
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
