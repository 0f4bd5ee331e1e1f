/** The same numbers for the same seed, everywhere. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }

  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('')
  }

  digits(length: number): string {
    return this.text(length, '0123456789')
  }

  hex(length: number): string {
    return this.text(length, '0123456789abcdef')
  }

  /** Letters and digits, at least one of each. */
  letters(length: number): string {
    const body = this.text(length - 2, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
    return `${this.text(1, 'abcdefgh')}${body}${this.digits(1)}`
  }
}
