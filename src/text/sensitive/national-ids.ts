import { digitsOf, isDay, passesLuhn, passesVerhoeff, restOf, weightedSum } from './check-digits.ts'
import { once } from './each-match.ts'

/** A number that a state assigns to a person. */
export interface NationalId {
  kind: string
  pattern(): RegExp
  isValid(text: string): boolean
  /** Required near the number where many other numbers look alike. */
  label?: RegExp
}

const two = (digits: readonly number[], at: number) => (digits[at] ?? 0) * 10 + (digits[at + 1] ?? 0)

// Not part of a longer number or name, and without decimals.
const alone = (source: string) =>
  once(() => new RegExp(String.raw`(?<![\w.+-]|\d[ ])(?:${source})(?![\w]|[.-]\d)`, 'g'))

const LETTERS_OF_DNI = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** Numbers with a check digit, and two of English-speaking states that have none but a narrow format. */
export const NATIONAL_IDS: readonly NationalId[] = [
  {
    kind: 'us-ssn',
    pattern: alone(String.raw`(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}`),
    isValid: (text) => !/^(?:123-45-6789|078-05-1120|219-09-9999)$/.test(text),
  },
  {
    kind: 'us-ssn',
    pattern: alone(String.raw`(?!000|666|9)\d{3} ?(?!00)\d{2} ?(?!0000)\d{4}`),
    isValid: (text) => new Set(digitsOf(text)).size > 2 && text !== '123456789',
    label: /\bssn\b|social.?security/i,
  },
  {
    kind: 'uk-nino',
    pattern: alone(
      '(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: \\d{2} \\d{2} \\d{2} | ?\\d{6} ?)[A-D]',
    ),
    isValid: (text) => !/^AB ?12 ?34 ?56/.test(text),
    label: /\bnino\b|\bni\b|national.?insurance/i,
  },
  {
    kind: 'cn-resident-id',
    pattern: alone(String.raw`[1-9]\d{5}(?:18|19|20)\d{9}[\dXx]`),
    isValid: isResidentId,
  },
  {
    kind: 'fr-nir',
    pattern: alone(String.raw`[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`),
    isValid: isNir,
  },
  {
    kind: 'es-dni',
    pattern: alone(String.raw`(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z]`),
    isValid: (text) => {
      const [number = '', letter] = [text.slice(0, -1).replace('-', ''), text.at(-1)]
      return LETTERS_OF_DNI[Number(number.replace(/^[XYZ]/, (first) => String('XYZ'.indexOf(first)))) % 23] === letter
    },
  },
  {
    kind: 'it-codice-fiscale',
    pattern: alone(String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`),
    isValid: isCodiceFiscale,
  },
  {
    kind: 'de-tax-id',
    pattern: alone(String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`),
    isValid: isGermanTaxId,
    label: /steuer|\btax.?(?:id|no|number)|\btin\b|\bid-?nr/i,
  },
  {
    kind: 'br-cpf',
    pattern: alone(String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`),
    isValid: isCpf,
  },
  { kind: 'br-cpf', pattern: alone(String.raw`\d{11}`), isValid: isCpf, label: /\bcpf\b/i },
  {
    kind: 'ch-ahv',
    pattern: alone(String.raw`756\.?\d{4}\.?\d{4}\.?\d{2}`),
    isValid: (text) => weightedSum(digitsOf(text), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  {
    kind: 'be-national-number',
    pattern: alone(String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`),
    isValid: (text) => {
      const number = text.replace(/\D/g, '')
      const check = Number(number.slice(9))
      return [`${number.slice(0, 9)}`, `2${number.slice(0, 9)}`].some((each) => 97 - restOf(each, 97) === check)
    },
  },
  {
    kind: 'fi-hetu',
    pattern: alone(String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`),
    isValid: (text) => {
      const digits = digitsOf(text.slice(0, 6))
      const rest = Number(text.slice(0, 6) + text.slice(7, 10)) % 31
      return isDay(two(digits, 2), two(digits, 0)) && '0123456789ABCDEFHJKLMNPRSTUVWXY'[rest] === text[10]
    },
    label: /hetu|henkil|personal.?(?:id|identity)/i,
  },
  {
    kind: 'se-personnummer',
    pattern: alone(String.raw`(?:19|20)?\d{6}[-+]?\d{4}`),
    isValid: (text) => {
      const digits = digitsOf(text).slice(-10)
      return isDay(two(digits, 2), two(digits, 4)) && passesLuhn(digits)
    },
    label: /person.?n(?:umme)?r/i,
  },
  {
    kind: 'pl-pesel',
    pattern: alone(String.raw`\d{11}`),
    isValid: (text) => {
      const digits = digitsOf(text)
      const sum = weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1])
      return sum % 10 === 0 && isDay(two(digits, 2) % 20, two(digits, 4))
    },
    label: /\bpesel\b/i,
  },
  {
    kind: 'nl-bsn',
    pattern: alone(String.raw`\d{9}`),
    isValid: (text) => weightedSum(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    label: /\bbsn\b|burgerservice/i,
  },
  {
    kind: 'in-aadhaar',
    pattern: alone(String.raw`[2-9]\d{3}([ -]?)\d{4}\1\d{4}`),
    isValid: (text) => passesVerhoeff(digitsOf(text)),
    label: /aa?dhaar|\buid(?:ai)?\b/i,
  },
  {
    kind: 'ca-sin',
    pattern: alone(String.raw`[1-79]\d{2}([ -]?)\d{3}\1\d{3}`),
    isValid: (text) => passesLuhn(digitsOf(text)),
    label: /\bsin\b|social.?insurance/i,
  },
  {
    kind: 'kr-rrn',
    pattern: alone(String.raw`\d{6}-[1-8]\d{6}`),
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

/** Exactly one of the first ten digits occurs two or three times; they determine the last (ISO 7064). */
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
