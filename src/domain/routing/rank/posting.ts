// One posting is one integer of 29 bits: impact without the body (12), impact with it (12), best field (4), in name (1).
// Impacts are saturated term frequencies in [0, 1), so they depend on their document alone and never need an update.

const SCALE = 4095

export function pack(strong: number, full: number, field: number, isName: boolean): number {
  return (Math.round(strong * SCALE) << 17) | (Math.round(full * SCALE) << 5) | (field << 1) | (isName ? 1 : 0)
}

export function strongImpact(packed: number): number {
  return (packed >>> 17) / SCALE
}

export function fullImpact(packed: number): number {
  return ((packed >>> 5) & SCALE) / SCALE
}

export function fieldOf(packed: number): number {
  return (packed >>> 1) & 15
}

export function isInName(packed: number): boolean {
  return (packed & 1) === 1
}

/** Slot, packed posting, slot, packed posting …, sorted by slot. */
export type PostingList = ArrayLike<number>
