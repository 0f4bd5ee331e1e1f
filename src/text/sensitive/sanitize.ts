import type { ContentClass, Detection, Detector } from './detect.ts'

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
