import type { TaskWords } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { isWorkWord } from '../../../search/word-lists.ts'
import type { SectionHit } from './sections.ts'

/** A pack that a task may be about. */
export interface LikelyPack<Pack> {
  pack: Pack
  /** 0 to 1: how likely it is that the task is about it. */
  confidence: number
  /** The section that says most about the task. */
  section?: SectionHit
}

/** What is known of a pack before its text is read. */
interface PackCard {
  root: string
  manifest: { name: string; description: string }
}

/** The number of sections of a pack, and how many of them contain a stem. */
export interface PackWords {
  size: number
  holders(term: string): number
}

/** For callers that were not asked about packs: below this confidence a pack is not worth its room. */
export const LIKELY_PACK = 0.5

/** A description that certainly matches adds this share to the best section of its pack. */
const DESCRIBED = 0.5
/** A second pack needs this share of the first one's score, or a description that is likely to fit. */
const CLOSE = 0.6

/** The packs of the sections and descriptions that match best, best first, at most three. */
export function likelyPacks<Pack extends PackCard>(
  packs: readonly Pack[],
  words: TaskWords,
  hits: readonly SectionHit[],
  described: ReadonlyMap<string, { confidence: number }>,
  wordsOf: (root: string) => PackWords | undefined,
): LikelyPack<Pack>[] {
  const best = new Map<string, SectionHit>()
  for (const hit of hits) if (!best.has(hit.root)) best.set(hit.root, hit)
  const top = hits[0]?.score ?? 1
  const judged = packs.flatMap((pack, at) => {
    const section = best.get(pack.root)
    const card = described.get(pack.manifest.name)?.confidence ?? 0
    const score = section === undefined ? card * top : section.score * (1 + DESCRIBED * card)
    return score === 0 ? [] : [{ pack, section, score, card, at }]
  })
  judged.sort((a, b) => b.score - a.score || a.at - b.at)
  return judged
    .filter(({ score, card }) => score >= CLOSE * (judged[0]?.score ?? 0) || card >= LIKELY_PACK)
    .slice(0, 3)
    .map(({ pack, section, card }) => {
      const own = section && wordsOf(pack.root)
      const confidence = Math.max(card, own ? aboutness(pack, words, section, own) : 0)
      return { pack, confidence, section }
    })
}

// The share of all texts that contain a word, by its kind. Guesses: five times more or less gives similar results.
const HELD_BY = { everyday: 0.05, work: 0.02, other: 0.0015 }
/** Assumed number of other texts beside the sections of a pack, so that few sections give little evidence. */
const IMAGINED = 5
const STRONGEST = 5
const WEAKEST = -1.5
const UNSAID = -0.7

/**
 * How likely it is that a task is about a pack: by how much more often the pack has the words of its section and its
 * description than any other text. Weights from 64 questions to packs and 150 tasks about other things.
 */
function aboutness({ manifest }: PackCard, words: TaskWords, section: SectionHit, own: PackWords): number {
  if (!section.terms.some((term) => words.get(term) === 1)) return 0
  const said = new Set([...section.terms, ...termsOf(`${manifest.name} ${manifest.description}`)])
  let evidence = 0
  for (const [word, weight] of words) {
    if (!said.has(word)) {
      evidence += weight * UNSAID
      continue
    }
    const isWork = isWorkWord(word) || /^\d+$/.test(word)
    const usual = weight < 1 ? HELD_BY.everyday : isWork ? HELD_BY.work : HELD_BY.other
    const holders = Math.max(1, own.holders(word)) + IMAGINED * usual
    evidence += Math.min(STRONGEST, Math.max(WEAKEST, Math.log(holders / (own.size + IMAGINED) / usual)))
  }
  return 1 / (1 + Math.exp(1.6 - 0.22 * evidence))
}
