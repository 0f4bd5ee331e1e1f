import { eachMatch } from './each-match.ts'
import { type HintReader, type Hints, readHints } from './hints.ts'
import { findInjectionSpans } from './injections.ts'
import {
  cardNumbers,
  emailAddresses,
  findIbans,
  isCardNumber,
  isPersonal,
  isPhoneNumber,
  labelledPhoneNumbers,
  phoneNumbers,
} from './personal-data.ts'
import { findSecretSpans } from './secrets.ts'
import { findEncodedTexts, readViews } from './views.ts'

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
  const ibans = /[A-Z]{2}\d{2}/.test(text) ? findIbans(text) : []
  return [
    ...emails,
    ...findInLines(numbers, 'card-number', cardNumbers(), isCardNumber),
    ...ibans.map((range): Detection => ({ contentClass: 'pii', kind: 'iban', ...range })),
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
