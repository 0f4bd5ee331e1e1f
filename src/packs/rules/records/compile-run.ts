import type { Severity } from '../../../text/trouble.ts'
import { compareText } from '../../../text/values.ts'
import {
  normalizePackPath,
  PACK_STATUSES,
  type PackStatus,
  PROFILES,
  type Profile,
  RUN_STATUSES,
  RUNTIME_MODES,
  type RunStatus,
  type RuntimeMode,
} from '../pack.ts'
import {
  anyText,
  closed,
  flag,
  isInside,
  listOf,
  type PackPlace,
  readPlaces,
  readRecord,
  someText,
  wholeNumber,
  word,
} from './record-shape.ts'

const TRIGGERS = ['ingest', 'source-change', 'manual', 'scheduled', 'migration'] as const
const OPERATIONS = ['created', 'updated', 'deleted', 'unchanged'] as const
const COVERAGES = ['full', 'partial', 'missing', 'conflict'] as const
const ROLES = ['primary', 'supporting', 'export'] as const
const SEVERITIES = ['info', 'warning', 'error'] as const satisfies readonly Severity[]

type RunOperation = (typeof OPERATIONS)[number]
type ChapterCoverage = (typeof COVERAGES)[number]

/** The record of one compilation of a pack's derived files, without paths outside the pack. */
export interface CompileRun {
  runId: string
  trigger: (typeof TRIGGERS)[number]
  status: RunStatus
  inputs: { path: string; sha256?: string }[]
  outputs: { path: string; operation: RunOperation }[]
  compiler?: { tool?: string | undefined; version?: string | undefined; model?: string | undefined }
  diagnostics: { severity: Severity; path: string; message: string }[]
  review?: { isRequired: boolean; reason?: string }
  profile?: Profile
  mode?: RuntimeMode
  primaryDocument?: string
  builderSkill?: {
    name: string
    version?: string | undefined
    digest?: string | undefined
    source?: string | undefined
  }
  documents: { path: string; role?: (typeof ROLES)[number]; status?: PackStatus; sha256?: string }[]
  chapters: Chapter[]
  qualityIssues: string[]
  interviewQuestions: string[]
}

/** The coverage of one chapter of a document. Anything but `full` is a gap. */
interface Chapter {
  id: string
  title: string
  coverage: ChapterCoverage
  document?: string
  path?: string
  tokens?: number
  sourceAnchors: PackPlace[]
  warnings: { severity: Severity; message: string; path?: string | undefined }[]
}

const CHAPTER = closed(
  { id: someText, title: someText, coverage: word(COVERAGES) },
  {
    document: anyText,
    path: anyText,
    tokens: wholeNumber,
    source_anchors: listOf(anyText),
    warnings: listOf(closed({ severity: word(SEVERITIES), message: anyText }, { path: anyText })),
  },
)

const RUN = closed(
  {
    run_id: someText,
    trigger: word(TRIGGERS),
    status: word(RUN_STATUSES),
    inputs: listOf(closed({ path: anyText }, { sha256: anyText })),
    outputs: listOf(closed({ path: anyText, operation: word(OPERATIONS) })),
  },
  {
    compiler: closed({}, { tool: anyText, version: anyText, model: anyText }),
    diagnostics: listOf(closed({ severity: word(SEVERITIES), path: anyText, message: anyText })),
    review: closed({}, { required: flag, reason: anyText }),
    profile: word(PROFILES),
    runtime_mode: word(RUNTIME_MODES),
    primary_document: anyText,
    builder_skill: closed({ name: someText }, { version: anyText, digest: anyText, source: anyText }),
    documents: listOf(closed({ path: anyText }, { role: word(ROLES), status: word(PACK_STATUSES), sha256: anyText })),
    chapters: listOf(CHAPTER),
    quality_issues: listOf(anyText),
    interview_questions: listOf(anyText),
  },
)

type RawRun = NonNullable<ReturnType<typeof RUN>>
type RawChapter = NonNullable<ReturnType<typeof CHAPTER>>

/** Whether a file in `runs/` is a compile run, not another kind of record. */
export function isCompileRunPath(path: string): boolean {
  return /^runs\/compile-[^/]*\.json$/.test(normalizePackPath(path))
}

