import type { ContentClass, Detection, Detector } from './detect.ts'

/** What to do with a text in which something was found. */
export type SanitizePolicy = 'warn' | 'mask' | 'drop'

/** What was found in a text, told without it. */
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

/** Applies a policy: `drop` leaves nothing of a text with a finding, `mask` marks its place, `warn` only tells. */
export function sanitize(text: string, detections: readonly Detection[], policy: SanitizePolicy): Sanitized {
  const found = countFound(detections)
  if (found.length === 0 || policy === 'warn') return { text, found }
  return { text: policy === 'drop' ? undefined : maskRanges(text, detections), found }
}

/** A detector that throws has found something in the whole text. */
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
  /** What was found first in it, and is named by the mark. */
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

/** Apart from each other and in their order. A secret takes the rest of its word with it. */
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

/** Ranges that touch are one: what two detectors share must not be readable between their marks. */
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

// Letters, digits and what base64 and tokens are made of.
function isInWord(code: number): boolean {
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  const isDigit = code >= 0x30 && code <= 0x39
  return isLetter || isDigit || code === 0x2b || code === 0x2d || code === 0x5f || code === 0x7e
}

/** Places, not reports: two detectors of a kind that meet count once. */
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
 * Every text and number of a structured value, each with its key before it: what `hunter22` is, only `password` tells.
 * Undefined for a value too deep or too large to be looked through.
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
