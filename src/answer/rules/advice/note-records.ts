import { describeWhy, roundScore } from '../../../search/document.ts'
import { rankDocuments } from '../../../search/ranker.ts'
import { formatInstant, parseInstant } from '../../../text/instant.ts'
import { parseForeignJson } from '../../../text/json.ts'
import { compareText, isRecord, isTextList, sha256 } from '../../../text/values.ts'
import { type Candidate, nameFew, type Omission } from '../bundle.ts'
import { cleanLine, cleanText } from './adapter-slice.ts'

export interface NoteContent {
  text: string
  /** What kind of note it is: `note`, `decision`, `blocker`. */
  class: string
  tags: readonly string[]
}

/** A short-lived note about the current work. It is advice, not a rule. */
export interface TacticalRecord {
  recordId: string
  /** An ISO time in UTC, like `expiresAt`. */
  capturedAt: string
  content: NoteContent
  expiresAt: string
  /** The author: a person or a program. */
  source: string
}

/** In characters, without the line end. */
export const LONGEST_NOTE_LINE = 32 * 1024
export const LONGEST_NOTE = 4000
export const MOST_TAGS = 16
export const LONGEST_TAG = 64
const LONGEST_FIELD = 128

export function makeRecord(note: {
  content: NoteContent
  capturedAt: Date
  expiresAt: Date
  source: string
}): TacticalRecord {
  const content = cleanContent(note.content)
  return {
    recordId: recordIdOf(content),
    capturedAt: note.capturedAt.toISOString(),
    content,
    expiresAt: note.expiresAt.toISOString(),
    source: cleanLine(note.source, LONGEST_FIELD),
  }
}

/** Derived from the content, not the time: adding the same note again renews it. */
export function recordIdOf({ text, class: kind, tags }: NoteContent): string {
  return sha256(JSON.stringify([text, kind, [...tags].sort(compareText)])).slice(0, 16)
}

export function isExpired({ expiresAt }: TacticalRecord, now: Date): boolean {
  // An end that cannot be parsed counts as passed.
  return !((parseInstant(expiresAt) ?? 0) > now.getTime())
}

export function encodeRecord({ recordId, capturedAt, content, expiresAt, source }: TacticalRecord): string {
  return JSON.stringify({
    record_id: recordId,
    captured_at: capturedAt,
    content: { text: content.text, class: content.class, tags: content.tags },
    policy: { ttl_expires_at: expiresAt },
    source,
  })
}

/** One line of the file. Ignores unknown keys; a known key of the wrong type makes the line invalid. */
export function decodeRecord(
  line: string,
): { record: TacticalRecord; problem?: undefined } | { record?: undefined; problem: string } {
  if (line.length > LONGEST_NOTE_LINE) return { problem: `it is longer than ${LONGEST_NOTE_LINE} characters` }
  const { value: json, problem } = parseForeignJson(line)
  // The position inside the line would not help: the line is one note.
  if (problem !== undefined) return { problem: problem.replace(/: see line .*$/, '') }
  if (!isRecord(json)) return { problem: 'it is not an object' }
  const { record_id: recordId, captured_at, content, policy, source } = json
  if (typeof recordId !== 'string' || !/^[\w.:@+-]{1,128}$/.test(recordId))
    return { problem: '"record_id" is missing, or not a plain word' }
  const capturedAt = readInstant(captured_at)
  if (capturedAt === undefined) return { problem: '"captured_at" is not an ISO time' }
  const expiresAt = readInstant(isRecord(policy) ? policy.ttl_expires_at : undefined)
  if (expiresAt === undefined) return { problem: '"policy.ttl_expires_at" is not an ISO time' }
  if (typeof source !== 'string') return { problem: '"source" is not a text' }
  if (!isRecord(content)) return { problem: '"content" is not an object' }
  const { text, class: kind, tags } = content
  if (typeof text !== 'string') return { problem: '"content.text" is not a text' }
  if (typeof kind !== 'string') return { problem: '"content.class" is not a text' }
  if (!isTextList(tags)) return { problem: '"content.tags" is not a list of texts' }
  const clean = cleanContent({ text, class: kind, tags })
  if (clean.text === '') return { problem: '"content.text" is empty' }
  return { record: { recordId, capturedAt, content: clean, expiresAt, source: cleanLine(source, LONGEST_FIELD) } }
}

/** Texts that a model may read: limited, and without invisible characters. */
function cleanContent({ text, class: kind, tags }: NoteContent): NoteContent {
  const clean = tags.slice(0, MOST_TAGS).map((tag) => cleanLine(tag, LONGEST_TAG))
  return {
    text: cleanText(text, LONGEST_NOTE),
    class: cleanLine(kind, LONGEST_TAG),
    tags: [...new Set(clean)].filter((tag) => tag !== ''),
  }
}

function readInstant(json: unknown): string | undefined {
  const instant = typeof json === 'string' ? parseInstant(json) : undefined
  return instant === undefined ? undefined : formatInstant(instant)
}

