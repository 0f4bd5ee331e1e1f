import type { SecretKind } from '../../packs/fence/secret-patterns.ts'
import { findInjectionSpans, findSecretSpans } from '../../packs/fence/text-spans.ts'
import { emailAddresses, isPersonal, isPhoneNumber, labelledPhoneNumbers, phoneNumbers } from './contact-details.ts'
import { findEncodedTexts } from './encoded-text.ts'
import { cardNumbers, findIbans, isCardNumber } from './money-numbers.ts'
import { NATIONAL_IDS, type NationalId } from './national-ids.ts'
import { RESTRICTED_MARKINGS } from './restricted-markings.ts'
import type { ContentClass, Detection, Detector } from './sanitized.ts'
import { readViews } from './text-view.ts'

export interface DetectorOptions {
  /** Words that a project does not want to be shown, found whole and in any case. */
  extraWords?: readonly string[]
}

/** Looks through escapes and base64. Ranges are of the text as it is; some may overlap or come twice. */
export function createDetector({ extraWords = [] }: DetectorOptions = {}): Detector {
  const findWords = createWordFinder(extraWords)
  const find = (text: string) => [...findAll(text), ...findWords(text)]
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

/** With no words of a project. */
export const detectContent: Detector = createDetector()

const CREDENTIALS: ReadonlySet<SecretKind> = new Set(['bearer-token', 'url-password', 'password', 'named-token'])

function findAll(text: string): Detection[] {
  const secrets = findSecretSpans(text).map(
    (span): Detection => ({ contentClass: CREDENTIALS.has(span.kind) ? 'credential' : 'secret', ...span }),
  )
  const injections = findInjectionSpans(text).map(
    (span): Detection => ({ contentClass: 'prompt_injection', ...span, kind: `injection-${span.kind}` }),
  )
  const markings = RESTRICTED_MARKINGS.flatMap(({ kind, pattern }) =>
    findPattern(text, 'regulated_restricted', kind, pattern()),
  )
  return [...secrets, ...findPersonal(text), ...markings, ...injections]
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
