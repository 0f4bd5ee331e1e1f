import { termsOf } from '../routing/rank/tokens.ts'
import type { Concept } from './ontology-records.ts'
import { type TaskWords, wordsIn } from './task-words.ts'

interface Match {
  concept: Concept
  words: ReadonlySet<string>
  weight: number
  /** The task holds every word of its label, or of an alias. */
  isNamed: boolean
}

/** The concepts a task is about, best first. */
export function matchConcepts(concepts: readonly Concept[], words: TaskWords, most: number): Concept[] {
  const matches: Match[] = []
  for (const concept of concepts) {
    const match = matchConcept(concept, words)
    if (match !== undefined) matches.push(match)
  }
  // The sort is stable: equals stay in the order of the file.
  matches.sort((a, b) => b.weight - a.weight || Number(b.isNamed) - Number(a.isNamed))
  const chosen: Match[] = []
  for (const match of matches) {
    if (chosen.length === most) break
    if (match.isNamed || !chosen.some((better) => explainsMore(better, match))) chosen.push(match)
  }
  return chosen.map(({ concept }) => concept)
}

/** How much of a task some of its words weigh. */
export function weightOf(words: TaskWords, found: ReadonlySet<string>): number {
  let weight = 0
  for (const word of found) weight += words.get(word) ?? 0
  return weight
}

function matchConcept(concept: Concept, words: TaskWords): Match | undefined {
  const names = [concept.label, ...concept.aliases]
  const found = wordsIn(words, names.join('\n'))
  if (found.size === 0) return undefined
  const isNamed = names.some((name) => heldShare(words, name) === 1)
  const weight = weightOf(words, found)
  // A word of every day, alone, is no subject; but a limit left out is worse than one too many.
  const isHalfNamed = names.some((name) => heldShare(words, name) >= 0.5)
  return weight >= 1 || isHalfNamed ? { concept, words: found, weight, isNamed } : undefined
}

/** How many of a name's words the task holds. */
function heldShare(words: TaskWords, name: string): number {
  const terms = termsOf(name)
  return terms.length === 0 ? 0 : terms.filter((term) => words.has(term)).length / terms.length
}

/** "relay" in a task about the relay's range is no question about its battery. */
function explainsMore(better: Match, match: Match): boolean {
  return better.words.size > match.words.size && [...match.words].every((word) => better.words.has(word))
}
