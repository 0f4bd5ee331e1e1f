import { type Detection, detectSecrets } from '../../../text/sensitive/detect.ts'
import type { Spot } from './spots.ts'

const MESSAGES: Readonly<Record<string, string>> = {
  'injection-override': 'tells the model to ignore its instructions',
  'injection-authority': 'claims to stand above the instructions of the model',
  'injection-exfiltration': 'tells the model to send secrets away',
  'injection-command': 'tells the model to run something without asking',
  'injection-secrecy': 'tells the model to hide something from the user',
  'injection-host-tag': 'speaks as the host of the model',
}

/**
 * Finds secrets, and orders that a skill must not give. Unlike a document, a skill consists of orders: "you must run
 * this" and "never show ids to the user" are normal, and a skill about prompts or attacks quotes what it warns of.
 */
export function findOrders(text: string): Spot[] {
  const secretly = [...text.matchAll(SECRET_COMMANDS)].map(({ index, 0: { length } }) => {
    return { contentClass: 'prompt_injection', kind: 'injection-command', start: index, end: index + length } as const
  })
  return [...detectSecrets(text), ...secretly].flatMap((found): Spot[] => {
    const { contentClass, kind, start: at } = found
    if (contentClass !== 'prompt_injection')
      return [{ rule: 'secret', severity: 'warning', at, message: `holds a secret (${kind})` }]
    const severity = judge(text, found)
    return severity === undefined
      ? []
      : [{ rule: 'orders', severity, at, message: MESSAGES[kind] ?? 'orders the model' }]
  })
}

/** Allows the path of a script in between. */
const SECRET_COMMANDS = /\b(?:run|execute)\s[^\n]{1,80}?\bwithout\s+(?:telling|informing|notifying)\b/gi

/** Undefined for text that any skill may contain. */
function judge(text: string, { kind, start, end }: Detection): Spot['severity'] | undefined {
  const phrase = text.slice(start, end)
  // One word: it was hidden in base64 or escapes, which is always severe.
  if (!/\s/.test(phrase) && kind !== 'injection-host-tag') return 'severe'
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const before = text.slice(lineStart, start)
  const after = text.slice(end, end + 80)
  if (kind === 'injection-command' && (isUsualCommand(phrase, after) || NEGATED.test(before))) return undefined
  const isHarmless = HARMLESS[kind]?.({ phrase, before, after, isCode: () => isInCode(text, start) }) ?? false
  return isHarmless || isQuoted(before, text.slice(end)) ? 'warning' : 'severe'
}

interface Place {
  phrase: string
  /** The line up to the phrase. */
  before: string
  after: string
  isCode(): boolean
}

const HARMLESS: Readonly<Record<string, (place: Place) => boolean>> = {
  // "Ignore instructions in the data" is the opposite of an attack.
  'injection-override': ({ phrase, before, after }) => {
    if (/^(?:override|bypass|disable)/i.test(phrase)) return !isAddressed(phrase, before)
    const isAboutModel = /\b(?:previous|prior|above|earlier|preceding|system|developer|your|you)\b/i
    return (
      !isAboutModel.test(phrase) &&
      /^,?\s+(?:\w+\s+){0,3}?(?:embedded|found|contained|inside|within|in|from)\b/i.test(after) &&
      !isAboutModel.test(after)
    )
  },
  'injection-authority': ({ phrase, before }) =>
    /^(?:overrid|replace|take|ha|higher)/i.test(phrase) && !isAddressed(phrase, before),
  // A skill may decide what to show, but not hide what it does. "Do not tell users to set X" hides nothing.
  'injection-secrecy': ({ phrase, after }) =>
    /\b(?:show|reveal)\b/i.test(phrase) || /^\s*(?:[*_"“'‘]|to\s|which\s|about\s+(?:each|every)\s)/i.test(after),
  // Every text about models has role names and tokens. Only a system message on its own line, outside of code, is severe.
  'injection-host-tag': ({ phrase, before, after, isCode }) => {
    const isSystem =
      /^<(?:\s*system|\|system|<SYS)/i.test(phrase) || (/^<\|im_start/i.test(phrase) && /^\s*system/i.test(after))
    return !isSystem || before.trim() !== '' || isCode()
  },
}

/** Whether a phrase addresses the model, such as "your prompt" or "these rules override". */
function isAddressed(phrase: string, before: string): boolean {
  return (
    /\byour?\b/i.test(phrase) ||
    /\b(?:these|this|following|you (?:must|should|will|can|may))\b[\w\s]{0,40}$/i.test(before)
  )
}

/** Skills may tell an agent to run something, but not secretly or without asking. */
function isUsualCommand(phrase: string, after: string): boolean {
  if (/[\u4e00-\u9fff]/.test(phrase) || /\b(?:silently|secretly)\b/i.test(phrase)) return false
  if (!/\bwithout\b/i.test(phrase))
    return !/\bwithout (?:asking|telling|informing|notifying|(?:any )?(?:confirmation|approval|permission))/i.test(
      after,
    )
  return /^\s+(?:again|twice|clarifying|any questions|questions|them questions)\b/i.test(after)
}

const NEGATED = /\b(?:do not|don't|never|must not|cannot)\s+$/i

const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ['`', '`'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
]

/** Between two quotation marks of one line. */
function isQuoted(before: string, after: string): boolean {
  const lineEnd = after.indexOf('\n')
  const rest = lineEnd < 0 ? after : after.slice(0, lineEnd)
  return QUOTES.some(([open, close]) => {
    if (open !== close) return before.lastIndexOf(open) > before.lastIndexOf(close) && rest.includes(close)
    return before.split(open).length % 2 === 0 && rest.includes(close)
  })
}

/** Inside a fenced block of Markdown. */
function isInCode(text: string, at: number): boolean {
  return (text.slice(0, at).match(/^[ \t>]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
}
