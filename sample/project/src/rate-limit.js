const PER_MINUTE = 600
const seen = new Map()

/** A bucket for each key, which fills again by ten in a second. */
export function allow(key = 'nobody', now = Date.now()) {
  const bucket = seen.get(key) ?? { left: PER_MINUTE, at: now }
  const left = Math.min(PER_MINUTE, bucket.left + ((now - bucket.at) * PER_MINUTE) / 60_000)
  seen.set(key, { left: Math.max(0, left - 1), at: now })
  return left >= 1
}
