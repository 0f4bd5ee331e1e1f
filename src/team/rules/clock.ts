const HOUR = 3_600

/** Below this, what looks wrong may be the time that a request took. */
const TOLERATED_S = HOUR / 2

/**
 * By how many hours the rows of a machine are moved whose clock is wrong. They were stamped by the same clock that the
 * request states, so the difference to the server's is the error.
 */
export function hoursOff(machineSeconds: number | undefined, serverSeconds: number): number {
  if (machineSeconds === undefined || !Number.isFinite(machineSeconds)) return 0
  const off = serverSeconds - machineSeconds
  return Math.abs(off) < TOLERATED_S ? 0 : Math.max(-MOST_HOURS, Math.min(MOST_HOURS, Math.round(off / HOUR)))
}

// A century: a clock that is further off is not a clock.
const MOST_HOURS = 876_600
