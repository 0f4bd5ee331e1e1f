import { parseForeignJson } from '../../text/json.ts'
import { setOwn } from '../../text/values.ts'

export type SummaryValue = string | number | boolean | null

/** In code points. A summary is a line in a table. */
const LONGEST_VALUE = 200
const LONGEST_READ = 10_000

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
  const start = text.slice(0, LONGEST_READ)
  const points = [...start.replace(/\s+/g, ' ').trim()]
  if (start === text && points.length <= LONGEST_VALUE) return points.join('')
  return `${points.slice(0, LONGEST_VALUE - 1).join('')}\u2026`
}
