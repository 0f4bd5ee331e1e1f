import { firstId } from './readings.ts'

/**
 * Numbers the terms of one library: counting with numbers is several times faster than with strings. A pair of
 * neighbouring words gets a number from the numbers of its words, so its text is built only when somebody asks for it.
 */
export class Lexicon {
  private readonly numbers = new Map<string, number>()
  private readonly texts: string[] = []
  // Of a pair: the numbers of its words. Of a single term: SINGLE and its place in `texts`.
  private firsts = new Int32Array(START_ROOM)
  private seconds = new Int32Array(START_ROOM)
  // Open addressing. A cell is three integers: both words and the pair's number + 1; 0 there is free.
  private cells = new Int32Array(CELL * 2 * START_ROOM)
  private pairs = 0
  private count = 0
  // Id of a part, from the first one on → number + 1.
  private byId = new Int32Array(0)
  private firstId = firstId()

  get size(): number {
    return this.count
  }

  /** `id`: that of the part the term was read from, a short cut; less than zero when it has none. */
  numberOf(term: string, id = -1): number {
    if (id < this.firstId) return this.look(term)
    if (id - this.firstId >= this.byId.length) this.makeRoom(id)
    const place = id - this.firstId
    const known = this.byId[place]!
    if (known !== 0) return known - 1
    const number = this.look(term)
    this.byId[place] = number + 1
    return number
  }

  numberOfPair(first: number, second: number): number {
    const cell = this.cellOf(first, second)
    const known = this.cells[cell + 2]!
    if (known !== 0) return known - 1
    const number = this.push(first, second)
    this.fill(cell, first, second, number)
    if (2 * CELL * ++this.pairs > this.cells.length) this.rehash()
    return number
  }

  textOf(number: number): string {
    const first = this.firsts[number]!
    const second = this.seconds[number]!
    return first === SINGLE ? this.texts[second]! : pairOf(this.textOf(first), this.textOf(second))
  }

  private look(term: string): number {
    const known = this.numbers.get(term)
    if (known !== undefined) return known
    const number = this.push(SINGLE, this.texts.length)
    this.texts.push(term)
    this.numbers.set(term, number)
    return number
  }

  private makeRoom(id: number): void {
    // Ids that are no longer given out need no room.
    if (this.firstId !== firstId()) this.byId = new Int32Array(0)
    this.firstId = firstId()
    const larger = new Int32Array(Math.max(START_ROOM, 2 * (id - this.firstId)))
    larger.set(this.byId)
    this.byId = larger
  }

  private push(first: number, second: number): number {
    if (this.count === this.firsts.length) {
      this.firsts = enlarge(this.firsts)
      this.seconds = enlarge(this.seconds)
    }
    this.firsts[this.count] = first
    this.seconds[this.count] = second
    return this.count++
  }

  private cellOf(first: number, second: number): number {
    const { cells } = this
    const mask = cells.length / CELL - 1
    const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b)
    for (let place = (mixed ^ (mixed >>> 15)) & mask; ; place = (place + 1) & mask) {
      const cell = CELL * place
      if (cells[cell + 2] === 0 || (cells[cell] === first && cells[cell + 1] === second)) return cell
    }
  }

  private fill(cell: number, first: number, second: number, number: number): void {
    this.cells[cell] = first
    this.cells[cell + 1] = second
    this.cells[cell + 2] = number + 1
  }

  private rehash(): void {
    this.cells = new Int32Array(this.cells.length * 2)
    for (let number = 0; number < this.count; number++) {
      const first = this.firsts[number]!
      const second = this.seconds[number]!
      if (first !== SINGLE) this.fill(this.cellOf(first, second), first, second, number)
    }
  }
}

/** Pairs of neighbouring words are terms too: "pull request" is more than "pull" and "request". */
export function pairOf(first: string, second: string): string {
  return `${first} ${second}`
}

const SINGLE = -1
const CELL = 3
const START_ROOM = 1 << 10

function enlarge(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}
