import type { SlotTable, TermIndex } from './term-index.ts'
import type { Tuning } from './tuning.ts'
import { isEveryday } from './word-lists.ts'

const MAX_CACHED = 50_000

/** How rare a term is in the library, smoothed by an assumed background of other documents. */
export class Rarity {
  private readonly cached = new Map<string, { holders: number; rarity: number }>()

  private readonly index: TermIndex
  private readonly slots: SlotTable
  private readonly tuning: Tuning

  constructor(index: TermIndex, slots: SlotTable, tuning: Tuning) {
    this.index = index
    this.slots = slots
    this.tuning = tuning
  }

  /** Call this after documents were added or removed. */
  forget(): void {
    this.cached.clear()
  }

  of(term: string): number {
    return this.look(term).rarity
  }

  /** Whether any document of the library contains the term. */
  knows(term: string): boolean {
    return this.look(term).holders > 0
  }

  private look(term: string): { holders: number; rarity: number } {
    const known = this.cached.get(term)
    if (known !== undefined) return known
    if (this.cached.size >= MAX_CACHED) this.cached.clear()
    const holders = this.holders(term)
    const found = { holders, rarity: this.rarity(term, holders) }
    this.cached.set(term, found)
    return found
  }

  private rarity(term: string, own: number): number {
    const { backgroundSize, everydayShare } = this.tuning
    const background = backgroundSize * everydayShare
    const holders = own + (background > 0 && isEveryday(term) ? background : 0)
    const others = this.slots.size + backgroundSize - holders
    return Math.log(1 + (others + 0.5) / (holders + 0.5))
  }

  private holders(term: string): number {
    const list = this.index.find(term) ?? []
    let count = 0
    for (let i = 0; i < list.length; i += 2) if (this.slots.targets[list[i]!] === list[i]) count++
    return count
  }
}
