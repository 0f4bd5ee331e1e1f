import type { FieldedText } from './analyze.ts'
import { Lexicon } from './lexicon.ts'
import { pack } from './postings.ts'
import type { TermKind } from './readings.ts'
import { MAX_TEXT, visitTerms } from './tokens.ts'
import type { Field, Tuning } from './tuning.ts'

const NO_TERM = -1
const START_ROOM = 1 << 10

/** Weighs the terms of one text after another. */
export class Weigher {
  /** The terms of all texts. */
  readonly lexicon = new Lexicon()
  private readonly tuning: Tuning
  // Term → its position among the terms of this text, plus 1; reset to zero after each text.
  private places = new Uint32Array(START_ROOM)
  // Indexed by position: the term, its occurrences in the current field, its weighted frequency without long fields and
  // in total, the largest contribution of a single field, and which field that is. Arrays rather than objects, because
  // this is most of the compile time.
  private terms = new Uint32Array(START_ROOM)
  private counts = new Uint32Array(START_ROOM)
  private strong = new Float64Array(START_ROOM)
  private full = new Float64Array(START_ROOM)
  private tops = new Float64Array(START_ROOM)
  private fields = new Uint8Array(START_ROOM)
  private isName = new Uint8Array(START_ROOM)
  // For a field with several pieces, the pieces that contain a term, one bit each.
  private pieces = new Uint32Array(START_ROOM)
  private piece = 0
  private size = 0
  private length = 0
  private previous = NO_TERM
  private paired = 0

  constructor(tuning: Tuning) {
    this.tuning = tuning
  }

  /** Yields every term of a text once, with its packed posting and the pieces that contain it. */
  visit(text: FieldedText, factor: number, visit: (term: number, packed: number, pieces: number) => void): void {
    for (const [field, content] of text) this.addField(field, content)
    const half = this.tuning.saturation
    for (let place = 0; place < this.size; place++) {
      const term = this.terms[place]!
      const [strong, full] = [this.strong[place]!, this.full[place]!]
      const [less, more] = [factor * (strong / (half + strong)), factor * (full / (half + full))]
      visit(term, pack(less, more, this.fields[place]!, this.isName[place] === 1), this.pieces[place]!)
      this.places[term] = 0
    }
    this.size = 0
  }

  private addField(index: number, content: string | readonly string[]): void {
    const field = this.tuning.fields[index]!
    this.count(content, this.tuning.pair === 0 ? 0 : (field.paired ?? Infinity))
    const step = stepOf(field, this.length)
    const isLong = field.isLong === true
    const isName = field.isName === true
    for (let place = 0; place < this.size; place++) {
      if (this.counts[place] === 0) continue
      const amount = step * this.counts[place]!
      this.counts[place] = 0
      this.full[place]! += amount
      if (isLong && this.strong[place]! > 0) continue
      if (!isLong) this.strong[place]! += amount
      if (isName) this.isName[place] = 1
      if (amount <= this.tops[place]!) continue
      this.tops[place] = amount
      this.fields[place] = index
    }
  }

  // Only the first `paired` words form pairs.
  private count(content: string | readonly string[], paired: number): void {
    this.length = 0
    this.previous = NO_TERM
    this.paired = paired
    if (typeof content === 'string') this.read(content)
    else content.forEach(this.readPiece)
    this.piece = 0
  }

  private readonly readPiece = (content: string, at: number): void => {
    this.piece = 1 << at
    this.read(content)
  }

  private read(content: string): void {
    for (let at = 0; at < content.length; at += MAX_TEXT) visitTerms(content.slice(at, at + MAX_TEXT), this.countTerm)
  }

  private readonly countTerm = (text: string, kind: TermKind, _word: string, id: number): void => {
    if (kind === 'stop') return
    const term = this.lexicon.numberOf(text, id)
    this.countOne(term)
    if (kind === 'joined') return
    if (++this.length <= this.paired && this.previous !== NO_TERM) {
      this.countOne(this.lexicon.numberOfPair(this.previous, term))
    }
    this.previous = term
  }

  private countOne(term: number): void {
    if (term >= this.places.length) this.places = enlarge(this.places, new Uint32Array(2 * this.lexicon.size))
    const place = this.places[term]!
    if (place === 0) this.open(term)
    else {
      this.counts[place - 1]!++
      this.pieces[place - 1]! |= this.piece
    }
  }

  private open(term: number): void {
    if (this.size === this.terms.length) this.grow()
    const place = this.size++
    this.places[term] = place + 1
    this.terms[place] = term
    this.counts[place] = 1
    this.strong[place] = 0
    this.full[place] = 0
    this.tops[place] = 0
    this.fields[place] = 0
    this.isName[place] = 0
    this.pieces[place] = this.piece
  }

  private grow(): void {
    const room = 2 * this.terms.length
    this.terms = enlarge(this.terms, new Uint32Array(room))
    this.counts = enlarge(this.counts, new Uint32Array(room))
    this.strong = enlarge(this.strong, new Float64Array(room))
    this.full = enlarge(this.full, new Float64Array(room))
    this.tops = enlarge(this.tops, new Float64Array(room))
    this.fields = enlarge(this.fields, new Uint8Array(room))
    this.isName = enlarge(this.isName, new Uint8Array(room))
    this.pieces = enlarge(this.pieces, new Uint32Array(room))
  }
}

// The weight of one occurrence in a field of this length.
function stepOf({ weight, norm, length: usual }: Field, length: number): number {
  return weight / (1 - norm + (norm * length) / usual)
}

function enlarge<T extends Uint8Array | Uint32Array | Float64Array>(array: T, larger: T): T {
  larger.set(array)
  return larger
}
