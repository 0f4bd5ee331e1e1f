import { type Analysis, analyze, type FieldedText } from './analyze.ts'
import type { RankDocument } from './document.ts'
import { Lexicon } from './lexicon.ts'
import type { TermKind } from './readings.ts'
import { type CompiledTerms, pack, SlotTable, TermIndex } from './term-index.ts'
import { MAX_TEXT, visitTerms } from './tokens.ts'
import type { Field, Tuning } from './tuning.ts'

const ROOM_FOR_TERMS = 1 << 12

/** Collects the postings of a whole library in one array and sorts them by term at the end. */
class TermCompiler {
  readonly lexicon = new Lexicon()
  // A flat list of triples: term, slot, packed posting.
  private log = new Uint32Array(3 * ROOM_FOR_TERMS)
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

const NO_TERM = -1
const START_ROOM = 1 << 10

/** Weighs the terms of one text after another. */
export class Weigher {
  private readonly lexicon: Lexicon
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

  constructor(lexicon: Lexicon, tuning: Tuning) {
    this.lexicon = lexicon
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

/** A library ready to rank: its documents, and the postings of their slots. */
export interface Library {
  readonly slots: SlotTable
  readonly index: TermIndex
}

export function compileLibrary(documents: readonly RankDocument[], tuning: Tuning): Library {
  const compiler = new TermCompiler()
  const weigher = new Weigher(compiler.lexicon, tuning)
  const slots = new SlotTable()
  let slot = 0
  const append = (term: number, packed: number) => compiler.append(term, slot, packed)
  for (const document of documents) {
    const { record, texts, factor } = analyze(document, tuning.fields)
    slots.add(record)
    for (const text of texts) {
      weigher.visit(text, factor, append)
      slot++
    }
  }
  return { slots, index: new TermIndex(compiler.compile()) }
}

/** Writes one text to each slot from `first` on. */
export function appendTexts({ texts, factor }: Analysis, first: number, tuning: Tuning, index: TermIndex): void {
  const lexicon = new Lexicon()
  const weigher = new Weigher(lexicon, tuning)
  texts.forEach((text, i) => {
    weigher.visit(text, factor, (term, packed) => index.append(lexicon.textOf(term), first + i, packed))
  })
}
