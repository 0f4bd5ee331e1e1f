/** Of a number as written, without its spaces and dashes. */
function digitsOf(text: string): number[] {
  return [...text.replace(/\D/g, '')].map(Number)
}

function passesLuhn(digits: readonly number[]): boolean {
  const total = digits.reduceRight((sum, digit, at) => {
    const isDoubled = (digits.length - at) % 2 === 0
    const value = isDoubled ? digit * 2 : digit
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return total % 10 === 0
}

/** The sum of the products; weights beyond the digits do not count. */
function weightedSum(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0)
}

/** The rest of a number that is too long to be one. Letters count from ten. */
function restOf(text: string, divisor: number): number {
  let rest = 0
  for (const character of text) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % divisor
  }
  return rest
}

// biome-ignore format: the tables of the dihedral group and of the permutation
const TIMES = [
  [0,1,2,3,4,5,6,7,8,9], [1,2,3,4,0,6,7,8,9,5], [2,3,4,0,1,7,8,9,5,6], [3,4,0,1,2,8,9,5,6,7], [4,0,1,2,3,9,5,6,7,8],
  [5,9,8,7,6,0,4,3,2,1], [6,5,9,8,7,1,0,4,3,2], [7,6,5,9,8,2,1,0,4,3], [8,7,6,5,9,3,2,1,0,4], [9,8,7,6,5,4,3,2,1,0],
]
// biome-ignore format: as above
const MOVED = [
  [0,1,2,3,4,5,6,7,8,9], [1,5,7,6,2,8,3,0,9,4], [5,8,0,3,7,9,6,1,4,2], [8,9,1,6,0,4,3,5,2,7],
  [9,4,5,3,1,2,6,8,7,0], [4,2,8,6,5,7,3,9,0,1], [2,7,9,3,8,0,6,4,1,5], [7,0,4,6,9,1,3,2,5,8],
]

function passesVerhoeff(digits: readonly number[]): boolean {
  const rest = digits.reduceRight((sum, digit, at) => {
    const moved = MOVED[(digits.length - 1 - at) % 8]?.[digit] ?? 0
    return TIMES[sum]?.[moved] ?? 0
  }, 0)
  return rest === 0
}

/** Whether a day of a month exists; two-digit years are taken to have a leap day. */
function isDay(month: number, day: number): boolean {
  const days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return month >= 1 && day >= 1 && day <= (days[month - 1] ?? 0)
}

/** Unknown top-level domains of more than two letters are rather members of an object: `a@self.weight`. */
const DOMAINS =
  '[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|dev|app|cloud|tech|online|site|store|shop|xyz|agency|company|email|health|bank|internal|corp'

export const emailAddresses = () =>
  new RegExp(
    String.raw`(?<![\w.+%-])([a-z0-9_][\w.+%-]{0,63})@((?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}(?:${DOMAINS}))(?![\w(]|-\w|\.\w)`,
    'gi',
  )

/** Mailboxes of a role, which belong to nobody. */
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
export const phoneNumbers = () =>
  /(?<![\w.+-]|\d[ ])(?:\+[1-9]\d{0,2}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4})(?![\w]|[.-]\d)/g

export function isPhoneNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (digits.length < 10 || digits.length > 15 || new Set(digits).size < 3) return false
  // Set aside for films and examples.
  return !/555\D?01\d\d$/.test(text) && !/^(?:44)?0?(?:20)?79460\d{3}$/.test(digits) && !/1234567/.test(digits)
}

