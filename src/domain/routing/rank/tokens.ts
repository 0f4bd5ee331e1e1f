import { readSpelling, type TermKind } from './lexicon.ts'
import { stemWord } from './stem.ts'

export const SEPARATOR = 1
export const WORD = 2
/** Scripts written without blanks between words, and Hangul, whose particles stick to words: read as pairs. */
export const CJK = 3

// Filled on demand: 0 means not asked yet.
const classes = new Uint8Array(0x10000)

/** The class of the character the code unit at `at` belongs to; a lone surrogate is a separator. */
export function charClass(units: Uint16Array, at: number, end: number): number {
  const unit = units[at]!
  const known = classes[unit]!
  if (known !== 0) return known
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(pairAt(units, at, end))
  const found = classify(String.fromCharCode(unit))
  classes[unit] = found
  return found
}

// Empty for a lone surrogate.
function pairAt(units: Uint16Array, at: number, end: number): string {
  const first = units[at]! < 0xdc00 ? at : at - 1
  if (first < 0 || first + 1 >= end) return ''
  const pair = String.fromCharCode(units[first]!, units[first + 1]!)
  return pair.codePointAt(0)! > 0xffff ? pair : ''
}

function classify(char: string): number {
  if (char === '') return SEPARATOR
  if (char < '\x80') return /[a-z0-9]/i.test(char) ? WORD : SEPARATOR
  if (cjkPattern().test(char)) return CJK
  return wordPattern().test(char) ? WORD : SEPARATOR
}

// Functions, because property classes take milliseconds to build, which texts in ASCII never need.
function wordPattern(): RegExp {
  return /[\p{L}\p{N}\p{M}]/u
}

function cjkPattern(): RegExp {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
}

/** `word` is the spelling the term was read from, in lower case; `id` that of its part, or NO_ID. */
export type VisitTerm = (term: string, kind: TermKind, word: string, id: number) => void
export const NO_ID = -1

const MAX_TEXT = 100_000
const MAX_WORD = 48
const [APOSTROPHE, PLUS, HASH, DOT, NOTHING] = [39, 43, 35, 46, 0]
const CONTRACTIONS = new Set(['s', 't', 'd', 'm', 're', 'll', 've'])
const MARKS = /[\u0300-\u036f]/g

export function visitTerms(input: string, visit: VisitTerm): void {
  const units = spare.pop() ?? new Uint16Array(MAX_TEXT)
  visitWords(units, fill(units, input), visit)
  spare.push(units)
}

// Code units in an array are read several times faster than those of a string that was put together from others.
const spare: Uint16Array[] = []

function fill(units: Uint16Array, input: string): number {
  const end = Math.min(input.length, MAX_TEXT)
  for (let i = 0; i < end; i++) {
    const unit = input.charCodeAt(i)
    if (unit > 127) return fillFolded(units, input.slice(0, end))
    units[i] = unit
  }
  return end
}

// Compatibility forms and accents are folded, so that full-width, ligature and unaccented spellings meet.
function fillFolded(units: Uint16Array, input: string): number {
  const text = input
    .replace(/[\u2019\u2018]/g, "'")
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
  const end = Math.min(text.length, MAX_TEXT)
  for (let i = 0; i < end; i++) units[i] = text.charCodeAt(i)
  return end
}

function visitWords(units: Uint16Array, length: number, visit: VisitTerm): void {
  // Words glued together so far: "ci/cd".
  let chain = ''
  let links = 0
  let end = -2
  for (let start = 0; start < length; ) {
    const kind = charClass(units, start, length)
    if (kind === SEPARATOR) {
      start++
      continue
    }
    const before = start === end + 1 ? units[end]! : NOTHING
    if (!isGlue(before)) {
      if (links > 1) visitChain(chain, visit)
      chain = ''
      links = 0
    }
    end = wordEnd(units, start, length, kind)
    const cut = Math.min(end, start + MAX_WORD)
    if (kind === CJK) visitPairs(String.fromCharCode(...units.subarray(start, cut)), visit)
    else {
      const { first, others, lower } = readSpelling(units, start, cut)
      if (before !== APOSTROPHE || !CONTRACTIONS.has(lower)) {
        visit(first.term, first.kind, first.word, first.id)
        for (const { term, kind, word, id } of others) visit(term, kind, word, id)
        if (isDotted(units, start, length)) visit(`.${lower}`, 'joined', `.${lower}`, NO_ID)
        chain = links++ === 0 ? lower : chain + lower
      }
    }
    start = end
  }
  if (links > 1) visitChain(chain, visit)
}

/** The different words of a text that carry a subject. */
export function termsOf(text: string): string[] {
  const terms = new Set<string>()
  visitTerms(text, (term, kind) => {
    if (kind === 'word') terms.add(term)
  })
  return [...terms]
}

function wordEnd(units: Uint16Array, start: number, length: number, kind: number): number {
  let end = start + 1
  while (end < length && charClass(units, end, length) === kind) end++
  if (kind !== WORD) return end
  // c++, c#, f#
  let sign = end
  while (sign < length && sign < end + 2 && (units[sign] === PLUS || units[sign] === HASH)) sign++
  return sign < length && charClass(units, sign, length) !== SEPARATOR ? end : sign
}

// ".net" and ".toml" at the start of a word; not the dot inside "main.toml" or at the end of a sentence.
function isDotted(units: Uint16Array, start: number, length: number): boolean {
  if (start === 0 || units[start - 1] !== DOT) return false
  return start === 1 || (charClass(units, start - 2, length) === SEPARATOR && !isGlue(units[start - 2]!))
}

// - _ . /
function isGlue(unit: number): boolean {
  return unit === 45 || unit === 95 || unit === DOT || unit === 47
}

function visitChain(chain: string, visit: VisitTerm): void {
  if (chain.length <= MAX_WORD) visit(stemWord(chain), 'joined', chain, NO_ID)
}

function visitPairs(run: string, visit: VisitTerm): void {
  const chars = [...run]
  if (chars.length === 1) visit(run, 'word', run, NO_ID)
  for (let i = 0; i + 1 < chars.length; i++) {
    const pair = chars[i]! + chars[i + 1]!
    visit(pair, 'word', pair, NO_ID)
  }
}
