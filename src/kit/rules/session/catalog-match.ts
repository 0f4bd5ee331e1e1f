import { readWords } from '../../../payloads/rules/words.ts'
import { setOwn } from '../../../text/values.ts'

/** Names and descriptions by their words: made once, asked at every prompt. Plain JSON. */
export interface CatalogIndex {
  size: number
  /** Words that tell nothing of a subject, with blanks between them. */
  dull: string
  /** The start of a word → those that have it: twice its place, and one more where it is in the name. */
  words: Record<string, number[]>
}

// Endings differ where words do not.
const STEM = 5

export function compileCatalog(
  items: readonly { name: string; description: string }[],
  dull: readonly string[],
): CatalogIndex {
  const index: CatalogIndex = { size: items.length, dull: dull.join(' '), words: {} }
  const isDull = new Set(dull)
  items.forEach(({ name, description }, place) => {
    const named = stemsOf(name, isDull)
    for (const stem of new Set([...named, ...stemsOf(description, isDull)])) {
      const found = Object.hasOwn(index.words, stem) ? index.words[stem]! : []
      found.push(place * 2 + (named.has(stem) ? 1 : 0))
      setOwn(index.words, stem, found)
    }
  })
  return index
}

/**
 * How well an item has to fit. Measured with questions about published skills, of which forty at a time were there: a
 * third of those that one of them answers is pointed to it, and one in twenty-five of the others is pointed anywhere.
 */
const LEAST_FIT = 1.3
const MOST_FOUND = 2
const LEAST_SHARE = 0.8

// As if there were this many more: of three items, a word that only one of them has is not yet telling.
const BACKGROUND = 10
const NAME_WEIGHT = 2

/** The places of those that a prompt is about, best first. Mostly none. */
export function findInCatalog({ size, dull, words }: CatalogIndex, prompt: string): number[] {
  const scores = new Map<number, number>()
  const rarity = (holders: number) => Math.log(1 + (size + BACKGROUND) / (holders + 0.5))
  let mass = 0
  for (const stem of stemsOf(prompt, new Set(dull.split(' ')))) {
    const holders = Object.hasOwn(words, stem) ? words[stem]! : []
    const weight = rarity(holders.length)
    mass += weight
    for (const holder of holders) {
      const place = holder >> 1
      scores.set(place, (scores.get(place) ?? 0) + weight * (holder % 2 === 1 ? NAME_WEIGHT : 1))
    }
  }
  const scale = Math.sqrt(mass * rarity(0))
  const fits = [...scores].map(([place, score]) => ({ place, fit: score / scale }))
  fits.sort((a, b) => b.fit - a.fit || a.place - b.place)
  const least = Math.max(LEAST_FIT, LEAST_SHARE * (fits[0]?.fit ?? 0))
  return fits
    .filter(({ fit }) => fit >= least)
    .slice(0, MOST_FOUND)
    .map(({ place }) => place)
}

/** Scripts without blanks are read in pairs of letters. */
function stemsOf(text: string, dull: ReadonlySet<string>): Set<string> {
  const { words, runs } = readWords(text)
  const stems = new Set<string>()
  for (const word of words) if (!dull.has(word)) stems.add(word.slice(0, STEM))
  for (const run of runs) for (let at = 0; at + 1 < run.length; at++) stems.add(run.slice(at, at + 2))
  return stems
}
