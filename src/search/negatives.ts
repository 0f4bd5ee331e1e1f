import type { Rarity } from './rarity.ts'
import type { Query } from './task.ts'

// Share of rarity two prompts must have in common to count as the same request.
const SAME = 0.7

/** Whether the task repeats, perhaps in other words, a prompt that the document must not match. */
export function matchesNegative(query: Query, negatives: readonly (readonly string[])[], rarity: Rarity): boolean {
  if (negatives.length === 0) return false
  const asked = query.terms.filter(({ isJoined }) => !isJoined).map(({ term }) => term)
  const askedMass = massOf(asked, rarity)
  return negatives.some((negative) => {
    const shared = asked.filter((term) => negative.includes(term))
    return shared.length > 0 && massOf(shared, rarity) >= SAME * Math.max(askedMass, massOf(negative, rarity))
  })
}

function massOf(terms: readonly string[], rarity: Rarity): number {
  return terms.reduce((mass, term) => mass + rarity.of(term), 0)
}
