import { countFound, detectSafely, type FoundContent, failedDetection } from './sanitize.ts'
import type { Detector } from './sanitized.ts'

const DEEPEST = 64
const MOST_FIELDS = 100_000

/**
 * Every text and number of a structured value, each with its key before it: what `hunter22` is, only `password` tells.
 * Undefined for a value too deep or too large to be looked through.
 */
export function fieldTexts(value: unknown): string[] | undefined {
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
  // Quoted, so that a value that is one word is known to be one.
  return /["\s]/.test(text) ? `${key}: ${text}` : `${key}: "${text}"`
}

function numberText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(0) : String(value)
}

/** What is in any field, keys included. A value that cannot be looked through, or a detector that throws, is a finding. */
export function checkFields(value: unknown, detector: Detector): FoundContent[] {
  const texts = fieldTexts(value)
  if (texts === undefined) return countFound([failedDetection(' ')])
  // Apart: what ends one field and begins another is no secret of both.
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
