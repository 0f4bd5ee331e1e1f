// A hit is judged by its score over the square root of what the task could have given (cosine-like: a long task gives
// more by chance). On development data this one number told right from wrong hits as well as any set of numbers tried,
// and in libraries of 2 to 474 documents alike. docs/ranking.md tells how the constants and the threshold were chosen.

/** Fit at which a hit is right in half of the cases. */
export const HALFWAY = 1.6
export const STEEPNESS = 3.8

/** Below this confidence of the best hit the ranker stays silent. One value for every library. */
export const SILENCE = 0.1

export function confidenceOf(score: number, mass: number): number {
  if (score <= 0 || mass <= 0) return 0
  const fit = score / Math.sqrt(mass)
  return 1 / (1 + (HALFWAY / fit) ** STEEPNESS)
}
