import { once } from './each-match.ts'

/** Domains that end in an unknown word of more than two letters are usually members of an object: `a@self.weight`. */
const DOMAINS =
  '[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|dev|app|cloud|tech|online|site|store|shop|xyz|agency|company|email|health|bank|internal|corp'

export const emailAddresses = once(
  () =>
    new RegExp(
      String.raw`(?<![\w.+%-])([a-z0-9_][\w.+%-]{0,63})@((?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}(?:${DOMAINS}))(?![\w(]|-\w|\.\w)`,
      'gi',
    ),
)

/** Mailboxes of a role, not of a person. */
const ROLES =
  /^(?:git|hg|svn|root|no-?reply|do-?not-?reply|mailer-daemon|postmaster|webmaster|hostmaster|abuse|security|support|info|contact|hello|help|admin|sales|press|legal|privacy|conduct|team|maintainers?|bot|actions|user(?:name)?|you|your[._-]?(?:name|email)|me|someone|somebody|name|email|foo|bar)(?:[+].{0,60})?$/i

/** Reserved for examples, or never delivered to a person. */
const NOBODYS =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|local|noreply\.[\w.-]{1,60}|domain\.(?:com|tld)|email\.com|company\.com|yourdomain\.com|acme\.(?:com|org)|foo\.com|bar\.com)$/i

export function isPersonal(address: string): boolean {
  const at = address.lastIndexOf('@')
  return !ROLES.test(address.slice(0, at)) && !NOBODYS.test(address.slice(at + 1))
}

/** With a country code, or in the North American form. */
export const phoneNumbers = once(
  () =>
    /(?<![\w.+-]|\d[ ])(?:\+[1-9]\d{0,2}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4})(?![\w]|[.-]\d)/g,
)

export function isPhoneNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (digits.length < 10 || digits.length > 15 || new Set(digits).size < 3) return false
  // Reserved for films and examples.
  return !/555\D?01\d\d$/.test(text) && !/^(?:44)?0?(?:20)?79460\d{3}$/.test(digits) && !/1234567/.test(digits)
}

/** A national format of any country, after a word that labels it. */
export const labelledPhoneNumbers = once(
  () =>
    /(?<!\w)(?:tel(?:ephone)?|phone|mobile|cell|fax|whatsapp|(?:phone|mobile|cell|tel)[_ -]?(?:number|no)|\u7535\u8bdd|\u96fb\u8a71|\u624b\u673a|\u624b\u6a5f)["'*]{0,3}[ \t]{0,4}[:=.|]{1,2}[ \t]{0,4}["']?(\(?0?\d[\d ()./-]{6,18}\d)(?![\w.-]*\w)/dgi,
)

/** Thirteen to nineteen digits, together or in printed groups. Not part of a longer or broken number. */
export const cardNumbers = once(
  () =>
    /(?<![\w.+-])\d{13,19}(?![\w+]|[.-]\d)|(?<![\w.+]|\d[ -])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w+]|[. -]\d)/g,
)

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
  const number = text.replace(/\D/g, '')
  const digits = [...number].map(Number)
  const isBrand = BRANDS.some(([first, lengths]) => lengths.includes(number.length) && first.test(number))
  return isBrand && new Set(digits).size >= FEWEST_DIGITS && passesLuhn(digits)
}

function passesLuhn(digits: readonly number[]): boolean {
  const total = digits.reduceRight((sum, digit, at) => {
    const isDoubled = (digits.length - at) % 2 === 0
    const value = isDoubled ? digit * 2 : digit
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return total % 10 === 0
}

// biome-ignore format: a table to scan
const IBAN_LENGTHS: Record<string, number> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BR: 29, BY: 28, CH: 21, CR: 22, CY: 28, CZ: 24,
  DE: 22, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28,
  HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LI: 21, LT: 20, LU: 20, LV: 21,
  MC: 27, MD: 24, ME: 22, MK: 19, MR: 27, MT: 31, MU: 30, NL: 18, NO: 15, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29, RO: 24,
  RS: 22, SA: 24, SE: 24, SI: 19, SK: 24, SM: 27, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20,
}

/** The country determines the length, printed together or in groups. */
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

/** By the remainder of a number that is too long for an integer; its letters count from ten. */
function isIban(text: string): boolean {
  const letters = text.replace(/[ -]/g, '')
  let rest = 0
  for (const character of letters.slice(4) + letters.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
