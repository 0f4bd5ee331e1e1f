import { type HintReader, readHints } from './hints.ts'
import { findInjectionSpans } from './injections.ts'
import { NATIONAL_IDS, type NationalId } from './national-ids.ts'
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

/** What must not reach a model unnoticed. */
export const CONTENT_CLASSES = [
  'secret',
  'credential',
  'pii',
  'regulated_restricted',
  'other_policy_violation',
  'prompt_injection',
] as const
export type ContentClass = (typeof CONTENT_CLASSES)[number]

/** Something found in a text. Never the text itself. */
export interface Detection {
  contentClass: ContentClass
  /** Which detector found it: `aws-access-key`, `card-number`. */
  kind: string
  /** Characters of the text, the end excluded. */
  start: number
  end: number
}

/** Finds what must not be shown. One that throws counts as a finding in everything. */
export type Detector = (text: string) => readonly Detection[]

/** Markings by which their owners tell that a text is regulated. Written as markings are: prose about them is none. */
const RESTRICTED_MARKINGS: readonly { kind: string; pattern(): RegExp }[] = [
  {
    kind: 'classification',
    pattern: () =>
      /(?<![\w/])(?:TOP SECRET|SECRET|CONFIDENTIAL|TS|CUI|COSMIC TOP SECRET|NATO SECRET)\/\/[A-Z][A-Z0-9 ,/-]{1,60}/g,
  },
  {
    kind: 'classification',
    pattern: () => /(?<!\w)(?:CLASSIFIED|CLASSIFICATION)\s?[:=]\s?["']?(?:TOP SECRET|SECRET|CONFIDENTIAL)(?!\w)/g,
  },
  { kind: 'traffic-light', pattern: () => /(?<!\w)TLP:\s?(?:RED|AMBER\+STRICT)(?!\w)/g },
  {
    kind: 'health-data',
    pattern: () => /(?<!\w)(?:HIPAA[ -]PHI|CONTAINS (?:HIPAA )?(?:e?PHI|PROTECTED HEALTH INFORMATION))(?!\w)/g,
  },
  {
    kind: 'medical-record',
    pattern: () =>
      /(?<!\w)(?:MRN|mrn|[Mm]edical[ _-]?[Rr]ecord[ _-]?(?:[Nn]umber|[Nn]o\.?|#|[Ii][Dd])|NHS[ _-](?:[Nn]umber|[Nn]o\.?))["'*]{0,3}[ \t]{0,4}[:=#|]{0,2}[ \t]{0,4}["']?((?=[A-Z-]{0,6}\d)[A-Z0-9][A-Z0-9 -]{3,14}\d)(?!\w)/dg,
  },
  { kind: 'export-control', pattern: () => /(?<!\w)(?:ITAR|EAR)[ -](?:CONTROLLED|RESTRICTED)(?!\w)/g },
]

export interface DetectorOptions {
  /** Words that a project does not want to be shown, found whole and in any case. */
  extraWords?: readonly string[]
}

/** Looks through escapes and base64. Ranges are of the text as it is; some may overlap or come twice. */
export function createDetector({ extraWords = [] }: DetectorOptions = {}): Detector {
  const findWords = createWordFinder(extraWords)
  return seeingThrough((text) => [...findAll(text), ...findWords(text)])
}

/** Finds in every reading of a text: as it is, without hidden characters, with escapes and base64 undone. */
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

/** Secrets, credentials, and text that speaks to the reader's model; no personal data. */
export const detectSecrets: Detector = seeingThrough((text) => {
  const isPossible = readHints(text)
  return [...findSecrets(text, isPossible), ...findInjections(text, isPossible)]
})

/** With no words of a project. */
export const detectContent: Detector = createDetector()

const CREDENTIALS: ReadonlySet<string> = new Set(['bearer-token', 'url-password', 'password', 'named-token'])

function findAll(text: string): Detection[] {
  const markings = RESTRICTED_MARKINGS.flatMap(({ kind, pattern }) =>
    findPattern(text, 'regulated_restricted', kind, pattern()),
  )
  const isPossible = readHints(text)
  return [...findSecrets(text, isPossible), ...findPersonal(text), ...markings, ...findInjections(text, isPossible)]
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

function findPersonal(text: string): Detection[] {
  const emails = text.includes('@') ? findPattern(text, 'pii', 'email', emailAddresses(), isPersonal) : []
  if (!/\d\d/.test(text)) return emails
  return [
    ...emails,
    ...findPattern(text, 'pii', 'card-number', cardNumbers(), isCardNumber),
    ...findIbans(text).map((range): Detection => ({ contentClass: 'pii', kind: 'iban', ...range })),
    ...NATIONAL_IDS.flatMap((id) => findNationalId(text, id)),
    ...findPattern(text, 'pii', 'phone', phoneNumbers(), isPhoneNumber),
    ...findPattern(text, 'pii', 'phone', labelledPhoneNumbers(), (number) => number.replace(/\D/g, '').length >= 8),
  ]
}

/** How far a word that says what a number is may stand from it. */
const NEAR = 64

function findNationalId(text: string, { kind, pattern, isValid, label }: NationalId): Detection[] {
  const found = findPattern(text, 'pii', kind, pattern(), isValid)
  if (label === undefined) return found
  return found.filter(({ start, end }) => label.test(text.slice(Math.max(0, start - NEAR), end + NEAR)))
}

/** The first group, where the pattern has one with the flag d, is what was found. */
function findPattern(
  text: string,
  contentClass: ContentClass,
  kind: string,
  pattern: RegExp,
  accepts: (found: string) => boolean = () => true,
): Detection[] {
  const found: Detection[] = []
  for (const match of text.matchAll(pattern)) {
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
