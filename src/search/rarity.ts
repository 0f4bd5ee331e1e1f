import type { Library } from './library.ts'
import { fieldOf, postingAt } from './term-index.ts'
import type { Tuning } from './tuning.ts'
import { isEveryday } from './word-lists.ts'

const MAX_CACHED = 50_000

/** How rare a term is in all libraries together, smoothed by an assumed background of other documents. */
export class Rarity {
  private readonly cached = new Map<string, { holders: number; rarity: number }>()

  private readonly libraries: readonly Library[]
  private readonly tuning: Tuning

  constructor(libraries: readonly Library[], tuning: Tuning) {
    this.libraries = libraries
    this.tuning = tuning
  }

  of(term: string): number {
    return this.look(term).rarity
  }

  /** How many documents contain the term. */
  holders(term: string): number {
    return this.look(term).holders
  }

  private look(term: string): { holders: number; rarity: number } {
    const known = this.cached.get(term)
    if (known !== undefined) return known
    if (this.cached.size >= MAX_CACHED) this.cached.clear()
    const holders = this.count(term)
    const found = { holders, rarity: this.rarity(term, holders) }
    this.cached.set(term, found)
    return found
  }

  private rarity(term: string, own: number): number {
    const { backgroundSize, everydayShare } = this.tuning
    const background = backgroundSize * everydayShare
    const holders = own + (background > 0 && isEveryday(term) ? background : 0)
    const size = this.libraries.reduce((sum, { slots }) => sum + slots.size, 0)
    const others = size + backgroundSize - holders
    return Math.log(1 + (others + 0.5) / (holders + 0.5))
  }

  private count(term: string): number {
    let count = 0
    for (const { index, slots } of this.libraries) {
      const list = index.find(term) ?? []
      for (let i = 0; i < list.length; i += 2) {
        const target = slots.targets[list[i]!]!
        const isExample = this.tuning.fields[fieldOf(list[i + 1]!)]?.isApart === true
        if (target === list[i] || (isExample && target >= 0 && postingAt(list, target) === undefined)) count++
      }
    }
    return count
  }
}
