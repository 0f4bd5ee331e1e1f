import type { Candidate, Omission } from './candidate.ts'
import { type Filling, type FillRules, fillEvenly, fillInOrder, type Placed, wantedSize } from './fill.ts'
import { type Configured, type Limits, placesOf, sharesOf } from './limits.ts'
import { SOURCE_CLASSES, type SourceClass } from './source-class.ts'

export type Slices = Readonly<Record<SourceClass, readonly Candidate[]>>

/** The room of one class, and what became of it. */
export interface PartitionUse {
  max: number
  used: number
  dropped: number
}

export interface Assembly {
  placed: readonly Placed[]
  omitted: readonly Omission[]
  partitions: Readonly<Record<SourceClass, PartitionUse>>
  /** The control plane did not fit, and was shortened. */
  isShortened: boolean
}

/**
 * Puts candidates into the space that is left beside the frame. Laws, tested as such: nothing is over a limit; a
 * smaller space never gives more; a later class takes nothing from an earlier one.
 */
export function assemble(
  slices: Slices,
  space: number,
  limits: Limits,
  configured: Configured,
  rules: FillRules,
): Assembly {
  const shares = sharesOf(Math.max(0, space), limits.partitions, configured)
  const counts = { control_plane: 0, task: 0, tactical: 0, adapter: 0 }
  for (const each of SOURCE_CLASSES) counts[each] = slices[each].length
  const places = placesOf(counts, limits.maxFiles)
  const placed: Placed[] = []
  const omitted: Omission[] = []
  const partitions: Record<string, PartitionUse> = {}
  let isShortened = false
  // Only what an earlier class can never use flows on, so that a shortened excerpt never makes room for another class.
  let flowing = 0
  for (const each of SOURCE_CLASSES) {
    const max = shares[each] + flowing
    const taken = slices[each].slice(0, places[each])
    const fill = each === 'control_plane' ? fillEvenly : fillInOrder
    const filling: Filling = fill(taken, max, rules)
    placed.push(...filling.placed)
    const crowded = slices[each].slice(places[each])
    omitted.push(
      ...filling.left.map((candidate) => leftOut(candidate, 'no room was left in its part of the budget')),
      ...crowded.map((candidate) => leftOut(candidate, 'the bundle has no place for more files')),
    )
    partitions[each] = { max, used: filling.used, dropped: filling.left.length + crowded.length }
    isShortened ||= filling.isShortened
    flowing = Math.max(0, max - wantedSize(slices[each], rules))
  }
  return { placed, omitted, partitions: partitions as Assembly['partitions'], isShortened }
}

function leftOut({ path, sourceClass }: Candidate, detail: string): Omission {
  return { path, sourceClass, reason: 'budget', detail }
}
