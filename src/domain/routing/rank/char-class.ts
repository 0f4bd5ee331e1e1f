export const SEPARATOR = 1
export const WORD = 2
/** Scripts written without blanks between words, and Hangul, whose particles stick to words: read as pairs. */
export const CJK = 3

const IS_WORD = /[\p{L}\p{N}\p{M}]/u
const IS_CJK =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

// Filled on demand: 0 means not asked yet.
const classes = new Uint8Array(0x10000)

/** The class of the character the code unit at `at` belongs to; a lone surrogate is a separator. */
export function charClass(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(pairAt(text, at, unit))
  const known = classes[unit]!
  if (known !== 0) return known
  const found = classify(String.fromCharCode(unit))
  classes[unit] = found
  return found
}

// Empty for a lone surrogate.
function pairAt(text: string, at: number, unit: number): string {
  const pair = unit < 0xdc00 ? text.slice(at, at + 2) : text.slice(Math.max(0, at - 1), at + 1)
  return pair.codePointAt(0)! > 0xffff ? pair : ''
}

function classify(char: string): number {
  if (IS_CJK.test(char)) return CJK
  return IS_WORD.test(char) ? WORD : SEPARATOR
}
