import type { Candidate, Omission } from '../candidate.ts'
import { SOURCE_CLASSES, type SourceClass } from '../source-class.ts'
import { type Filling, type FillRules, fillEvenly, fillInOrder, type Placed, wantedSize } from './fill.ts'
import { type Configured, type Limits, partsOf, placesOf, sharesOf } from './limits.ts'

/** Why a candidate behind the last place is left out. */
export const NO_PLACE = 'the bundle has no place for more files'

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
  const places = placesFor(slices, limits, configured)
  const taken = (each: SourceClass) => slices[each].slice(0, places[each])
  const room = roomOf(taken, Math.max(0, space), limits, configured, rules)
  const placed: Placed[] = []
  const omitted: Omission[] = []
  const partitions: Record<string, PartitionUse> = {}
  let isShortened = false
  for (const each of SOURCE_CLASSES) {
    const fill = each === 'control_plane' ? fillEvenly : fillInOrder
    const filling: Filling = fill(taken(each), room[each], rules)
    placed.push(...filling.placed)
    const crowded = slices[each].slice(places[each])
    omitted.push(
      ...filling.left.map((candidate) => leftOut(candidate, 'no room was left in its part of the budget')),
      ...crowded.map((candidate) => leftOut(candidate, NO_PLACE)),
    )
    partitions[each] = { max: room[each], used: filling.used, dropped: filling.left.length + crowded.length }
    isShortened ||= filling.isShortened
  }
  return { placed, omitted, partitions: partitions as Assembly['partitions'], isShortened }
}

/** Places do not depend on the space: who has one keeps it when the space grows. */
export function placesFor(slices: Slices, { maxFiles }: Limits, configured: Configured): Record<SourceClass, number> {
  const counts = { control_plane: 0, task: 0, tactical: 0, adapter: 0 }
  for (const each of SOURCE_CLASSES) counts[each] = slices[each].length
  return placesOf(counts, maxFiles, configured)
}

/**
 * Shares, and what flows on to later classes: only what an earlier one can never use, so that a shortened excerpt never
 * makes room for another class.
 */
function roomOf(
  taken: (each: SourceClass) => readonly Candidate[],
  space: number,
  { partitions }: Limits,
  configured: Configured,
  rules: FillRules,
): Record<SourceClass, number> {
  const shares = sharesOf(space, partitions, configured)
  const unused = (each: SourceClass, room: number) => Math.max(0, room - wantedSize(taken(each), rules))
  const task = shares.task + unused('control_plane', shares.control_plane)
  const parts = partsOf(unused('task', task), partitions, configured)
  return {
    control_plane: shares.control_plane,
    task,
    tactical: shares.tactical + parts.tactical,
    adapter: shares.adapter + parts.adapter,
  }
}

function leftOut({ path, sourceClass }: Candidate, detail: string): Omission {
  return { path, sourceClass, reason: 'budget', detail }
}
