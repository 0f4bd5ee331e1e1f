import { CJK, charClass, SEPARATOR, WORD } from './char-class.ts'
import { readSpelling, type TermKind } from './reading.ts'

/** `word` is the spelling the term was read from, in lower case. */
export type VisitTerm = (term: string, kind: TermKind, word: string) => void

const MAX_TEXT = 100_000
const MAX_WORD = 48
const [APOSTROPHE, PLUS, HASH, DOT, NOTHING] = [39, 43, 35, 46, 0]
const CONTRACTIONS = new Set(['s', 't', 'd', 'm', 're', 'll', 've'])
const MARKS = /[\u0300-\u036f]/g

export function visitTerms(input: string, visit: VisitTerm): void {
  const text = normalize(input)
  // Words glued together so far: "ci/cd".
  let chain = ''
  let links = 0
  let end = -2
  for (let start = 0; start < text.length; ) {
    const kind = charClass(text, start)
    if (kind === SEPARATOR) {
      start++
      continue
    }
    const before = start === end + 1 ? text.charCodeAt(end) : NOTHING
    if (!isGlue(before)) {
      if (links > 1) visitChain(chain, visit)
      chain = ''
      links = 0
    }
    end = wordEnd(text, start, kind)
    const spelling = text.slice(start, Math.min(end, start + MAX_WORD))
    if (kind === CJK) visitPairs(spelling, visit)
    else if (before !== APOSTROPHE || !CONTRACTIONS.has(spelling.toLowerCase())) {
      const { parts, lower } = readSpelling(spelling)
      for (let i = 0; i < parts.length; i++) visit(parts[i]!.term, parts[i]!.kind, parts[i]!.word)
      if (isDotted(text, start)) visit(`.${lower}`, 'joined', `.${lower}`)
      chain = links++ === 0 ? lower : chain + lower
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

// Compatibility forms and accents are folded, so that full-width, ligature and unaccented spellings meet.
function normalize(input: string): string {
  const text = input.length > MAX_TEXT ? input.slice(0, MAX_TEXT) : input
  if (isAscii(text)) return text
  return text
    .replace(/[\u2019\u2018]/g, "'")
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}

function wordEnd(text: string, start: number, kind: number): number {
  let end = start + 1
  while (end < text.length && charClass(text, end) === kind) end++
  if (kind !== WORD) return end
  // c++, c#, f#
  let sign = end
  while (sign < end + 2 && (text.charCodeAt(sign) === PLUS || text.charCodeAt(sign) === HASH)) sign++
  return sign < text.length && charClass(text, sign) !== SEPARATOR ? end : sign
}

// ".net" and ".toml" at the start of a word; not the dot inside "main.toml" or at the end of a sentence.
function isDotted(text: string, start: number): boolean {
  if (start === 0 || text.charCodeAt(start - 1) !== DOT) return false
  return start === 1 || (charClass(text, start - 2) === SEPARATOR && !isGlue(text.charCodeAt(start - 2)))
}

// - _ . /
function isGlue(unit: number): boolean {
  return unit === 45 || unit === 95 || unit === DOT || unit === 47
}

function visitChain(chain: string, visit: VisitTerm): void {
  if (chain.length <= MAX_WORD) visit(readSpelling(chain).parts[0]!.term, 'joined', chain)
}

function visitPairs(run: string, visit: VisitTerm): void {
  const chars = [...run]
  if (chars.length === 1) visit(run, 'word', run)
  for (let i = 0; i + 1 < chars.length; i++) {
    const pair = chars[i]! + chars[i + 1]!
    visit(pair, 'word', pair)
  }
}
