import type { CompiledTerms } from './term-index.ts'

const START_ROOM = 1 << 12

/** Collects the postings of a whole library in one array and sorts them by term at the end. */
export class TermCompiler {
  private readonly numbers = new Map<string, number>()
  private readonly counts: number[] = []
  // Term number, slot, packed; again and again.
  private log = new Uint32Array(3 * START_ROOM)
  private end = 0

  append(term: string, slot: number, packed: number): void {
    let number = this.numbers.get(term)
    if (number === undefined) {
      number = this.counts.length
      this.numbers.set(term, number)
      this.counts.push(0)
    }
    this.counts[number]!++
    if (this.end === this.log.length) this.grow()
    this.log[this.end++] = number
    this.log[this.end++] = slot
    this.log[this.end++] = packed
  }

  compile(): CompiledTerms {
    const ends = new Uint32Array(this.counts.length)
    let next = 0
    this.counts.forEach((count, number) => {
      ends[number] = next
      next += 2 * count
    })
    // Counting sort; afterwards each entry of `ends` has moved from the start of its list to its end.
    const postings = new Uint32Array(next)
    for (let i = 0; i < this.end; i += 3) {
      const number = this.log[i]!
      postings[ends[number]!++] = this.log[i + 1]!
      postings[ends[number]!++] = this.log[i + 2]!
    }
    const find = (term: string) => {
      const number = this.numbers.get(term)
      return number === undefined
        ? undefined
        : postings.subarray(ends[number]! - 2 * this.counts[number]!, ends[number])
    }
    this.log = new Uint32Array(0)
    return { terms: () => this.numbers.keys(), find }
  }

  private grow(): void {
    const larger = new Uint32Array(this.log.length * 2)
    larger.set(this.log)
    this.log = larger
  }
}
