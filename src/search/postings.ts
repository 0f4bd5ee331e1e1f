// One posting is one integer of 28 bits: impact without long fields (12), impact with them (12), best field (3), in name
// (1). Impacts are saturated term frequencies in [0, 1), so they depend on their document alone and never need an
// update.

const SCALE = 4095

export function pack(strong: number, full: number, field: number, isName: boolean): number {
  return (Math.round(strong * SCALE) << 16) | (Math.round(full * SCALE) << 4) | (field << 1) | (isName ? 1 : 0)
}

export function strongImpact(packed: number): number {
  return (packed >>> 16) / SCALE
}

export function fullImpact(packed: number): number {
  return ((packed >>> 4) & SCALE) / SCALE
}

export function fieldOf(packed: number): number {
  return (packed >>> 1) & 7
}

export function isInName(packed: number): boolean {
  return (packed & 1) === 1
}

/** The same posting with an impact that is this much less without long fields, in its unit. */
export function withLess(packed: number, less: number): number {
  const short = packed & 0xffff
  return (((short >>> 4) - less) << 16) | short
}

export function lessOf(packed: number): number {
  return ((packed >>> 4) & SCALE) - (packed >>> 16)
}

/** Slot, packed posting, slot, packed posting …, sorted by slot. */
export type PostingList = ArrayLike<number>

/** The postings of a term, and the pieces of each file that contain it, one bit each. */
export interface TermPostings {
  list: Uint32Array
  pieces: Uint32Array
}

/** The packed posting of a slot, or undefined. */
export function postingAt(list: PostingList, slot: number): number | undefined {
  let low = 0
  let high = (list.length >>> 1) - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = list[2 * middle]!
    if (found === slot) return list[2 * middle + 1]
    if (found < slot) low = middle + 1
    else high = middle - 1
  }
  return undefined
}
