import { Lexicon } from './lexicon.ts'
import type { CompiledTerms } from './term-index.ts'

const START_ROOM = 1 << 12

/** Collects the postings of a whole library in one array and sorts them by term at the end. */
export class TermCompiler {
  readonly lexicon = new Lexicon()
  // Term, slot, packed; again and again.
  private log = new Uint32Array(3 * START_ROOM)
  private end = 0

  append(term: number, slot: number, packed: number): void {
    if (this.end === this.log.length) this.grow()
    this.log[this.end] = term
    this.log[this.end + 1] = slot
    this.log[this.end + 2] = packed
    this.end += 3
  }

  // Counting sort.
  compile(): CompiledTerms {
    const { lexicon, log, end } = this
    const starts = new Uint32Array(lexicon.size + 1)
    for (let i = 0; i < end; i += 3) starts[log[i]! + 1]! += 2
    for (let term = 0; term < lexicon.size; term++) starts[term + 1]! += starts[term]!
    const places = starts.slice()
    const postings = new Uint32Array(starts[lexicon.size]!)
    for (let i = 0; i < end; i += 3) {
      const place = places[log[i]!]!
      postings[place] = log[i + 1]!
      postings[place + 1] = log[i + 2]!
      places[log[i]!] = place + 2
    }
    this.log = new Uint32Array(0)
    const listOf = (term: number) => postings.subarray(starts[term], starts[term + 1])
    return {
      terms: () => Array.from({ length: lexicon.size }, (_, term) => lexicon.textOf(term)),
      find: (text) => {
        const term = lexicon.find(text)
        return term === undefined ? undefined : listOf(term)
      },
    }
  }

  private grow(): void {
    const larger = new Uint32Array(this.log.length * 2)
    larger.set(this.log)
    this.log = larger
  }
}
