import type { RankDocument } from '../../../search/document.ts'
import { describeWhy, roundScore } from '../../../search/document.ts'
import { createRanker } from '../../../search/ranker.ts'
import { compareText, sha256 } from '../../../text/values.ts'
import type { Candidate, Omission } from '../bundle.ts'
import { nameFew } from './optional-slice.ts'
import { isExpired, type TacticalRecord } from './tactical-record.ts'

/** The maximum number of notes that are considered for a bundle. */
const MOST_NOTES = 20

/** The notes for the bundle, in order, and why the others are left out. */
export function noteCandidates(
  records: readonly TacticalRecord[],
  task: string,
  now: Date,
  limit = MOST_NOTES,
): { candidates: Candidate[]; omitted: Omission[] } {
  const { latest, superseded } = latestRecords(records)
  const expired = latest.filter((record) => isExpired(record, now))
  const valid = latest.filter((record) => !isExpired(record, now))
  const ranked = rankNotes(valid, task, limit)
  const taken = new Set(ranked.map(({ record }) => record))
  const left = valid.filter((record) => !taken.has(record))
  return {
    candidates: ranked.map(candidateOf),
    omitted: [
      ...namedOmissions(expired, 'expired', ({ expiresAt }) => `it expired at ${expiresAt}`),
      ...namedOmissions(superseded, 'duplicate', ({ capturedAt }) => `said again later; this was of ${capturedAt}`),
      ...namedOmissions(left, 'budget', () => 'others match the task better or are newer'),
    ],
  }
}

function candidateOf({ record, selectedBy, score, reason }: RankedNote): Candidate {
  const { recordId, content, capturedAt, expiresAt, source } = record
  const text = textOf(record)
  return {
    path: `note:${recordId}`,
    sourceClass: 'tactical',
    selectedBy: 'tactical',
    reason,
    score,
    text,
    charsTotal: text.length,
    sha256: sha256(text),
    provenance: {
      captured_at: capturedAt,
      class: content.class,
      match: selectedBy,
      source,
      ttl_expires_at: expiresAt,
    },
    isWhole: false,
  }
}

/** Class, source and tags too, so that a check of the text checks every field. */
function textOf({ content, capturedAt, source }: TacticalRecord): string {
  const { text, class: kind, tags } = content
  const head = [kind || 'note', ...(source === '' ? [] : [`from ${source}`]), capturedAt].join(', ')
  return [`[${head}]`, text, ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`])].join('\n')
}

function namedOmissions(
  records: readonly TacticalRecord[],
  reason: Omission['reason'],
  detailOf: (record: TacticalRecord) => string,
): Omission[] {
  const omission = (id: string, detail: string): Omission => {
    return { path: `note:${id}`, sourceClass: 'tactical', reason, detail }
  }
  const named = records.map((record) => omission(record.recordId, detailOf(record)))
  return nameFew(named, (count) => omission('*', `${count} more notes`))
}

export interface RankedNote {
  record: TacticalRecord
  /** `newest`: nothing in it matches the task, but it was written last. */
  selectedBy: 'ranked' | 'newest'
  /** 0 to 1; 0 when nothing matches. */
  score: number
  reason: string
}

/** Recent events matter even if the task does not name them; more than a few would hide what matches. */
const NEWEST_UNMATCHED = 3

/**
 * The notes for a task: those that match, best first, then the newest few of the others. Equally good ones newest
 * first, then by id. Ids must be unique.
 */
export function rankNotes(records: readonly TacticalRecord[], task: string, limit: number): RankedNote[] {
  const most = Math.max(0, Math.floor(limit))
  const matched = matching(records, task)
  const others = records.filter(({ recordId }) => !matched.some(({ record }) => record.recordId === recordId))
  const newest = others.sort(newestFirst).slice(0, NEWEST_UNMATCHED)
  return [
    ...matched,
    ...newest.map((record) => ({
      record,
      selectedBy: 'newest' as const,
      score: 0,
      reason: 'one of the newest notes; nothing in it matches the task',
    })),
  ].slice(0, most)
}

function matching(records: readonly TacticalRecord[], task: string): RankedNote[] {
  if (records.length === 0) return []
  const byId = new Map(records.map((record) => [record.recordId, record]))
  const hits = createRanker(records.map(documentOf)).rank(task, { limit: records.length })
  const notes = hits.flatMap(({ id, confidence, why }): RankedNote[] => {
    const record = byId.get(id)
    if (record === undefined) return []
    return [{ record, selectedBy: 'ranked', score: roundScore(confidence), reason: `ranked: ${describeWhy(why)}` }]
  })
  return notes.sort((a, b) => b.score - a.score || newestFirst(a.record, b.record))
}

function documentOf({ recordId, content }: TacticalRecord): RankDocument {
  const [title = '', ...body] = content.text.split('\n')
  return { id: recordId, name: content.class, description: title, keywords: content.tags, body: body.join('\n') }
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
