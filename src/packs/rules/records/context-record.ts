import type { Severity } from '../../../text/trouble.ts'
import {
  ACTIVATIONS,
  type Activation,
  GROUNDINGS,
  type Grounding,
  PACK_STATUSES,
  type PackStatus,
  PROFILES,
  type Profile,
  RUN_STATUSES,
  RUNTIME_MODES,
  type RunStatus,
  type RuntimeMode,
  TRUST_LABELS,
  type TrustLabel,
} from '../pack.ts'
import { SEVERITIES } from './compile-run.ts'
import { anyText, closed, listOf, type Reader, readRecord, someText, wholeNumber, word } from './record-shape.ts'

interface RecordedWarning {
  severity: Severity
  message: string
  path?: string | undefined
}

interface ActivatedPack {
  name: string
  activation: Activation
  selectedFiles: readonly string[]
  status?: PackStatus | undefined
  trust?: TrustLabel | undefined
  grounding?: Grounding | undefined
  profile?: Profile | undefined
  mode?: RuntimeMode | undefined
  sourceAnchors?: readonly string[] | undefined
  warnings?: readonly RecordedWarning[] | undefined
  selectedDocuments?: readonly string[] | undefined
  selectedSplits?: readonly string[] | undefined
  wrapperOrder?: number | undefined
  builderSkill?: { name: string; version?: string | undefined; digest?: string | undefined } | undefined
}

/** The result of one resolution, in the format of other clients. */
export interface ContextRecord {
  runId: string
  query: string
  status: RunStatus
  packs: readonly ActivatedPack[]
  resolver?: { tool?: string | undefined; version?: string | undefined; strategy?: string | undefined } | undefined
  missing?: readonly string[] | undefined
  tokenEstimate?: number | undefined
  wrapperOrder?: readonly string[] | undefined
}

const WARNINGS = listOf(closed({ severity: word(SEVERITIES), message: anyText }, { path: anyText }))

const CONTEXT_RECORD = closed(
  {
    run_id: someText,
    query: someText,
    status: word(RUN_STATUSES),
    activated_packs: listOf(
      closed(
        { name: someText, activation: word(ACTIVATIONS), selected_files: listOf(anyText) },
        {
          status: word(PACK_STATUSES),
          trust: word(TRUST_LABELS),
          grounding: word(GROUNDINGS),
          profile: word(PROFILES),
          runtime_mode: word(RUNTIME_MODES),
          source_anchors: listOf(anyText),
          warnings: WARNINGS,
          selected_documents: listOf(anyText),
          selected_splits: listOf(anyText),
          wrapper_order: wholeNumber,
          builder_skill: closed({ name: someText }, { version: anyText, digest: anyText }),
        },
      ),
      1,
    ),
  },
  {
    resolver: closed({}, { tool: anyText, version: anyText, strategy: anyText }),
    missing: listOf(anyText),
    token_estimate: wholeNumber,
    wrapper_order: listOf(anyText),
  },
)

/** Formats the record. Undefined without packs or for a blank task, which the format cannot express. */
export function writeContextRecord(record: ContextRecord): string | undefined {
  if (record.packs.length === 0 || record.query.trim() === '') return undefined
  return formatRecord({
    run_id: record.runId,
    query: record.query,
    status: record.status,
    resolver: record.resolver,
    activated_packs: record.packs.map(writePack),
    missing: record.missing,
    token_estimate: record.tokenEstimate,
    wrapper_order: record.wrapperOrder,
  })
}

function writePack(pack: ActivatedPack) {
  return {
    name: pack.name,
    activation: pack.activation,
    status: pack.status,
    trust: pack.trust,
    grounding: pack.grounding,
    profile: pack.profile,
    runtime_mode: pack.mode,
    selected_files: pack.selectedFiles,
    selected_documents: pack.selectedDocuments,
    selected_splits: pack.selectedSplits,
    source_anchors: pack.sourceAnchors,
    warnings: pack.warnings?.map(writeWarning),
    wrapper_order: pack.wrapperOrder,
    builder_skill: pack.builderSkill,
  }
}

function writeWarning({ severity, path, message }: RecordedWarning): RecordedWarning {
  return { severity, path, message }
}

/** Why a value is not a valid context record; undefined if it is one. */
export function contextRecordProblem(value: unknown): string | undefined {
  return problemOf(CONTEXT_RECORD, value)
}

function problemOf(reader: Reader<unknown>, value: unknown): string | undefined {
  const read = readRecord(reader, value)
  return 'problem' in read ? read.problem : undefined
}

/** Omits undefined fields, as the format requires. */
function formatRecord(record: object): string {
  return `${JSON.stringify(record, undefined, 2)}\n`
}
