import type { DocumentRecord, Field, RankDocument, Tuning } from './document.ts'
import { pack } from './saved-library.ts'
import { enlarge, firstId, MAX_TEXT, type TermKind, termsOf, visitTerms } from './tokens.ts'
import { STOP_WORDS } from './word-lists.ts'

/** A topic that the author refers to another document: "for X use other". */
interface Redirect {
  readonly to: string
  readonly topic: string
  /** The sentence says explicitly that the topic is not this document's ("not for X; use other"). */
  readonly isDenied: boolean
}

/** The parts of a description: its first statement, the rest, and redirected topics. Refused topics are left out. */
export interface Clauses {
  readonly lead: string
  readonly rest: string
  readonly redirects: readonly Redirect[]
}

const UNEVEN_BLANKS = /[^\S ]| {2}/
const DENIAL =
  /^[*_`(]*(?:this (?:skill|tool) )?(?:is )?(?:not (?:for|when|to be used)|(?:do not|don't|never|does not|doesn't) (?:use|trigger|apply|invoke|activate|cover|handle|edit)|skip|avoid|out of scope|excludes?|unsuitable)\b/i
const LATE_DENIAL = /(?:^|[ (\u2014\u2013,-])(?:NOT (?:for|to|when)|not for)\b/
const HANDOVER =
  /(?:(?:\u2192|->|=>) ?|\b(?:use|see|prefer|switch to|go to|belongs? to|route to|defer to|covered by) (?:the )?)[`'"*/]*((?:[A-Za-z0-9]+:)?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*)([ \w/]?)/g
const ALSO = /(?:,|,? or|,? and) [`'"*/]*([A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+)/y
const TOPIC_START = /(?:^|[\u2014\u2013(:,] ?)(?:for|to|if|when|not for)\b/gi

export function readClauses(description: string): Clauses {
  const text = { lead: '', rest: '' }
  const redirects: Redirect[] = []
  // A refusal continues after a semicolon: "not for X; use other".
  let refused = ''
  let isFirst = true
  for (const sentence of splitSentences(description)) {
    const isDenied: boolean = DENIAL.test(sentence) || refused !== ''
    const own = takeRedirects(sentence, isDenied, refused, redirects)
    if (!isDenied) text[isFirst ? 'lead' : 'rest'] += ` ${own}`
    refused = isDenied && sentence.endsWith(';') ? sentence : ''
    isFirst = false
  }
  return { ...text, redirects }
}

function splitSentences(description: string): string[] {
  const sentences: string[] = []
  for (const line of description.slice(0, 20_000).split('\n')) {
    const text = UNEVEN_BLANKS.test(line) ? line.replace(/\s+/g, ' ') : line
    let start = 0
    for (let blank = text.indexOf(' ', 1); blank > 0; blank = text.indexOf(' ', blank + 1)) {
      if (!'.!?;'.includes(text[blank - 1]!)) continue
      pushSentence(sentences, text.slice(start, blank))
      start = blank + 1
    }
    pushSentence(sentences, text.slice(start))
  }
  return sentences
}

function pushSentence(sentences: string[], sentence: string): void {
  if (sentence !== '' && sentence !== ' ') sentences.push(sentence)
}

interface Handover {
  readonly to: readonly string[]
  readonly start: number
  readonly end: number
}

// Moves the topics of a sentence to the documents it names and returns the remaining text.
function takeRedirects(sentence: string, isDenied: boolean, refused: string, redirects: Redirect[]): string {
  let own = ''
  let topic = refused
  let from = 0
  for (const handover of findHandovers(sentence)) {
    const segment = sentence.slice(from, handover.start)
    // "Covers A — for B, " belongs to this document up to the dash.
    let split = 0
    if (!isDenied) for (const match of segment.matchAll(TOPIC_START)) split = match.index
    if (/\w{3}/.test(segment.slice(split))) topic = segment.slice(split)
    own += ` ${segment.slice(0, split)}`
    for (const to of handover.to) redirects.push({ to, topic, isDenied })
    from = handover.end
  }
  const rest = sentence.slice(from)
  return own + rest.slice(0, LATE_DENIAL.exec(rest)?.index)
}

function findHandovers(sentence: string): Handover[] {
  const found: Handover[] = []
  for (const match of sentence.matchAll(HANDOVER)) {
    const [whole, target = '', next = ''] = match
    const isCompound = /[-_]/.test(target)
    // A single word is a name only where the clause ends with it: "see emails." but not "see how it works".
    if (!isCompound && (next !== '' || /^[\u2192=-]/.test(whole))) continue
    const to = target.slice(target.indexOf(':') + 1).toLowerCase()
    if (STOP_WORDS.has(to)) continue
    const end = match.index + whole.length - next.length
    const others = readOthers(sentence, end)
    found.push({ to: [to, ...others.names], start: match.index, end: others.end })
  }
  return found
}

// "use a-b, c-d or e-f"
function readOthers(sentence: string, from: number): { names: string[]; end: number } {
  const names: string[] = []
  let end = from
  for (;;) {
    ALSO.lastIndex = end
    const name = ALSO.exec(sentence)?.[1]
    if (name === undefined) return { names, end }
    names.push(name.toLowerCase())
    end = ALSO.lastIndex
  }
}

/** The parts of a document: what the ranker stores of it, and one text per slot. */
export interface Analysis {
  readonly record: DocumentRecord
  /** The document's own text, then the topics of its redirects, then its examples. */
  readonly texts: readonly FieldedText[]
  readonly factor: number
}

/** Each field in the order of the table, with its text in one piece or several. */
export type FieldedText = readonly (readonly [field: number, content: string | readonly string[]])[]

/** The name under which a document keeps its examples as a topic of its own. No document has this name. */
export const TAUGHT = '\n'

export function analyze(document: RankDocument, fields: readonly Field[]): Analysis {
  const clauses = readClauses(document.description ?? '')
  const name = document.name.toLowerCase()
  const redirects = clauses.redirects.filter(({ to }) => to !== name)
  const examples = joinLines(document.examples)
  const topics = redirects.map(({ topic }) => new Map([['redirect', topic]]))
  if (examples !== '') {
    redirects.push({ to: TAUGHT, topic: '', isDenied: false })
    topics.push(new Map([['examples', examples]]))
  }
  const own = new Map(Object.entries(document.fields ?? {}))
  const put = (field: string, content: string) => void (content !== '' && own.set(field, content))
  put('name', document.name)
  put('keywords', joinLines(document.keywords))
  put('lead', clauses.lead)
  put('rest', clauses.rest)
  put('headings', joinLines(document.headings))
  // Longer bodies were not measured; the first pages show what a document is about.
  put('body', (document.body ?? '').slice(0, 4_000))
  return {
    record: {
      id: document.id,
      name: document.name,
      tokens: document.tokens ?? 0,
      negatives: (document.negatives ?? []).map(termsOf),
      redirects: redirects.map(({ to, isDenied }) => ({ to, isDenied })),
      kept: document.kept,
    },
    texts: [own, ...topics].map((text) =>
      fields.flatMap(({ name }, at) => {
        const content = text.get(name)
        return content === undefined ? [] : [[at, content] as const]
      }),
    ),
    factor: Math.min(1, Math.max(0, document.factor ?? 1)),
  }
}

function joinLines(lines: readonly string[] = []): string {
  return lines.length === 0 ? '' : lines.join('\n')
}

/**
 * Numbers the terms of one library: counting with numbers is several times faster than with strings. A pair of
 * neighbouring words gets a number from the numbers of its words, so its text is built only on request.
 */
export class Lexicon {
  private readonly numbers = new Map<string, number>()
  private readonly texts: string[] = []
  // Of a pair: the numbers of its words. Of a single term: SINGLE and its place in `texts`.
  private firsts = new Int32Array(FIRST_TERMS)
  private seconds = new Int32Array(FIRST_TERMS)
  // Open addressing. A cell is three integers: both words and the pair's number + 1; 0 there is free.
  private cells = new Int32Array(CELL * 2 * FIRST_TERMS)
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
    const larger = new Int32Array(Math.max(FIRST_TERMS, 2 * (id - this.firstId)))
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
const FIRST_TERMS = 1 << 10

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
    // The weight of one occurrence in a field of this length.
    const { weight, norm, length: usual } = field
    const step = weight / (1 - norm + (norm * this.length) / usual)
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
    if (term >= this.places.length) this.places = enlarge(this.places, 2 * this.lexicon.size)
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
    this.terms = enlarge(this.terms)
    this.counts = enlarge(this.counts)
    this.strong = enlarge(this.strong)
    this.full = enlarge(this.full)
    this.tops = enlarge(this.tops)
    this.fields = enlarge(this.fields)
    this.isName = enlarge(this.isName)
    this.pieces = enlarge(this.pieces)
  }
}
