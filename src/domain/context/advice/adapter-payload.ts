import { compareText } from '../../shared/order.ts'
import { isRecord, isTextList } from '../../shared/record.ts'
import { cleanLine } from './field-text.ts'
import { formatInstant, parseInstant } from './instant.ts'

/** One thing an external tool tells: a ticket, a build, a review. */
export interface AdapterItem {
  id: string
  state: string
  /** As the tool says it: a number, of which the lowest is the most urgent, or a word. Null when it says nothing. */
  priority: number | string | null
  title: string
  summary: string
  tags: readonly string[]
  /** An ISO time in UTC, like that of the payload; null when there is none that can be understood. */
  updatedAt: string | null
}

export interface AdapterPayload {
  /** The name it gives itself, which may differ from the one in the project's settings. */
  adapterId: string
  fetchedAt: string | null
  /** Most urgent first, then what changed last, then by id. Ids are unique. */
  items: readonly AdapterItem[]
  /** Ids that came more than once; the first in order was kept. */
  duplicates: readonly string[]
}

export type ParsedPayload = { payload: AdapterPayload; problem?: undefined } | { payload?: undefined; problem: string }

const LONGEST = { id: 128, state: 40, title: 200, summary: 1000, tag: 50, priority: 20 } as const
const MOST_TAGS = 12
const LARGEST_PRIORITY = 1_000_000

/** Reads what an adapter gave. Keys that are not known are ignored; a known one of the wrong kind refuses the whole. */
export function parseAdapterPayload(json: unknown): ParsedPayload {
  if (!isRecord(json)) return { problem: 'the payload is no object' }
  const { adapter_id, fetched_at, items } = json
  if (typeof adapter_id !== 'string' || adapter_id === '') return { problem: '"adapter_id" is no text' }
  if (!isTextOrNothing(fetched_at)) return { problem: '"fetched_at" is no text' }
  if (!Array.isArray(items)) return { problem: '"items" is no list' }
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
  if (!isRecord(json)) return 'it is no object'
  const { state, title, summary, tags = [], updated_at, priority } = json
  const id = readId(json.id)
  if (id === '') return '"id" is no text'
  for (const [key, value] of Object.entries({ state, title, summary, updated_at })) {
    if (!isTextOrNothing(value)) return `"${key}" is no text`
  }
  if (tags !== null && !isTextList(tags)) return '"tags" is no list of texts'
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

/** Many trackers number their tickets. Empty when there is nothing to name the item by. */
function readId(json: unknown): string {
  if (Number.isSafeInteger(json)) return String(json)
  return readField(json, LONGEST.id)
}

function readField(json: unknown, longest: number): string {
  return typeof json === 'string' ? cleanLine(json, longest) : ''
}

/** Undefined when it can be no priority. */
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

/** Words take the places that trackers number from 0; a word that means nothing to us comes last, as does silence. */
function urgencyOf({ priority }: AdapterItem): number {
  if (typeof priority === 'number') return priority
  const known = WORDS.findIndex((words) => words.includes(priority?.toLowerCase() ?? ''))
  return known < 0 ? Number.MAX_SAFE_INTEGER : known
}

function mostUrgentFirst(a: AdapterItem, b: AdapterItem): number {
  const byTime = compareText(b.updatedAt ?? '', a.updatedAt ?? '')
  // The rest of the item decides between two of one id, so that the order of the list never does.
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
