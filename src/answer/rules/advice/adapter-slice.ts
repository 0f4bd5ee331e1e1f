import { describeWhy, type RankHit, roundScore } from '../../../search/document.ts'
import { rankDocuments } from '../../../search/ranker.ts'
import { formatInstant, parseInstant } from '../../../text/instant.ts'
import { type Finding, report } from '../../../text/trouble.ts'
import { compareText, isRecord, isTextList, sha256 } from '../../../text/values.ts'
import type { AdapterSettings } from '../../settings.ts'
import { type Candidate, nameFew, type Omission } from '../bundle.ts'

/**
 * One candidate per item, in the payload's order. The task does not choose among them; it only shows which ones match.
 */
export function toCandidates(
  payload: AdapterPayload,
  { id: adapterId, maxItems, staleAfterSeconds }: AdapterSettings,
  task: string,
  now: Date,
): { candidates: Candidate[]; omitted: Omission[]; warnings: Finding[] } {
  const { items, fetchedAt, duplicates } = payload
  const taken = items.slice(0, maxItems)
  const documents = taken.map(({ id, title, summary, tags }) => {
    return { id, name: title, description: summary, keywords: tags }
  })
  const hits = new Map<string, RankHit>()
  if (taken.length > 0) for (const hit of rankDocuments(documents)(task)) hits.set(hit.id, hit)
  const ages = taken.map(({ updatedAt }) => freshnessOf({ fetchedAt, updatedAt }, now, staleAfterSeconds))
  const candidates = taken.map((item, at): Candidate => {
    const { state, stalenessSeconds } = ages[at]!
    const hit = hits.get(item.id)
    const text = textOf(item)
    return {
      path: `${adapterId}:${item.id}`,
      sourceClass: 'adapter',
      selectedBy: 'adapter',
      reason: hit === undefined ? 'nothing in it matches the task' : `ranked: ${describeWhy(hit.why)}`,
      score: roundScore(hit?.confidence ?? 0),
      text,
      charsTotal: text.length,
      sha256: sha256(text),
      provenance: {
        adapter_id: adapterId,
        fetched_at: fetchedAt,
        updated_at: item.updatedAt,
        staleness_seconds: stalenessSeconds,
        freshness: state,
      },
      isWhole: false,
    }
  })
  const omission = (id: string, reason: Omission['reason'], detail: string): Omission => {
    return { path: `${adapterId}:${id}`, sourceClass: 'adapter', reason, detail }
  }
  const beyond = items.slice(maxItems)
  const omitted = [
    ...nameFew(
      beyond.map(({ id }) => omission(id, 'budget', `at most ${maxItems} items of this adapter are taken`)),
      (count) => omission('*', 'budget', `${count} more: at most ${maxItems} items of this adapter are taken`),
    ),
    ...nameFew(
      duplicates.map((id) => omission(id, 'duplicate', 'another item has the same id')),
      (count) => omission('*', 'duplicate', `${count} more with duplicate ids`),
    ),
  ]
  const about = { subject: adapterId }
  const warnings: Finding[] = []
  if (payload.adapterId !== adapterId) {
    const own = JSON.stringify(payload.adapterId)
    warnings.push(report('ADAPTER_FAILED/adapter-name', { id: adapterId, own }, about))
  }
  if (duplicates.length > 0) {
    warnings.push(report('ADAPTER_FAILED/adapter-duplicates', { id: adapterId, count: duplicates.length }, about))
  }
  const [first] = ages
  if (first?.state === 'stale') {
    const facts = { id: adapterId, age: first.stalenessSeconds ?? 0, most: staleAfterSeconds }
    warnings.push(report('ADAPTER_FAILED/adapter-stale', facts, about))
  } else if (ages.some(({ state }) => state === 'unknown')) {
    warnings.push(report('ADAPTER_FAILED/adapter-undated', { id: adapterId }, about))
  }
  return { candidates, omitted, warnings }
}

