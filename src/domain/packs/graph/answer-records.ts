import { isRecord } from '../../shared/record.ts'
import { oneOf } from '../vocabulary.ts'
import type { Warnings } from './grounded.ts'
import { EVIDENCE_STATES, type EvidenceState } from './ontology-records.ts'
import { namesOf, type RecordRow, textOf, wordOf } from './record-file.ts'

export const PRESENCES = ['absent', 'mentioned', 'cited', 'primary', 'incorrect'] as const

export const TARGET_KINDS = [
  'page',
  'section',
  'paragraph',
  'table',
  'figure',
  'video-transcript',
  'data-point',
] as const

export interface Question {
  path: string
  id: string
  question: string
  variants: readonly string[]
  intent: string | undefined
  audience: string | undefined
  risk: string | undefined
  status: string | undefined
  /** What it is about: ids of concepts. */
  targetIds: readonly string[]
  blockIds: readonly string[]
  /** Blocks written inside the question. */
  blocks: readonly AnswerBlock[]
}

export interface AnswerBlock {
  path: string
  id: string
  answer: string
  claimIds: readonly string[]
  citationTargetIds: readonly string[]
  /** Undefined when it says nothing, `unknown` when it says something else. */
  evidence: EvidenceState | 'unknown' | undefined
  review: string | undefined
}

export interface CitationTarget {
  path: string
  id: string
  kind: string
  /** Where it is, as the pack writes it. */
  place: string
}

export interface Observation {
  path: string
  questionId: string | undefined
  blockId: string | undefined
  presence: string
  /** As the pack writes it; compared as text. */
  date: string
}

export function decodeQuestion({ path, fields }: RecordRow, warnings: Warnings): Question | undefined {
  const [id, question, variants] = [textOf(fields.id), textOf(fields.question), namesOf(fields.variants ?? [])]
  if (id === undefined || question === undefined || variants === undefined) return undefined
  const given = [...listOf(fields.answerBlockIds), ...listOf(fields.answerBlocks)]
  return {
    path,
    id,
    question,
    variants,
    intent: textOf(fields.intent),
    audience: textOf(fields.audience),
    risk: textOf(fields.riskLevel),
    status: wordOf(fields.status),
    targetIds: namesOf(fields.targetEntityIds ?? []) ?? [],
    blockIds: given.filter((one) => typeof one === 'string'),
    blocks: given.filter(isRecord).flatMap((block) => {
      const decoded = decodeBlock({ path, fields: block })
      if (decoded === undefined) warnings.add('answers.invalid', path, 'an answer inside a question has no text')
      return decoded ?? []
    }),
  }
}

export function decodeBlock({ path, fields }: RecordRow): AnswerBlock | undefined {
  const [answer, claimIds] = [textOf(fields.answer), namesOf(fields.claimIds ?? [])]
  if (answer === undefined || claimIds === undefined) return undefined
  const evidence = fields.evidenceStatus
  return {
    path,
    id: textOf(fields.id) ?? '',
    answer,
    claimIds,
    citationTargetIds: namesOf(fields.citationTargetIds ?? []) ?? [],
    evidence: evidence === undefined ? undefined : (oneOf(EVIDENCE_STATES, wordOf(evidence)) ?? 'unknown'),
    review: wordOf(fields.reviewStatus),
  }
}

export function decodeTarget({ path, fields }: RecordRow): CitationTarget | undefined {
  const [id, kind] = [textOf(fields.id), oneOf(TARGET_KINDS, wordOf(fields.kind))]
  const place = textOf(fields.sourceRef) ?? textOf(fields.path) ?? textOf(fields.url)
  return id === undefined || kind === undefined || place === undefined ? undefined : { path, id, kind, place }
}

export function decodeObservation({ path, fields }: RecordRow): Observation | undefined {
  const [questionId, blockId] = [textOf(fields.questionId), textOf(fields.answerBlockId)]
  const presence = oneOf(PRESENCES, wordOf(fields.presence))
  if (presence === undefined || (questionId === undefined && blockId === undefined)) return undefined
  return { path, questionId, blockId, presence, date: textOf(fields.observedAt) ?? textOf(fields.date) ?? '' }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}
