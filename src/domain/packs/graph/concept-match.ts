import { termsOf } from '../../routing/rank/tokens.ts'
import type { TaskWords } from '../task-words.ts'
import type { Concept } from './ontology-records.ts'

interface Match {
  concept: Concept
  words: ReadonlySet<string>
  weight: number
  /** The task holds every word of its label, or of an alias. */
  isNamed: boolean
}

/** What a concept must weigh beside the best one, unless the task names it in full. */
const LEAST_OF_BEST = 0.5

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
    const isClose = match.weight >= LEAST_OF_BEST * matches[0]!.weight
    if (match.isNamed || (isClose && !chosen.some((better) => explainsMore(better, match)))) chosen.push(match)
  }
  return chosen.map(({ concept }) => concept)
}

/** How much of a task some of its words weigh. */
export function weightOf(words: TaskWords, found: ReadonlySet<string>): number {
  let weight = 0
  for (const word of found) weight += words.get(word) ?? 0
  return weight
}

/** By the words themselves: a concept lists its other names, and a guess at more would be about something else. */
function matchConcept(concept: Concept, words: TaskWords): Match | undefined {
  const found = new Set<string>()
  let isNamed = false
  for (const name of [concept.label, ...concept.aliases]) {
    const terms = termsOf(name)
    const shared = terms.filter((term) => words.has(term))
    isNamed ||= shared.length > 0 && shared.length === terms.length
    for (const term of shared) found.add(term)
  }
  return found.size === 0 ? undefined : { concept, words: found, weight: weightOf(words, found), isNamed }
}

/** "relay" in a task about the relay's range is no question about its battery. */
function explainsMore(better: Match, match: Match): boolean {
  return better.words.size > match.words.size && [...match.words].every((word) => better.words.has(word))
}
