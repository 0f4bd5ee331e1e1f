import { oneOf } from '../pack.ts'
import { namesOf, type RecordRow, textOf, type Warnings, wordOf } from './graph-records.ts'

export const EVIDENCE_STATES = ['verified', 'weak', 'needs-verification', 'forbidden'] as const
export type EvidenceState = (typeof EVIDENCE_STATES)[number]

const COVERAGE_STATES = ['ready', 'missing-evidence', 'missing-material', 'needs-review', 'blocked', 'covered'] as const
type CoverageState = (typeof COVERAGE_STATES)[number]

export interface Concept {
  path: string
  id: string
  label: string
  aliases: readonly string[]
  status: string | undefined
}

export interface Relation {
  path: string
  from: string
  to: string
  type: string
  status: string | undefined
}

export interface Claim {
  path: string
  /** Empty if missing: then no evidence can name it. */
  id: string
  conceptIds: readonly string[]
  text: string
  /** Undefined if only the evidence file has it; `unknown` for an invalid value. */
  evidence: EvidenceState | 'unknown' | undefined
  review: string | undefined
  /** For example `disputed` or `stale`. */
  status: string | undefined
  sourceRefs: readonly string[]
}

export interface Evidence {
  path: string
  claimId: string
  sourceRef: string | undefined
  state: EvidenceState | undefined
}

export interface Constraint {
  path: string
  id: string
  /** Undefined if it applies to everything. */
  conceptIds: readonly string[] | undefined
  rule: string
}

export interface Coverage {
  path: string
  conceptIds: readonly string[]
  audience: string | undefined
  state: CoverageState
}

/** A decision that must be made before concepts or claims are used. */
export interface Gate {
  id: string
  conceptIds: readonly string[]
  claimIds: readonly string[]
  hasPassed: boolean
}

const PASSED = ['passed', 'approved']

/** Decodes one row. Undefined if it has another format. */
export type Decode<T> = (row: RecordRow, warnings: Warnings) => T | undefined

export const decodeConcept: Decode<Concept> = ({ path, fields }) => {
  const [id, label, aliases] = [textOf(fields.id), textOf(fields.label), namesOf(fields.aliases ?? [])]
  if (id === undefined || label === undefined || aliases === undefined) return undefined
  return { path, id, label, aliases, status: wordOf(fields.reviewStatus ?? fields.status) }
}

export const decodeRelation: Decode<Relation> = ({ path, fields }) => {
  const [from, to, type] = [textOf(fields.from), textOf(fields.to), textOf(fields.type)]
  // A relation to itself says nothing.
  if (from === undefined || to === undefined || type === undefined || from === to) return undefined
  return { path, from, to, type, status: wordOf(fields.reviewStatus ?? fields.status) }
}

export const decodeClaim: Decode<Claim> = ({ path, fields }, warnings) => {
  const [text, conceptIds, sourceRefs] = [textOf(fields.text), conceptsOf(fields), namesOf(fields.sourceRefs ?? [])]
  if (text === undefined || conceptIds === undefined) return undefined
  const id = textOf(fields.id) ?? ''
  if (id === '') warnings.add('ontology.invalid', path, 'a claim has no id')
  const evidence =
    fields.evidence === undefined ? undefined : (oneOf(EVIDENCE_STATES, wordOf(fields.evidence)) ?? 'unknown')
  if (evidence === 'unknown' || sourceRefs === undefined) {
    warnings.add('ontology.invalid', path, 'the evidence of a claim is not in a known form')
  }
  const status = wordOf(fields.status)
  return {
    path,
    id,
    conceptIds,
    text,
    evidence,
    review: wordOf(fields.reviewStatus) ?? status,
    status,
    sourceRefs: sourceRefs ?? [],
  }
}

export const decodeEvidence: Decode<Evidence> = ({ path, fields }) => {
  const claimId = textOf(fields.claimId)
  if (claimId === undefined) return undefined
  return { path, claimId, sourceRef: textOf(fields.sourceRef), state: oneOf(EVIDENCE_STATES, wordOf(fields.state)) }
}

export const decodeConstraint: Decode<Constraint> = ({ path, fields }) => {
  const rule = textOf(fields.rule) ?? textOf(fields.text)
  if (rule === undefined) return undefined
  // A constraint without valid concepts applies to everything, so that no limit is lost by a mistake.
  const conceptIds = conceptsOf(fields)
  return { path, id: textOf(fields.id) ?? '', conceptIds: conceptIds?.length === 0 ? undefined : conceptIds, rule }
}

export const decodeCoverage: Decode<Coverage> = ({ path, fields }) => {
  const [conceptIds, state] = [conceptsOf(fields), oneOf(COVERAGE_STATES, wordOf(fields.state))]
  if (conceptIds === undefined || state === undefined) return undefined
  return { path, conceptIds, audience: textOf(fields.audience), state }
}

export const decodeGate: Decode<Gate> = ({ fields }) => {
  // A gate without concepts and claims is about actions, which Loadout does not take.
  const [conceptIds, claimIds] = [conceptsOf(fields, []), claimsOf(fields, [])]
  if (conceptIds === undefined || claimIds === undefined) return undefined
  const state = wordOf(fields.state) ?? wordOf(fields.status) ?? ''
  return { id: textOf(fields.id) ?? '', conceptIds, claimIds, hasPassed: PASSED.includes(state) }
}

function conceptsOf(fields: Record<string, unknown>, none?: string[]): string[] | undefined {
  return namesOf(fields.conceptIds ?? fields.conceptId ?? none)
}

function claimsOf(fields: Record<string, unknown>, none?: string[]): string[] | undefined {
  return namesOf(fields.claimIds ?? fields.claimId ?? none)
}
