import type { Code, Finding } from '../../../text/trouble.ts'
import type { Candidate, Omission } from '../bundle.ts'

/** A source that could not give what it should. The bundle goes on without it. */
export interface Degradation {
  /** `tactical`, or `adapter:<id>`. */
  source: string
  code: Code
  reason: string
}

/** What a source of advice has to offer: notes, or the items of an adapter. */
export interface OptionalSlice {
  candidates: Candidate[]
  omitted: Omission[]
  warnings: Finding[]
  degraded: Degradation[]
}

/** Naming more of what was left out than this would itself need a budget. */
const MOST_NAMED = 20

/** The first of what was left out by name, and the number of the others. */
export function nameFew(omitted: readonly Omission[], rest: (count: number) => Omission): Omission[] {
  if (omitted.length <= MOST_NAMED) return [...omitted]
  return [...omitted.slice(0, MOST_NAMED), rest(omitted.length - MOST_NAMED)]
}