/** The national form of anywhere, where a word says so. */
export const labelledPhoneNumbers = () =>
  /(?<!\w)(?:tel(?:ephone)?|phone|mobile|cell|fax|whatsapp|(?:phone|mobile|cell|tel)[_ -]?(?:number|no)|\u7535\u8bdd|\u96fb\u8a71|\u624b\u673a|\u624b\u6a5f)["'*]{0,3}[ \t]{0,4}[:=.|]{1,2}[ \t]{0,4}["']?(\(?0?\d[\d ()./-]{6,18}\d)(?![\w.-]*\w)/dgi

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

/** A number that a state gives to a person. */
export interface NationalId {
  kind: string
  pattern(): RegExp
  isValid(text: string): boolean
  /** Where too many other numbers look alike, one of these words must stand near. */
  label?: RegExp
}

const two = (digits: readonly number[], at: number) => (digits[at] ?? 0) * 10 + (digits[at + 1] ?? 0)

// No part of a longer number or name, and no decimals.
const alone = (source: string) => new RegExp(String.raw`(?<![\w.+-]|\d[ ])(?:${source})(?![\w]|[.-]\d)`, 'g')

const LETTERS_OF_DNI = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** Those with a check digit, and the two of English-speaking states that have none but a narrow form. */
export const NATIONAL_IDS: readonly NationalId[] = [
  {
    kind: 'us-ssn',
    pattern: () => alone(String.raw`(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}`),
    isValid: (text) => !/^(?:123-45-6789|078-05-1120|219-09-9999)$/.test(text),
  },
  {
    kind: 'us-ssn',
    pattern: () => alone(String.raw`(?!000|666|9)\d{3} ?(?!00)\d{2} ?(?!0000)\d{4}`),
    isValid: (text) => new Set(digitsOf(text)).size > 2 && text !== '123456789',
    label: /\bssn\b|social.?security/i,
  },
  {
    kind: 'uk-nino',
    pattern: () =>
      alone('(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: \\d{2} \\d{2} \\d{2} | ?\\d{6} ?)[A-D]'),
    isValid: (text) => !/^AB ?12 ?34 ?56/.test(text),
    label: /\bnino\b|\bni\b|national.?insurance/i,
  },
  {
    kind: 'cn-resident-id',
    pattern: () => alone(String.raw`[1-9]\d{5}(?:18|19|20)\d{9}[\dXx]`),
    isValid: isResidentId,
  },
  {
    kind: 'fr-nir',
    pattern: () => alone(String.raw`[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`),
    isValid: isNir,
  },
  {
    kind: 'es-dni',
    pattern: () => alone(String.raw`(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z]`),
    isValid: (text) => {
      const [number = '', letter] = [text.slice(0, -1).replace('-', ''), text.at(-1)]
      return LETTERS_OF_DNI[Number(number.replace(/^[XYZ]/, (first) => String('XYZ'.indexOf(first)))) % 23] === letter
    },
  },
  {
    kind: 'it-codice-fiscale',
    pattern: () => alone(String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`),
    isValid: isCodiceFiscale,
  },
  {
    kind: 'de-tax-id',
    pattern: () => alone(String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`),
    isValid: isGermanTaxId,
    label: /steuer|\btax.?(?:id|no|number)|\btin\b|\bid-?nr/i,
  },
  {
    kind: 'br-cpf',
    pattern: () => alone(String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`),
    isValid: isCpf,
  },
  { kind: 'br-cpf', pattern: () => alone(String.raw`\d{11}`), isValid: isCpf, label: /\bcpf\b/i },
  {
    kind: 'ch-ahv',
    pattern: () => alone(String.raw`756\.?\d{4}\.?\d{4}\.?\d{2}`),
    isValid: (text) => weightedSum(digitsOf(text), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  {
    kind: 'be-national-number',
    pattern: () => alone(String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`),
    isValid: (text) => {
      const number = text.replace(/\D/g, '')
      const check = Number(number.slice(9))
      return [`${number.slice(0, 9)}`, `2${number.slice(0, 9)}`].some((each) => 97 - restOf(each, 97) === check)
    },
  },
  {
    kind: 'fi-hetu',
    pattern: () => alone(String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`),
    isValid: (text) => {
      const digits = digitsOf(text.slice(0, 6))
      const rest = Number(text.slice(0, 6) + text.slice(7, 10)) % 31
      return isDay(two(digits, 2), two(digits, 0)) && '0123456789ABCDEFHJKLMNPRSTUVWXY'[rest] === text[10]
    },
    label: /hetu|henkil|personal.?(?:id|identity)/i,
  },
  {
    kind: 'se-personnummer',
    pattern: () => alone(String.raw`(?:19|20)?\d{6}[-+]?\d{4}`),
    isValid: (text) => {
      const digits = digitsOf(text).slice(-10)
      return isDay(two(digits, 2), two(digits, 4)) && passesLuhn(digits)
    },
    label: /person.?n(?:umme)?r/i,
  },
  {
    kind: 'pl-pesel',
    pattern: () => alone(String.raw`\d{11}`),
    isValid: (text) => {
      const digits = digitsOf(text)
      const sum = weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1])
      return sum % 10 === 0 && isDay(two(digits, 2) % 20, two(digits, 4))
    },
    label: /\bpesel\b/i,
  },
  {
    kind: 'nl-bsn',
    pattern: () => alone(String.raw`\d{9}`),
    isValid: (text) => weightedSum(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    label: /\bbsn\b|burgerservice/i,
  },
  {
    kind: 'in-aadhaar',
    pattern: () => alone(String.raw`[2-9]\d{3}([ -]?)\d{4}\1\d{4}`),
    isValid: (text) => passesVerhoeff(digitsOf(text)),
    label: /aa?dhaar|\buid(?:ai)?\b/i,
  },
  {
    kind: 'ca-sin',
    pattern: () => alone(String.raw`[1-79]\d{2}([ -]?)\d{3}\1\d{3}`),
    isValid: (text) => passesLuhn(digitsOf(text)),
    label: /\bsin\b|social.?insurance/i,
  },
  {
    kind: 'kr-rrn',
    pattern: () => alone(String.raw`\d{6}-[1-8]\d{6}`),
    isValid: (text) => {
      const digits = digitsOf(text)
      const sum = weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5])
      return isDay(two(digits, 2), two(digits, 4)) && (11 - (sum % 11)) % 10 === digits[12]
    },
  },
]

function isResidentId(text: string): boolean {
  const digits = digitsOf(text.slice(0, 17))
  const province = two(digits, 0)
  if (province < 11 || province > 82 || !isDay(two(digits, 10), two(digits, 12))) return false
  const sum = weightedSum(digits, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2])
  return '10X98765432'[sum % 11] === text.at(-1)?.toUpperCase()
}

function isNir(text: string): boolean {
  const plain = text.replaceAll(' ', '')
  const number = plain.replace('2A', '19').replace('2B', '18')
  const month = Number(number.slice(3, 5))
  const isMonth = (month >= 1 && month <= 12) || (month >= 20 && month <= 42)
  return isMonth && 97 - restOf(number.slice(0, 13), 97) === Number(number.slice(13))
}

const ODD_PLACES = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

function isCodiceFiscale(text: string): boolean {
  const sum = [...text.slice(0, 15)].reduce((total, character, at) => {
    const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65
    return total + (at % 2 === 0 ? (ODD_PLACES[value] ?? 0) : value)
  }, 0)
  return String.fromCharCode(65 + (sum % 26)) === text.at(-1)
}

/** Of the first ten digits exactly one comes twice or three times; the last follows from them (ISO 7064). */
function isGermanTaxId(text: string): boolean {
  const digits = digitsOf(text)
  const counts = new Map<number, number>()
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  const repeated = [...counts.values()].filter((count) => count > 1)
  if (repeated.length !== 1 || (repeated[0] ?? 0) > 3) return false
  const product = digits.slice(0, 10).reduce((rest, digit) => {
    const sum = (digit + rest) % 10 || 10
    return (sum * 2) % 11
  }, 10)
  return (11 - product) % 10 === digits[10]
}

function isCpf(text: string): boolean {
  const digits = digitsOf(text)
  if (new Set(digits).size === 1) return false
  const check = (length: number) => {
    const weights = Array.from({ length }, (_, at) => length + 1 - at)
    return ((weightedSum(digits, weights) * 10) % 11) % 10
  }
  return check(9) === digits[9] && check(10) === digits[10]
}
