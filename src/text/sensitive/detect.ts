import { findInjectionSpans } from './injections.ts'
import { eachMatch, findEncodedTexts, type HintReader, type Hints, once, readHints, readViews } from './matching.ts'
import { findSecretSpans } from './secrets.ts'

/** Content that must not reach a model unnoticed. */
export const CONTENT_CLASSES = [
  'secret',
  'credential',
  'pii',
  'regulated_restricted',
  'other_policy_violation',
  'prompt_injection',
] as const
export type ContentClass = (typeof CONTENT_CLASSES)[number]

/** A range with sensitive content. Never the text itself. */
export interface Detection {
  contentClass: ContentClass
  /** Which detector found it: `aws-access-key`, `card-number`. */
  kind: string
  /** Character positions; the end is exclusive. */
  start: number
  end: number
}

/** Finds what must not be shown. If a detector throws, the whole text counts as sensitive. */
export type Detector = (text: string) => readonly Detection[]

/** Markings by which owners declare a text regulated. The patterns match the form of a marking, not prose about it. */
const RESTRICTED_MARKINGS: readonly { kind: string; hints: Hints; pattern(): RegExp }[] = [
  {
    kind: 'classification',
    hints: [['secret//', 'confidential//', 'ts//', 'cui//']],
    pattern: () =>
      /(?<![\w/])(?:TOP SECRET|SECRET|CONFIDENTIAL|TS|CUI|COSMIC TOP SECRET|NATO SECRET)\/\/[A-Z][A-Z0-9 ,/-]{1,60}/g,
  },
  {
    kind: 'classification',
    hints: [['classified', 'classification']],
    pattern: () => /(?<!\w)(?:CLASSIFIED|CLASSIFICATION)\s?[:=]\s?["']?(?:TOP SECRET|SECRET|CONFIDENTIAL)(?!\w)/g,
  },
  { kind: 'traffic-light', hints: [['tlp:']], pattern: () => /(?<!\w)TLP:\s?(?:RED|AMBER\+STRICT)(?!\w)/g },
  {
    kind: 'health-data',
    hints: [['hipaa', 'contains']],
    pattern: () => /(?<!\w)(?:HIPAA[ -]PHI|CONTAINS (?:HIPAA )?(?:e?PHI|PROTECTED HEALTH INFORMATION))(?!\w)/g,
  },
  {
    kind: 'medical-record',
    hints: [['mrn', 'medical', 'nhs']],
    pattern: () =>
      /(?<!\w)(?:MRN|mrn|[Mm]edical[ _-]?[Rr]ecord[ _-]?(?:[Nn]umber|[Nn]o\.?|#|[Ii][Dd])|NHS[ _-](?:[Nn]umber|[Nn]o\.?))["'*]{0,3}[ \t]{0,4}[:=#|]{0,2}[ \t]{0,4}["']?((?=[A-Z-]{0,6}\d)[A-Z0-9][A-Z0-9 -]{3,14}\d)(?!\w)/dg,
  },
  {
    kind: 'export-control',
    hints: [['controlled', 'restricted']],
    pattern: () => /(?<!\w)(?:ITAR|EAR)[ -](?:CONTROLLED|RESTRICTED)(?!\w)/g,
  },
]

export interface DetectorOptions {
  /** Words that a project forbids: matched whole, in any case. */
  extraWords?: readonly string[]
}

/** Sees through escapes and base64. Ranges refer to the original text; some may overlap or repeat. */
export function createDetector({ extraWords = [] }: DetectorOptions = {}): Detector {
  const findWords = createWordFinder(extraWords)
  return seeingThrough((text) => [...findAll(text), ...findWords(text)])
}

/** Searches every reading of a text: the original, without hidden characters, with escapes and base64 decoded. */
function seeingThrough(find: Detector): Detector {
  return (text) => {
    const found = readViews(text).flatMap(({ text: read, startOf, endOf }) => {
      const direct = find(read)
      const encoded = findEncodedTexts(read).flatMap(({ text: decoded, start, end }) =>
        find(decoded).map((detection) => ({ ...detection, start, end })),
      )
      return [...direct, ...encoded].map((detection) => ({
        ...detection,
        start: startOf(detection.start),
        end: endOf(detection.end - 1),
      }))
    })
    return distinct(found)
  }
}

/** Secrets, credentials, and text that addresses the reader's model; no personal data. */
export const detectSecrets: Detector = seeingThrough((text) => {
  const isPossible = readHints(text)
  return [...findSecrets(text, isPossible), ...findInjections(text, isPossible)]
})

/** Without the forbidden words of a project. */
export const detectContent: Detector = createDetector()

const CREDENTIALS: ReadonlySet<string> = new Set(['bearer-token', 'url-password', 'password', 'named-token'])

function findAll(text: string): Detection[] {
  const isPossible = readHints(text)
  const markings = RESTRICTED_MARKINGS.filter(({ hints }) => isPossible(hints)).flatMap(({ kind, pattern }) =>
    findPattern(text, 'regulated_restricted', kind, pattern()),
  )
  return [
    ...findSecrets(text, isPossible),
    ...findPersonal(text, isPossible),
    ...markings,
    ...findInjections(text, isPossible),
  ]
}

function findSecrets(text: string, isPossible: HintReader): Detection[] {
  return findSecretSpans(text, isPossible).map((span) => ({
    contentClass: CREDENTIALS.has(span.kind) ? 'credential' : 'secret',
    ...span,
  }))
}

function findInjections(text: string, isPossible: HintReader): Detection[] {
  return findInjectionSpans(text, isPossible).map((span) => ({
    contentClass: 'prompt_injection',
    ...span,
    kind: `injection-${span.kind}`,
  }))
}

/** Card and phone numbers have at least this many digits, two of them adjacent. */
const FEWEST_DIGITS = 6

/** No match spans lines: slow patterns read only the lines that can match. */
function findPersonal(text: string, isPossible: HintReader): Detection[] {
  const emails = text.includes('@') ? findInLines(linesWith(text, /@/g), 'email', emailAddresses(), isPersonal) : []
  if (!/\d\d/.test(text)) return emails
  const numbers = linesWith(text, /\d\d/g, (line) => line.replace(/\D+/g, '').length >= FEWEST_DIGITS)
  return [
    ...emails,
    ...findInLines(numbers, 'card-number', cardNumbers(), isCardNumber),
    ...findInLines(numbers, 'phone', phoneNumbers(), isPhoneNumber),
    ...(isPossible(PHONE_HINTS) || /[电電手][话話机機]/.test(text)
      ? findPattern(text, 'pii', 'phone', labelledPhoneNumbers(), (number) => number.replace(/\D/g, '').length >= 8)
      : []),
  ]
}

const PHONE_HINTS: Hints = [['tel', 'phone', 'mobile', 'cell', 'fax', 'whatsapp']]

/** Some lines of a text, with their original positions. */
interface Lines {
  text: string
  /** The start of each line here and in the original. */
  places: { start: number; origin: number }[]
}

function linesWith(text: string, mark: RegExp, isWanted: (line: string) => boolean = () => true): Lines {
  const lines: Lines = { text: '', places: [] }
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const origin = text.lastIndexOf('\n', found.index) + 1
    const next = text.indexOf('\n', found.index)
    mark.lastIndex = next === -1 ? text.length : next
    const line = text.slice(origin, mark.lastIndex)
    if (!isWanted(line)) continue
    lines.places.push({ start: lines.text.length, origin })
    lines.text += `${line}\n`
  }
  return lines
}

function findInLines(
  { text, places }: Lines,
  kind: string,
  pattern: RegExp,
  accepts: (found: string) => boolean,
): Detection[] {
  let at = 0
  return findPattern(text, 'pii', kind, pattern, accepts).map((detection) => {
    while ((places[at + 1]?.start ?? Number.POSITIVE_INFINITY) <= detection.start) at++
    const shift = places[at]!.origin - places[at]!.start
    return { ...detection, start: detection.start + shift, end: detection.end + shift }
  })
}

/** Reports the first group of a pattern with the flag d, otherwise the whole match. */
function findPattern(
  text: string,
  contentClass: ContentClass,
  kind: string,
  pattern: RegExp,
  accepts: (found: string) => boolean = () => true,
): Detection[] {
  const found: Detection[] = []
  for (const match of eachMatch(text, pattern)) {
    const [start, end] = match.indices?.[1] ?? [match.index, match.index + match[0].length]
    if (accepts(text.slice(start, end))) found.push({ contentClass, kind, start, end })
  }
  return found
}

function createWordFinder(words: readonly string[]): Detector {
  const known = words.map((word) => word.trim()).filter((word) => word !== '')
  if (known.length === 0) return () => []
  return (text) => {
    const any = known.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
    const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${any})(?![\p{L}\p{N}_])`, 'giu')
    return findPattern(text, 'other_policy_violation', 'word', pattern)
  }
}

function distinct(found: readonly Detection[]): Detection[] {
  const first = new Map<string, Detection>()
  for (const detection of found) {
    const key = `${detection.start} ${detection.end} ${detection.kind}`
    if (!first.has(key)) first.set(key, detection)
  }
  return [...first.values()].sort((a, b) => a.start - b.start || a.end - b.end)
}

/** Domains that end in an unknown word of more than two letters are usually members of an object: `a@self.weight`. */
const DOMAINS =
  '[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|dev|app|cloud|tech|online|site|store|shop|xyz|agency|company|email|health|bank|internal|corp'

const emailAddresses = once(
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

function isPersonal(address: string): boolean {
  const at = address.lastIndexOf('@')
  return !ROLES.test(address.slice(0, at)) && !NOBODYS.test(address.slice(at + 1))
}

/** With a country code, or in the North American form. */
const phoneNumbers = once(
  () =>
    /(?<![\w.+-]|\d[ ])(?:\+[1-9]\d{0,2}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4})(?![\w]|[.-]\d)/g,
)

function isPhoneNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (digits.length < 10 || digits.length > 15 || new Set(digits).size < 3) return false
  // Reserved for films and examples.
  return !/555\D?01\d\d$/.test(text) && !/^(?:44)?0?(?:20)?79460\d{3}$/.test(digits) && !/1234567/.test(digits)
}

/** A national format of any country, after a word that labels it. */
const labelledPhoneNumbers = once(
  () =>
    /(?<!\w)(?:tel(?:ephone)?|phone|mobile|cell|fax|whatsapp|(?:phone|mobile|cell|tel)[_ -]?(?:number|no)|\u7535\u8bdd|\u96fb\u8a71|\u624b\u673a|\u624b\u6a5f)["'*]{0,3}[ \t]{0,4}[:=.|]{1,2}[ \t]{0,4}["']?(\(?0?\d[\d ()./-]{6,18}\d)(?![\w.-]*\w)/dgi,
)

/** Thirteen to nineteen digits, together or in printed groups. Not part of a longer or broken number. */
const cardNumbers = once(
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
const FEWEST_DIFFERENT = 4

export function isCardNumber(text: string): boolean {
  const number = text.replace(/\D/g, '')
  const digits = [...number].map(Number)
  const isBrand = BRANDS.some(([first, lengths]) => lengths.includes(number.length) && first.test(number))
  return isBrand && new Set(digits).size >= FEWEST_DIFFERENT && passesLuhn(digits)
}

function passesLuhn(digits: readonly number[]): boolean {
  const total = digits.reduceRight((sum, digit, at) => {
    const isDoubled = (digits.length - at) % 2 === 0
    const value = isDoubled ? digit * 2 : digit
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return total % 10 === 0
}

/** What to do with a text that has findings. */
export type SanitizePolicy = 'warn' | 'mask' | 'drop'

/** The findings of a text, without the text itself. */
export interface FoundContent {
  contentClass: ContentClass
  kind: string
  count: number
}

export interface Sanitized {
  /** Undefined when the text must not be shown at all. */
  text: string | undefined
  found: FoundContent[]
}

/** Applies a policy: `drop` removes a text with a finding, `mask` replaces each finding, `warn` only reports. */
export function sanitize(text: string, detections: readonly Detection[], policy: SanitizePolicy): Sanitized {
  const found = countFound(detections)
  if (found.length === 0 || policy === 'warn') return { text, found }
  return { text: policy === 'drop' ? undefined : maskRanges(text, detections), found }
}

/** If a detector throws, the whole text counts as a finding. */
export function detectSafely(detector: Detector, text: string): readonly Detection[] {
  try {
    return detector(text)
  } catch {
    return [failedDetection(text)]
  }
}

export function failedDetection(text: string): Detection {
  return { contentClass: 'secret', kind: 'unchecked', start: 0, end: text.length }
}

interface Range {
  start: number
  end: number
  /** The first finding in the range; the mark names it. */
  contentClass: ContentClass
  kind: string
}

function maskRanges(text: string, detections: readonly Detection[]): string {
  let masked = ''
  let from = 0
  for (const { start, end, contentClass, kind } of wholeRanges(text, detections)) {
    masked += `${text.slice(from, start)}[masked: ${contentClass} ${kind}]`
    from = end
  }
  return masked + text.slice(from)
}

/** Disjoint ranges in order. A secret extends to the end of its word. */
function wholeRanges(text: string, detections: readonly Detection[]): Range[] {
  const merged = mergeRanges(detections)
  const whole = merged.map((range, index) => {
    if (range.contentClass !== 'secret' && range.contentClass !== 'credential') return range
    const [low, high] = [merged[index - 1]?.end ?? 0, merged[index + 1]?.start ?? text.length]
    let { start, end } = range
    while (start > low && isInWord(text.charCodeAt(start - 1))) start--
    while (end < high && isInWord(text.charCodeAt(end))) end++
    return { ...range, start, end }
  })
  return mergeRanges(whole)
}

/** Merges ranges that touch: what two detectors share must not stay readable between their marks. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const range of [...ranges].sort(compareRanges)) {
    const last = merged.at(-1)
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end)
    else merged.push({ ...range })
  }
  return merged
}

const RANK: Record<ContentClass, number> = {
  secret: 0,
  credential: 1,
  regulated_restricted: 2,
  pii: 3,
  other_policy_violation: 4,
  prompt_injection: 5,
}

function compareRanges(a: Range, b: Range): number {
  return a.start - b.start || RANK[a.contentClass] - RANK[b.contentClass] || b.end - a.end
}

// Letters, digits and the other characters of base64 and tokens.
function isInWord(code: number): boolean {
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  const isDigit = code >= 0x30 && code <= 0x39
  return isLetter || isDigit || code === 0x2b || code === 0x2d || code === 0x5f || code === 0x7e
}

/** Counts places, not reports: overlapping finds of two detectors of a kind count once. */
function countFound(detections: readonly Detection[]): FoundContent[] {
  const kinds = new Map<string, Detection[]>()
  for (const detection of detections) {
    const key = `${RANK[detection.contentClass]} ${detection.kind}`
    const known = kinds.get(key)
    if (known === undefined) kinds.set(key, [detection])
    else known.push(detection)
  }
  return [...kinds]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, each]) => {
      const [{ contentClass, kind }] = each as [Detection]
      return [{ contentClass, kind, count: mergeRanges(each).length }]
    })
}

const DEEPEST = 64
const MOST_FIELDS = 100_000

/**
 * Every text and number of a structured value, each after its key: only the key `password` shows what `hunter22` is.
 * Undefined for a value too deep or too large to read.
 */
function fieldTexts(value: unknown): string[] | undefined {
  const texts: string[] = []
  const open: { key: string; value: unknown; depth: number }[] = [{ key: '', value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value: held, depth } = next
    if (depth > DEEPEST || open.length + texts.length > MOST_FIELDS) return undefined
    if (typeof held !== 'object' || held === null) texts.push(fieldText(key, held))
    else if (Array.isArray(held)) open.push(...held.map((each: unknown) => ({ key, value: each, depth: depth + 1 })))
    else for (const [name, each] of Object.entries(held)) open.push({ key: name, value: each, depth: depth + 1 })
  }
  return texts.reverse()
}

function fieldText(key: string, value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? numberText(value) : ''
  if (key === '') return text
  // Quoted, so that a one-word value is recognisable as one.
  return /["\s]/.test(text) ? `${key}: ${text}` : `${key}: "${text}"`
}

function numberText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(0) : String(value)
}

/** Searches every field, keys included. A value that cannot be read, or a detector that throws, is a finding. */
export function checkFields(value: unknown, detector: Detector): FoundContent[] {
  const texts = fieldTexts(value)
  if (texts === undefined) return countFound([failedDetection(' ')])
  // Separated: the end of one field and the start of the next do not form a secret.
  const found = texts.map((text) => countFound(detectSafely(detector, text)))
  return addUp(found.flat())
}

function addUp(found: readonly FoundContent[]): FoundContent[] {
  const sums = new Map<string, FoundContent>()
  for (const each of found) {
    const key = `${each.contentClass} ${each.kind}`
    sums.set(key, { ...each, count: (sums.get(key)?.count ?? 0) + each.count })
  }
  return [...sums.values()]
}
