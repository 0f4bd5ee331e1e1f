import { parseInstant } from './instant.ts'

export interface Freshness {
  state: 'fresh' | 'stale' | 'unknown'
  /** How old the copy is, at most; null when nobody knows. */
  stalenessSeconds: number | null
}

/** Clocks of two machines differ by this much; a time further ahead is no time at all. */
const MOST_AHEAD_MS = 5 * 60_000

/**
 * How old what a tool told is: the time since it was fetched, not since the thing itself changed. Where the fetching is
 * not dated, a recent change still proves that the copy is no older.
 */
export function freshnessOf(
  { fetchedAt, updatedAt }: { fetchedAt: string | null; updatedAt: string | null },
  now: Date,
  staleAfterSeconds: number,
): Freshness {
  const age = ageOf(fetchedAt, now)
  if (age !== undefined) return { state: age > staleAfterSeconds ? 'stale' : 'fresh', stalenessSeconds: age }
  const sinceChange = fetchedAt === null ? ageOf(updatedAt, now) : undefined
  if (sinceChange === undefined || sinceChange > staleAfterSeconds) return { state: 'unknown', stalenessSeconds: null }
  return { state: 'fresh', stalenessSeconds: sinceChange }
}

function ageOf(time: string | null, now: Date): number | undefined {
  const instant = time === null ? undefined : parseInstant(time)
  const age = instant === undefined ? Number.NaN : now.getTime() - instant
  return age >= -MOST_AHEAD_MS ? Math.max(0, Math.floor(age / 1000)) : undefined
}
