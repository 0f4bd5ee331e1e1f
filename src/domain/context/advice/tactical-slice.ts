import { sha256 } from '../../shared/digest.ts'
import type { Candidate, Omission } from '../candidate.ts'
import { nameFew } from './optional-slice.ts'
import { latestRecords, type RankedNote, rankNotes } from './rank-notes.ts'
import { isExpired, type TacticalRecord } from './tactical-record.ts'

/** More notes than this are not weighed for their place in a bundle. */
const MOST_NOTES = 20

/** The notes that want a place in the bundle, in their order, and why the others do not. */
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

/** Class, source and tags too, so that whoever checks the text has checked every field. */
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