/** The text of an item contains every field, so that a check of the text checks all of them. */
function textOf({ id, title, state, priority, updatedAt, summary, tags }: AdapterItem): string {
  const facts = [
    state === '' ? [] : [`state ${state}`],
    priority === null ? [] : [`priority ${priority}`],
    updatedAt === null ? [] : [`updated ${updatedAt}`],
  ].flat()
  const lines = [
    title === '' ? id : `${id}: ${title}`,
    facts.join(', '),
    summary,
    tags.length === 0 ? '' : `tags: ${tags.join(', ')}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

// Functions, because compiling the expressions takes time, and plain text does not need them.
const lineEnds = () => /\r\n?|[\v\f\u0085\u2028\u2029]/g

// Controls, bidirectional marks, lone surrogates, and characters that are invisible to people but not to a model.
const hidden = () =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu

/** A displayable text: line ends are `\n`; removes invisible and control characters. Tabs stay. */
export function cleanText(text: string, longest: number): string {
  const clean = /^[\x20-\x7e\n\t]*$/.test(text) ? text : text.replace(lineEnds(), '\n').replace(hidden(), '')
  return cap(clean.trim(), longest)
}

/** Like `cleanText` on one line, with single blanks between the words: a field. */
export function cleanLine(text: string, longest: number): string {
  // Twice the length is enough to fill a field; folding a megabyte for it would be slow.
  const clean = cleanText(cap(text, longest * 2 + 1024), text.length)
  return cap(clean.replace(/\s+/g, ' ').trim(), longest)
}

/** At most this many characters; a cut text ends in an ellipsis, and no surrogate pair is split. */
function cap(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = longest - 1
  if (end < 0) return ''
  const isInPair = end > 0 && (text.codePointAt(end - 1) ?? 0) > 0xffff
  return `${text.slice(0, isInPair ? end - 1 : end).trimEnd()}\u2026`
}

export interface Freshness {
  state: 'fresh' | 'stale' | 'unknown'
  /** The maximum age of the copy; null when it is unknown. */
  stalenessSeconds: number | null
}

/**
 * The age of a tool's data: the time since it was fetched, not since the subject changed. Without a fetch time,
 * a recent change still proves that the copy is not older.
 */
export function freshnessOf(
  { fetchedAt, updatedAt }: { fetchedAt: string | null; updatedAt: string | null },
  now: Date,
  staleAfterSeconds: number,
): Freshness {
  const age = ageOf(fetchedAt, now)
  if (age !== undefined) return { state: age > staleAfterSeconds ? 'stale' : 'fresh', stalenessSeconds: age }
  const sinceChange = fetchedAt === null ? ageOf(updatedAt, now) : undefined
  if (sinceChange === undefined || sinceChange > staleAfterSeconds) return { state: 'unknown', stalenessSeconds: null }
  return { state: 'fresh', stalenessSeconds: sinceChange }
}

function ageOf(time: string | null, now: Date): number | undefined {
  const instant = time === null ? undefined : parseInstant(time)
  const age = instant === undefined ? Number.NaN : now.getTime() - instant
  // Clocks of two machines differ by five minutes; a time further ahead is invalid.
  return age >= -5 * 60_000 ? Math.max(0, Math.floor(age / 1000)) : undefined
}

/** One item of an external tool: a ticket, a build, a review. */
export interface AdapterItem {
  id: string
  state: string
  /** From the tool: a number, the lowest being the most urgent, or a word. Null if missing. */
  priority: number | string | null
  title: string
  summary: string
  tags: readonly string[]
  /** An ISO time in UTC, like that of the payload; null without a valid time. */
  updatedAt: string | null
}

export interface AdapterPayload {
  /** Its own name, which may differ from the one in the project's settings. */
  adapterId: string
  fetchedAt: string | null
  /** Most urgent first, then what changed last, then by id. Ids are unique. */
  items: readonly AdapterItem[]
  /** Ids that occurred more than once; the first in order was kept. */
  duplicates: readonly string[]
}

export type ParsedPayload = { payload: AdapterPayload; problem?: undefined } | { payload?: undefined; problem: string }

const LONGEST = { id: 128, state: 40, title: 200, summary: 1000, tag: 50, priority: 20 } as const

/** Parses the output of an adapter. Ignores unknown keys; refuses a known key of the wrong type. */
export function parseAdapterPayload(json: unknown): ParsedPayload {
  if (!isRecord(json)) return { problem: 'the payload is not an object' }
  const { adapter_id, fetched_at, items } = json
  if (typeof adapter_id !== 'string' || adapter_id === '') return { problem: '"adapter_id" is not a text' }
  if (!isTextOrNothing(fetched_at)) return { problem: '"fetched_at" is not a text' }
  if (!Array.isArray(items)) return { problem: '"items" is not a list' }
  const read: AdapterItem[] = []
  for (const [at, item] of items.entries()) {
    const found = readItem(item)
    if (typeof found === 'string') return { problem: `"items[${at}]": ${found}` }
    read.push(found)
  }
  // The rest of the item decides between two with one id, so that the order of the list never does.
  read.sort(
    (a, b) =>
      urgencyOf(a) - urgencyOf(b) ||
      compareText(b.updatedAt ?? '', a.updatedAt ?? '') ||
      compareText(a.id, b.id) ||
      compareText(JSON.stringify(a), JSON.stringify(b)),
  )
  const unique = new Map<string, AdapterItem>()
  const duplicates: string[] = []
  for (const item of read) {
    if (unique.has(item.id)) duplicates.push(item.id)
    else unique.set(item.id, item)
  }
  const adapterId = cleanLine(adapter_id, LONGEST.id)
  return { payload: { adapterId, fetchedAt: readInstant(fetched_at), items: [...unique.values()], duplicates } }
}

function readItem(json: unknown): AdapterItem | string {
  if (!isRecord(json)) return 'it is not an object'
  const { state, title, summary, tags = [], updated_at, priority } = json
  const field = (given: unknown, longest: number) => (typeof given === 'string' ? cleanLine(given, longest) : '')
  // Many trackers number their tickets.
  const id = Number.isSafeInteger(json.id) ? String(json.id) : field(json.id, LONGEST.id)
  if (id === '') return '"id" is not a text'
  for (const [key, value] of Object.entries({ state, title, summary, updated_at })) {
    if (!isTextOrNothing(value)) return `"${key}" is not a text`
  }
  if (tags !== null && !isTextList(tags)) return '"tags" is not a list of texts'
  const weight = readPriority(priority)
  if (weight === undefined) return '"priority" is neither a word nor a number within a million'
  const clean = (tags ?? []).slice(0, 12).map((tag) => cleanLine(tag, LONGEST.tag))
  return {
    id,
    state: field(state, LONGEST.state),
    priority: weight,
    title: field(title, LONGEST.title),
    summary: field(summary, LONGEST.summary),
    tags: [...new Set(clean)].filter((tag) => tag !== ''),
    updatedAt: readInstant(updated_at),
  }
}

/** Undefined if it cannot be a priority. */
function readPriority(json: unknown): number | string | null | undefined {
  if (json === undefined || json === null) return null
  if (typeof json === 'string') return cleanLine(json, LONGEST.priority) || null
  return typeof json === 'number' && Math.abs(json) <= 1_000_000 ? json : undefined
}

function readInstant(json: unknown): string | null {
  const instant = typeof json === 'string' ? parseInstant(json.trim()) : undefined
  return instant === undefined ? null : formatInstant(instant)
}

function isTextOrNothing(json: unknown): json is string | null | undefined {
  return json === undefined || json === null || typeof json === 'string'
}

const WORDS: readonly (readonly string[])[] = [
  ['p0', 'critical', 'urgent', 'blocker', 'highest'],
  ['p1', 'high'],
  ['p2', 'medium', 'normal'],
  ['p3', 'low'],
  ['p4', 'lowest', 'backlog'],
]

/** Maps words to the numbers of trackers, from 0; unknown words and missing priorities come last. */
function urgencyOf({ priority }: AdapterItem): number {
  if (typeof priority === 'number') return priority
  const known = WORDS.findIndex((words) => words.includes(priority?.toLowerCase() ?? ''))
  return known < 0 ? Number.MAX_SAFE_INTEGER : known
}