/** `escapes`: places in the record that name a path outside the pack. */
export function readCompileRun(value: unknown): { run: CompileRun; escapes: string[] } | { problem: string } {
  const read = readRecord(RUN, value)
  if ('problem' in read) return read
  const escapes: string[] = []
  const raw = read.value
  const run: CompileRun = {
    runId: raw.run_id,
    trigger: raw.trigger,
    status: raw.status,
    inputs: withPaths(raw.inputs, 'inputs', escapes).map(fingerprinted),
    outputs: withPaths(raw.outputs, 'outputs', escapes),
    diagnostics: withPaths(raw.diagnostics ?? [], 'diagnostics', escapes, true),
    documents: withPaths(raw.documents ?? [], 'documents', escapes).map(({ path, role, status, sha256 }) => ({
      ...fingerprinted({ path, sha256 }),
      ...(role === undefined ? {} : { role }),
      ...(status === undefined ? {} : { status }),
    })),
    chapters: (raw.chapters ?? []).map((chapter, index) => readChapter(chapter, `chapters[${index}]`, escapes)),
    qualityIssues: raw.quality_issues ?? [],
    interviewQuestions: raw.interview_questions ?? [],
    ...headOf(raw, escapes),
  }
  return { run, escapes }
}

function headOf(raw: RawRun, escapes: string[]): Partial<CompileRun> {
  const { compiler, review, profile, runtime_mode: mode, builder_skill: builderSkill } = raw
  const primary = pathIn(raw.primary_document, 'primary_document', escapes)
  return {
    ...(compiler === undefined ? {} : { compiler }),
    ...(review === undefined ? {} : { review: reviewOf(review.required, review.reason) }),
    ...(profile === undefined ? {} : { profile }),
    ...(mode === undefined ? {} : { mode }),
    ...(primary === undefined ? {} : { primaryDocument: primary }),
    ...(builderSkill === undefined ? {} : { builderSkill }),
  }
}

function reviewOf(isRequired = false, reason: string | undefined): { isRequired: boolean; reason?: string } {
  return { isRequired, ...(reason === undefined ? {} : { reason }) }
}

function readChapter(raw: RawChapter, at: string, escapes: string[]): Chapter {
  const document = pathIn(raw.document, `${at}.document`, escapes)
  const path = pathIn(raw.path, `${at}.path`, escapes)
  return {
    id: raw.id,
    title: raw.title,
    coverage: raw.coverage,
    ...(document === undefined ? {} : { document }),
    ...(path === undefined ? {} : { path }),
    ...(raw.tokens === undefined ? {} : { tokens: raw.tokens }),
    sourceAnchors: readPlaces(raw.source_anchors ?? [], `${at}.source_anchors`, escapes),
    warnings: raw.warnings ?? [],
  }
}

function pathIn(path: string | undefined, at: string, escapes: string[]): string | undefined {
  return path === undefined || path === '' || !isInside(path, at, escapes) ? undefined : normalizePackPath(path)
}

/** The items with a path inside the pack; with `mayLack` also items without a path. */
function withPaths<T extends { path: string }>(
  items: readonly T[],
  at: string,
  escapes: string[],
  mayLack = false,
): T[] {
  return items
    .filter(({ path }, index) => (mayLack && path === '') || isInside(path, `${at}[${index}].path`, escapes))
    .map((item) => ({ ...item, path: normalizePackPath(item.path) }))
}

/** Normalizes the digest: lower case, without the prefix `sha256:`. */
function fingerprinted({ path, sha256 }: { path: string; sha256?: string | undefined }) {
  const digits =
    sha256
      ?.trim()
      .toLowerCase()
      .replace(/^sha256:/, '') ?? ''
  return { path, ...(digits === '' ? {} : { sha256: digits }) }
}

/** The run that last changed each file. Ignores runs that left it unchanged. */
export function governingRuns(runs: readonly { run: CompileRun; file: string }[]): Map<string, CompileRun> {
  const ordered = [...runs].sort((a, b) => compareText(a.run.runId, b.run.runId) || compareText(a.file, b.file))
  const governing = new Map<string, CompileRun>()
  for (const { run } of ordered) {
    for (const { path, operation } of run.outputs) if (operation !== 'unchanged') governing.set(path, run)
  }
  return governing
}
