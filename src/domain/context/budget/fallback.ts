import type { FallbackAttempt } from '../bundle.ts'
import { type Assembly, placesFor, type Slices } from './assemble.ts'
import type { Configured, Limits } from './limits.ts'

type Level = FallbackAttempt['level']

interface Ladder {
  limits: Limits
  slices: Slices
  configured: Configured
  mayBeUnrestricted: boolean
}

/** However much is asked for. */
const CEILING = { maxFiles: 200, maxCharsPerFile: 20_000, total: 400_000 }

/**
 * The asked limits; twice as many files of twice the length when a slice came out empty; more only if it was allowed.
 * The wider limits are taken if they give that slice a place, at any total: were it a matter of room, a slightly larger
 * total could give a smaller bundle.
 */
export function descend<Tried extends Assembly>(
  { limits, slices, configured, mayBeUnrestricted }: Ladder,
  assembleWithin: (limits: Limits) => Tried,
): { level: Level; attempts: FallbackAttempt[]; assembly: Tried; limits: Limits } {
  const attempts: FallbackAttempt[] = []
  const attempt = (level: Level, wider: Limits) => {
    const assembly = assembleWithin(wider)
    attempts.push(describeAttempt(level, wider, slices, assembly))
    return { level, assembly, limits: wider }
  }
  let found = attempt('restricted', limits)
  if (emptySlice(slices, found.assembly) !== undefined) {
    const relaxed = attempt('relaxed', twice(limits))
    const [before, after] = [placesFor(slices, limits, configured), placesFor(slices, relaxed.limits, configured)]
    if (GROUNDS.some((each) => before[each] === 0 && after[each] > 0)) found = relaxed
  }
  if (mayBeUnrestricted && found.assembly.omitted.length > 0) found = attempt('unrestricted', atLeast(limits, CEILING))
  return { ...found, attempts }
}

/** What no attempt goes beyond. */
export function widestLimits(limits: Limits, mayBeUnrestricted: boolean): Limits {
  return mayBeUnrestricted ? atLeast(limits, CEILING) : twice(limits)
}

/** In a total of the same size. */
function twice(limits: Limits): Limits {
  return atLeast(limits, {
    maxFiles: Math.min(2 * limits.maxFiles, CEILING.maxFiles),
    maxCharsPerFile: Math.min(2 * limits.maxCharsPerFile, CEILING.maxCharsPerFile),
    total: limits.total,
  })
}

/** Nobody gets less than was asked for. */
function atLeast(limits: Limits, { maxFiles, maxCharsPerFile, total }: typeof CEILING): Limits {
  return {
    ...limits,
    maxFiles: Math.max(limits.maxFiles, maxFiles),
    maxCharsPerFile: Math.max(limits.maxCharsPerFile, maxCharsPerFile),
    total: Math.max(limits.total, total),
  }
}

const GROUNDS = ['control_plane', 'task'] as const

/** Which of the slices that matter most has candidates and got no place. */
function emptySlice(slices: Slices, { placed }: Assembly): 'control_plane' | 'task' | undefined {
  return GROUNDS.find(
    (each) => slices[each].length > 0 && !placed.some(({ candidate }) => candidate.sourceClass === each),
  )
}

function describeAttempt(level: Level, limits: Limits, slices: Slices, assembly: Assembly): FallbackAttempt {
  const empty = emptySlice(slices, assembly)
  const reason = empty === undefined ? 'every slice with candidates has a file' : `the ${empty} slice came out empty`
  return { level, limits: limitsOf(limits), success: empty === undefined, reason }
}

export function limitsOf({ maxFiles, maxCharsPerFile, total }: Limits) {
  return { max_files: maxFiles, max_chars_per_file: maxCharsPerFile, total }
}
