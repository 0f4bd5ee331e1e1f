import { describeWhy, type RankHit, roundScore } from '../../../search/document.ts'
import { rankDocuments } from '../../../search/ranker.ts'
import { formatInstant, parseInstant } from '../../../text/instant.ts'
import type { Finding } from '../../../text/trouble.ts'
import { compareText, isRecord, isTextList, sha256 } from '../../../text/values.ts'
import { type Candidate, nameFew, type Omission } from '../bundle.ts'
import type { AdapterSettings } from '../context-settings.ts'

export interface AdapterCandidates {
  candidates: Candidate[]
  omitted: Omission[]
  warnings: Finding[]
}

/**
 * One candidate per item, in the payload's order. The task does not choose among them; it only shows which ones match.
 */
export function toCandidates(
  payload: AdapterPayload,
  adapter: AdapterSettings,
  task: string,
  now: Date,
): AdapterCandidates {
  const taken = payload.items.slice(0, adapter.maxItems)
  const hits = fitting(taken, task)
  const fresh = new Map(
    taken.map((item) => [item, freshnessOf(timesOf(payload, item), now, adapter.staleAfterSeconds)]),
  )
  const candidates = [...fresh].map(([item, freshness]) =>
    candidateOf(adapter, payload, item, freshness, hits.get(item.id)),
  )
  return { candidates, omitted: leftOut(payload, adapter), warnings: warningsOf(payload, adapter, [...fresh.values()]) }
}

function timesOf({ fetchedAt }: AdapterPayload, { updatedAt }: AdapterItem) {
  return { fetchedAt, updatedAt }
}

function candidateOf(
  { id: adapterId }: AdapterSettings,
  { fetchedAt }: AdapterPayload,
  item: AdapterItem,
  { state, stalenessSeconds }: Freshness,
  hit: RankHit | undefined,
): Candidate {
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

function fitting(items: readonly AdapterItem[], task: string): Map<string, RankHit> {
  if (items.length === 0) return new Map()
  const documents = items.map(({ id, title, summary, tags }) => ({
    id,
    name: title,
    description: summary,
    keywords: tags,
  }))
  return new Map(rankDocuments(documents, task).map((hit) => [hit.id, hit]))
}

function leftOut({ items, duplicates }: AdapterPayload, { id: adapterId, maxItems }: AdapterSettings): Omission[] {
  const omission = (id: string, reason: Omission['reason'], detail: string): Omission => {
    return { path: `${adapterId}:${id}`, sourceClass: 'adapter', reason, detail }
  }
  const beyond = items.slice(maxItems)
  return [
    ...nameFew(
      beyond.map(({ id }) => omission(id, 'budget', `at most ${maxItems} items of this adapter are taken`)),
      (count) => omission('*', 'budget', `${count} more: at most ${maxItems} items of this adapter are taken`),
    ),
    ...nameFew(
      duplicates.map((id) => omission(id, 'duplicate', 'another item has the same id')),
      (count) => omission('*', 'duplicate', `${count} more with duplicate ids`),
    ),
  ]
}

function warningsOf(payload: AdapterPayload, { id, staleAfterSeconds }: AdapterSettings, all: Freshness[]): Finding[] {
  const warn = (code: Finding['code'], message: string): Finding => ({
    severity: 'warning',
    code,
    message,
    subject: id,
  })
  const [first] = all
  const warnings: Finding[] = []
  if (payload.adapterId !== id) {
    warnings.push(warn('ADAPTER_FAILED', `the adapter ${id} calls itself ${JSON.stringify(payload.adapterId)}`))
  }
  if (payload.duplicates.length > 0) {
    warnings.push(warn('ADAPTER_FAILED', `the adapter ${id} returned ${payload.duplicates.length} items twice`))
  }
  if (first?.state === 'stale') {
    const message = `the data of the adapter ${id} is ${first.stalenessSeconds} s old, more than ${staleAfterSeconds} s`
    warnings.push(warn('ADAPTER_FAILED', message))
  } else if (all.some(({ state }) => state === 'unknown')) {
    warnings.push(warn('ADAPTER_FAILED', `the adapter ${id} does not say when it fetched its data`))
  }
  return warnings
}

// Functions, because compiling the expressions takes time, and plain text does not need them.
const lineEnds = () => /\r\n?|[\v\f\u0085\u2028\u2029]/g

// Controls, bidirectional marks, lone surrogates, and characters that are invisible to people but not to a model.
const hidden = () =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu

const PLAIN = /^[\x20-\x7e\n\t]*$/

/** A displayable text: line ends are `\n`; removes invisible and control characters. Tabs stay. */
export function cleanText(text: string, longest: number): string {
  const clean = PLAIN.test(text) ? text : text.replace(lineEnds(), '\n').replace(hidden(), '')
  return cap(clean.trim(), longest)
}

/** Like `cleanText` on one line, with single blanks between the words: a field. */
export function cleanLine(text: string, longest: number): string {
  // Twice the length is enough to fill a field; folding a megabyte for it would be slow.
  const clean = cleanText(cap(text, longest * 2 + 1024), text.length)
  return cap(clean.replace(/\s+/g, ' ').trim(), longest)
}

const ELLIPSIS = '\u2026'

/** At most this many characters; a cut text ends in an ellipsis, and no surrogate pair is split. */
function cap(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = longest - ELLIPSIS.length
  if (end < 0) return ''
  return `${text.slice(0, isInPair(text, end) ? end - 1 : end).trimEnd()}${ELLIPSIS}`
}

function isInPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

export interface Freshness {
  state: 'fresh' | 'stale' | 'unknown'
  /** The maximum age of the copy; null when it is unknown. */
  stalenessSeconds: number | null
}

/** Clocks of two machines differ by this much; a time further ahead is invalid. */
const MOST_AHEAD_MS = 5 * 60_000

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
  return age >= -MOST_AHEAD_MS ? Math.max(0, Math.floor(age / 1000)) : undefined
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
const MOST_TAGS = 12
const LARGEST_PRIORITY = 1_000_000

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
  const { unique, duplicates } = withoutDuplicates(read.sort(mostUrgentFirst))
  const adapterId = cleanLine(adapter_id, LONGEST.id)
  return { payload: { adapterId, fetchedAt: readInstant(fetched_at), items: unique, duplicates } }
}

