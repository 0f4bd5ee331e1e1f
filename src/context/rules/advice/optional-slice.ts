import type { Code, Finding } from '../../../text/trouble.ts'
import type { Candidate, Omission } from '../bundle.ts'

/** A source that failed. The bundle is built without it. */
export interface Degradation {
  /** `tactical`, or `adapter:<id>`. */
  source: string
  code: Code
  reason: string
}

/** The candidates of a source of advice: notes, or the items of an adapter. */
export interface OptionalSlice {
  candidates: Candidate[]
  omitted: Omission[]
  warnings: Finding[]
  degraded: Degradation[]
}

/** Listing more omissions than this would itself need a budget. */
const MOST_NAMED = 20

/** The first omissions by name, and the number of the others. */
export function nameFew(omitted: readonly Omission[], rest: (count: number) => Omission): Omission[] {
  if (omitted.length <= MOST_NAMED) return [...omitted]
  return [...omitted.slice(0, MOST_NAMED), rest(omitted.length - MOST_NAMED)]
}
