import { digitsOf, passesLuhn, restOf } from './check-digits.ts'

/** Thirteen to nineteen digits, together or in the groups they are printed in. No part of a longer or broken number. */
export const cardNumbers = () =>
  /(?<![\w.+-])\d{13,19}(?![\w+]|[.-]\d)|(?<![\w.+]|\d[ -])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w+]|[. -]\d)/g

/** The first digits of each brand, with the lengths it uses. */
const BRANDS: readonly [first: RegExp, lengths: readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[68])/, [14]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
]

/** Published test numbers repeat two or three digits; a card that was issued hardly ever does. */
const FEWEST_DIGITS = 4

export function isCardNumber(text: string): boolean {
  const digits = digitsOf(text)
  const number = digits.join('')
  const isBrand = BRANDS.some(([first, lengths]) => lengths.includes(number.length) && first.test(number))
  return isBrand && new Set(digits).size >= FEWEST_DIGITS && passesLuhn(digits)
}

// biome-ignore format: a table to scan
const IBAN_LENGTHS: Record<string, number> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BR: 29, BY: 28, CH: 21, CR: 22, CY: 28, CZ: 24,
  DE: 22, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28,
  HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LI: 21, LT: 20, LU: 20, LV: 21,
  MC: 27, MD: 24, ME: 22, MK: 19, MR: 27, MT: 31, MU: 30, NL: 18, NO: 15, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29, RO: 24,
  RS: 22, SA: 24, SE: 24, SI: 19, SK: 24, SM: 27, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20,
}

/** The country tells how many letters belong to it, printed together or in groups. */
export function findIbans(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  for (const match of text.matchAll(/(?<![\w-])([A-Z]{2})\d{2}(?=[ -]?[A-Z0-9]{4})/g)) {
    const length = IBAN_LENGTHS[match[1] ?? ''] ?? 0
    const start = match.index
    const end = endOfLetters(text, start, length)
    if (end !== undefined && !/\w/.test(text.charAt(end)) && isIban(text.slice(start, end))) found.push({ start, end })
  }
  return found
}

function endOfLetters(text: string, start: number, length: number): number | undefined {
  let letters = 0
  for (let at = start; letters < length; at++) {
    if (/[A-Z0-9]/.test(text.charAt(at))) letters++
    else if (!/[ -]/.test(text.charAt(at)) || !/[A-Z0-9]/.test(text.charAt(at - 1))) return undefined
    if (letters === length) return at + 1
  }
  return undefined
}

function isIban(text: string): boolean {
  const letters = text.replace(/[ -]/g, '')
  return restOf(letters.slice(4) + letters.slice(0, 4), 97) === 1
}
