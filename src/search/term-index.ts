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

/** Terms compiled in one go or loaded: lists are views on one array. */
export interface CompiledTerms {
  readonly terms: () => Iterable<string>
  readonly find: (term: string) => PostingList | undefined
}

/** Term → posting list. Slots only grow, so every list is sorted by slot. */
export class TermIndex {
  // Lists that changed after compiling.
  private readonly changed = new Map<string, number[]>()

  private readonly compiled: CompiledTerms

  constructor(compiled: CompiledTerms) {
    this.compiled = compiled
  }

  find(term: string): PostingList | undefined {
    return this.changed.get(term) ?? this.compiled.find(term)
  }

  holds(term: string, slot: number): boolean {
    const list = this.find(term)
    return list !== undefined && postingAt(list, slot) !== undefined
  }

  append(term: string, slot: number, packed: number): void {
    let list = this.changed.get(term)
    if (list === undefined) {
      list = Array.from(this.compiled.find(term) ?? [])
      this.changed.set(term, list)
    }
    list.push(slot, packed)
  }

  /** Every term once, in code unit order. */
  terms(): string[] {
    const all = new Set(this.compiled.terms())
    for (const term of this.changed.keys()) all.add(term)
    return [...all].sort()
  }
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
