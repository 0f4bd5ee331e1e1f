import type { TaskWords } from '../../../search/task-words.ts'
import { termsOf } from '../../../search/tokens.ts'
import type { SectionHit, SectionIndex } from './section-index.ts'

/** How much of a task one section of a pack speaks of. */
export interface Spoken {
  /** 0 to 1. A word that stands all over the pack counts little, one that is nowhere in it counts against it. */
  share: number
  /** Whether that is enough to choose the pack by its text alone. */
  isAbout: boolean
  section?: SectionHit
}

// Measured with the documentation of two tools and a product as packs, with 38 questions about them and 325 prompts
// about other things: the right pack for 34, some pack for 12 of the others. By descriptions alone: 13 of 50, and 53.
const ENOUGH = 0.6
const LEAST_WEIGHT = 0.8
const LEAST_WORDS = 2
const SECTIONS_LOOKED_AT = 3
const SAME_QUESTION = 0.8

/** `description`: what the catalog knows of the pack. Its words count as said. */
export function speaksOf(index: SectionIndex, task: string, words: TaskWords, description: string): Spoken {
  const weights = new Map([...words].map(([word, weight]) => [word, weight * rarity(index, word)]))
  const all = sum(weights.keys(), weights)
  const known = termsOf(description)
  const described = sum(new Set(known), weights)
  let best: Spoken = { share: all === 0 ? 0 : described / all, isAbout: false }
  for (const section of [...index.rank(task, SECTIONS_LOOKED_AT), ...index.rankRecords(task, SECTIONS_LOOKED_AT)]) {
    const said = new Set([...section.terms, ...known].filter((term) => words.has(term)))
    const weight = sum(said, weights)
    const share = all === 0 ? 0 : weight / all
    const subjects = [...said].filter((term) => words.get(term) === 1)
    const isOwn = section.terms.some((term) => words.get(term) === 1)
    // A question that the pack itself holds needs no second subject.
    const isQuestion = section.path.startsWith('answers/') && share >= SAME_QUESTION
    const isAbout = share >= ENOUGH && weight >= LEAST_WEIGHT && (subjects.length >= LEAST_WORDS || isQuestion) && isOwn
    if (share > best.share) best = { share, isAbout, section }
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