function readItem(json: unknown): AdapterItem | string {
  if (!isRecord(json)) return 'it is not an object'
  const { state, title, summary, tags = [], updated_at, priority } = json
  const id = readId(json.id)
  if (id === '') return '"id" is not a text'
  for (const [key, value] of Object.entries({ state, title, summary, updated_at })) {
    if (!isTextOrNothing(value)) return `"${key}" is not a text`
  }
  if (tags !== null && !isTextList(tags)) return '"tags" is not a list of texts'
  const weight = readPriority(priority)
  if (weight === undefined) return '"priority" is neither a word nor a number within a million'
  const clean = (tags ?? []).slice(0, MOST_TAGS).map((tag) => cleanLine(tag, LONGEST.tag))
  return {
    id,
    state: readField(state, LONGEST.state),
    priority: weight,
    title: readField(title, LONGEST.title),
    summary: readField(summary, LONGEST.summary),
    tags: [...new Set(clean)].filter((tag) => tag !== ''),
    updatedAt: readInstant(updated_at),
  }
}

/** Many trackers number their tickets. Empty if the item has no id. */
function readId(json: unknown): string {
  if (Number.isSafeInteger(json)) return String(json)
  return readField(json, LONGEST.id)
}

function readField(json: unknown, longest: number): string {
  return typeof json === 'string' ? cleanLine(json, longest) : ''
}

/** Undefined if it cannot be a priority. */
function readPriority(json: unknown): number | string | null | undefined {
  if (json === undefined || json === null) return null
  if (typeof json === 'string') return cleanLine(json, LONGEST.priority) || null
  return typeof json === 'number' && Math.abs(json) <= LARGEST_PRIORITY ? json : undefined
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

function mostUrgentFirst(a: AdapterItem, b: AdapterItem): number {
  const byTime = compareText(b.updatedAt ?? '', a.updatedAt ?? '')
  // The rest of the item decides between two with one id, so that the order of the list never does.
  return (
    urgencyOf(a) - urgencyOf(b) ||
    byTime ||
    compareText(a.id, b.id) ||
    compareText(JSON.stringify(a), JSON.stringify(b))
  )
}

function withoutDuplicates(items: readonly AdapterItem[]): { unique: AdapterItem[]; duplicates: string[] } {
  const byId = new Map<string, AdapterItem>()
  const duplicates: string[] = []
  for (const item of items) {
    if (byId.has(item.id)) duplicates.push(item.id)
    else byId.set(item.id, item)
  }
  return { unique: [...byId.values()], duplicates }
}