/** The milliseconds of `90m`, `12h`, `7d`, `2w`; undefined for anything else, and for more than a year. */
export function parseTtl(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
  const milliseconds = Number(number) * (units[unit] ?? Number.NaN)
  return milliseconds > 0 && milliseconds <= 366 * 86_400_000 ? milliseconds : undefined
}

/** The notes for the bundle, in order, and why the others are left out. */
export function noteCandidates(
  records: readonly TacticalRecord[],
  task: string,
  now: Date,
  limit = 20,
): { candidates: Candidate[]; omitted: Omission[] } {
  const { latest, superseded } = latestRecords(records)
  const expired = latest.filter((record) => isExpired(record, now))
  const valid = latest.filter((record) => !isExpired(record, now))
  const ranked = rankNotes(valid, task, limit)
  const taken = new Set(ranked.map(({ record }) => record))
  const omit = (some: readonly TacticalRecord[], reason: Omission['reason'], why: (one: TacticalRecord) => string) => {
    const omission = (id: string, detail: string): Omission => {
      return { path: `note:${id}`, sourceClass: 'tactical', reason, detail }
    }
    const named = some.map((one) => omission(one.recordId, why(one)))
    return nameFew(named, (count) => omission('*', `${count} more notes`))
  }
  return {
    candidates: ranked.map(({ record, selectedBy, score, reason }) => {
      const text = textOf(record)
      return {
        path: `note:${record.recordId}`,
        sourceClass: 'tactical',
        selectedBy: 'tactical',
        reason,
        score,
        text,
        charsTotal: text.length,
        sha256: sha256(text),
        provenance: {
          captured_at: record.capturedAt,
          class: record.content.class,
          match: selectedBy,
          source: record.source,
          ttl_expires_at: record.expiresAt,
        },
        isWhole: false,
      }
    }),
    omitted: [
      ...omit(expired, 'expired', ({ expiresAt }) => `it expired at ${expiresAt}`),
      ...omit(superseded, 'duplicate', (one) => `replaced by a newer copy; this one is of ${one.capturedAt}`),
      ...omit(
        valid.filter((record) => !taken.has(record)),
        'budget',
        () => 'others match the task better or are newer',
      ),
    ],
  }
}

/** Contains class, source and tags, so that a check of the text checks every field. */
function textOf({ content, capturedAt, source }: TacticalRecord): string {
  const { text, class: kind, tags } = content
  const head = [kind || 'note', ...(source === '' ? [] : [`from ${source}`]), capturedAt].join(', ')
  return [`[${head}]`, text, ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`])].join('\n')
}

export interface RankedNote {
  record: TacticalRecord
  /** `newest`: nothing in it matches the task, but it was written last. */
  selectedBy: 'ranked' | 'newest'
  /** 0 to 1; 0 when nothing matches. */
  score: number
  reason: string
}

/**
 * The notes for a task: those that match, best first, then the newest few of the others. Equally good ones newest
 * first, then by id. Ids must be unique.
 */
export function rankNotes(records: readonly TacticalRecord[], task: string, limit: number): RankedNote[] {
  const byId = new Map(records.map((record) => [record.recordId, record]))
  const documents = records.map(({ recordId, content }) => {
    const [title = '', ...body] = content.text.split('\n')
    return { id: recordId, name: content.class, description: title, keywords: content.tags, body: body.join('\n') }
  })
  const hits = documents.length === 0 ? [] : rankDocuments(documents)(task)
  const matched = hits.flatMap(({ id, confidence, why }): RankedNote[] => {
    const record = byId.get(id)
    if (record === undefined) return []
    return [{ record, selectedBy: 'ranked', score: roundScore(confidence), reason: `ranked: ${describeWhy(why)}` }]
  })
  matched.sort((a, b) => b.score - a.score || newestFirst(a.record, b.record))
  const others = records.filter(({ recordId }) => !matched.some(({ record }) => record.recordId === recordId))
  const reason = 'one of the newest notes; nothing in it matches the task'
  // Recent events matter even if the task does not name them; more than a few would hide what matches.
  const newest = others.sort(newestFirst).slice(0, 3)
  return [
    ...matched,
    ...newest.map((record): RankedNote => ({ record, selectedBy: 'newest', score: 0, reason })),
  ].slice(0, Math.max(0, Math.floor(limit)))
}

/** All times have the same format, so they compare as text. */
export function newestFirst(a: TacticalRecord, b: TacticalRecord): number {
  return compareText(b.capturedAt, a.capturedAt) || compareText(a.recordId, b.recordId)
}

/** One record per id: the latest, and of equal ones the last in the file. Also returns the others. */
export function latestRecords(records: readonly TacticalRecord[]): {
  latest: TacticalRecord[]
  superseded: TacticalRecord[]
} {
  const byId = new Map<string, TacticalRecord>()
  for (const record of records) {
    const known = byId.get(record.recordId)
    if (known === undefined || compareText(known.capturedAt, record.capturedAt) <= 0) byId.set(record.recordId, record)
  }
  const latest = [...byId.values()]
  const kept = new Set(latest)
  return { latest, superseded: records.filter((record) => !kept.has(record)) }
}
