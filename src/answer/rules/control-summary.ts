import { parseForeignJson } from '../../text/json.ts'
import { compareText, setOwn } from '../../text/values.ts'

export type SummaryValue = string | number | boolean | null

/** In code points. A summary is a line in a table. */
const LONGEST_VALUE = 200

/**
 * The requested fields of a JSON file, by dotted path; for a list its length, for an object the number of its keys.
 * Omits missing fields. Undefined unless the text is JSON that can be read safely.
 */
export function summarizeJson(text: string, fields: readonly string[]): Record<string, SummaryValue> | undefined {
  const parsed = parseForeignJson(text.replace(/^\ufeff/, ''))
  if (parsed.problem !== undefined) return undefined
  const summary: Record<string, SummaryValue> = {}
  for (const field of fields) {
    const value = shown(follow(parsed.value, field))
    if (value !== undefined) setOwn(summary, field, value)
  }
  return summary
}

/** The last key may contain dots: tries the rest of the path as one key before its parts. */
function follow(json: unknown, path: string): unknown {
  if (typeof json !== 'object' || json === null) return undefined
  if (Object.hasOwn(json, path) && !isLengthOf(json, path)) return Reflect.get(json, path)
  const dot = path.indexOf('.')
  if (dot < 0) return undefined
  const key = path.slice(0, dot)
  return Object.hasOwn(json, key) ? follow(Reflect.get(json, key), path.slice(dot + 1)) : undefined
}

// The only own property of a list that is not in the file.
function isLengthOf(json: object, key: string): boolean {
  return Array.isArray(json) && key === 'length'
}

function shown(value: unknown): SummaryValue | undefined {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return shortLine(value)
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' ? Object.keys(value).length : undefined
}

function shortLine(text: string): string {
  const start = text.slice(0, 10_000)
  const points = [...start.replace(/\s+/g, ' ').trim()]
  if (start === text && points.length <= LONGEST_VALUE) return points.join('')
  return `${points.slice(0, LONGEST_VALUE - 1).join('')}\u2026`
}

/** A document that may state its promotion date. */
export interface DatedFile {
  path: string
  text: string
}

/**
 * Paths from the latest to the oldest: by the promotion date in a document, then by the version in its name, then by
 * name. Undated ones come last. File times do not count: every checkout changes them.
 */
export function orderLatest(files: readonly DatedFile[]): string[] {
  return files
    .map(({ path, text }) => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return { path, name, instant: promotedAt(text), version: versionIn(name) }
    })
    .sort(
      (a, b) =>
        (b.instant < a.instant ? -1 : b.instant > a.instant ? 1 : 0) ||
        compareVersions(b.version, a.version) ||
        compareText(a.name, b.name) ||
        compareText(a.path, b.path),
    )
    .map(({ path }) => path)
}

// A document states its date near its top; what follows may quote the dates of others.
const HEAD_LINES = 200

/** `promoted_at: 2026-01-31`, `- **Promoted at:** 2026-01-31T10:00:00Z`, `Promotion date: …`. */
const FIELD = /^[\s>*_`#"'-]*([a-z][a-z _-]{3,30})[*_`"']*\s*:\s*(.*)$/i

/** In this order: a document with several dates is dated by its promotion. */
const DATE_FIELDS = [
  ['promotedat', 'promotedon', 'promoted', 'promoteddate', 'promotiondate', 'datepromoted'],
  ['date', 'decidedat', 'decidedon', 'decided', 'decisiondate'],
]

/** Milliseconds since 1970, or minus infinity when the document states no date that exists. */
function promotedAt(text: string): number {
  const found = DATE_FIELDS.map(() => Number.NEGATIVE_INFINITY)
  for (const line of text.slice(0, 64 * 1024).split(/\r\n|\r|\n/, HEAD_LINES)) {
    if (line.length > 400) continue
    const [, name = '', value = ''] = FIELD.exec(line) ?? []
    const rank = DATE_FIELDS.findIndex((names) => names.includes(name.toLowerCase().replace(/[ _-]/g, '')))
    if (rank >= 0 && found[rank] === Number.NEGATIVE_INFINITY) found[rank] = instantIn(value)
  }
  return found.find((instant) => instant !== Number.NEGATIVE_INFINITY) ?? Number.NEGATIVE_INFINITY
}

// Parsed by hand, because Date.parse reads a time without a zone in the zone of this machine.
const INSTANT =
  /^[\s*_`"']*(\d{4})-?(\d\d)-?(\d\d)(?:[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?\s*(?:[Zz]|UTC|([+-])(\d\d):?(\d\d)?)?)?(?!\d)/

function instantIn(text: string): number {
  const match = INSTANT.exec(text)
  if (match === null) return Number.NEGATIVE_INFINITY
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const milliseconds = Number(`0.${match[7] ?? 0}`) * 1000
  const start = new Date(0).setUTCFullYear(year, month - 1, day)
  const isDay = month >= 1 && month <= 12 && day >= 1 && new Date(start).getUTCMonth() === month - 1
  if (!isDay || hour > 23 || minute > 59 || second > 60) return Number.NEGATIVE_INFINITY
  const offset = (match[8] === '-' ? -1 : 1) * (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0))
  return start + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds
}

/** The digits of the last `_v12` in a name, without leading zeros; undefined when there is none. */
function versionIn(name: string): string | undefined {
  return [...name.matchAll(/[_.-]v(\d+)(?![a-z0-9])/gi)].at(-1)?.[1]?.replace(/^0+(?=\d)/, '')
}

/** Digits of any length: a number would lose precision. */
function compareVersions(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  return a.length - b.length || compareText(a, b)
}
