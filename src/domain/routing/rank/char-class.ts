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
