import type { Why } from './document.ts'
import { fieldOf, fullImpact, strongImpact } from './posting.ts'
import type { Query } from './query.ts'
import type { Evidence, Scorer } from './scorer.ts'
import type { SlotTable } from './slot-table.ts'
import { postingAt } from './term-index.ts'
import { FIELD_LABELS, FIELD_NAMES } from './tuning.ts'

/** What each word of the task added to a document's score, heaviest first; the weights add up to the score. */
export function explainScore(query: Query, slot: number, scorer: Scorer, slots: SlotTable): Why[] {
  const sources = [slot, ...slots.inbound(slot)]
  const why: Why[] = []
  for (const term of query.terms) pushBest(why, term.word, scorer.evidenceFor(term), sources)
  for (const pair of query.pairs) pushBest(why, pair.word, scorer.pairEvidence(pair), sources)
  const bonus = scorer.nameBonus(query, slot)
  if (bonus > 0) why.push({ term: slots.recordAt(slot).name, field: 'name', weight: bonus })
  return why.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
}

function pushBest(why: Why[], term: string, evidence: readonly Evidence[], sources: readonly number[]): void {
  let best: Why | null = null
  for (const { list, factor, isRelated, word } of evidence) {
    for (const source of sources) {
      const packed = postingAt(list, source)
      if (packed === undefined) continue
      const weight = factor * (isRelated ? strongImpact(packed) : fullImpact(packed))
      if (weight <= (best?.weight ?? 0)) continue
      const field = FIELD_LABELS[FIELD_NAMES[fieldOf(packed)]!]
      best = { term, field, weight, ...(isRelated ? { via: word } : {}) }
    }
  }
  if (best !== null) why.push(best)
}
