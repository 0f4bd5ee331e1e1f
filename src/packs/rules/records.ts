import type { Severity } from '../../text/trouble.ts'
import { compareText, isRecord } from '../../text/values.ts'
import {
  CLAIM_STATUSES,
  type ClaimStatus,
  normalizePackPath,
  oneOf,
  PACK_STATUSES,
  type PackFiles,
  type PackStatus,
  type PackWarning,
  PROFILES,
  type Profile,
  packPathProblem,
  parsePackJson,
  RUN_STATUSES,
  RUNTIME_MODES,
  type RunStatus,
  type RuntimeMode,
  SOURCE_MAP_PATH,
} from './pack.ts'
import { shownText } from './shown-text.ts'

/**
 * Reads one JSON value of a fixed format. Undefined, with a problem for its place, if it has another format. A problem
 * never quotes the record, not even names of its fields.
 */
export type Reader<T> = (value: unknown, at: string, problems: string[]) => T | undefined

type Fields = Record<string, Reader<unknown>>
type ReadingOf<R> = R extends Reader<infer T> ? T : never
type Reading<R extends Fields, O extends Fields> = { [K in keyof R]: ReadingOf<R[K]> } & {
  [K in keyof O]?: ReadingOf<O[K]> | undefined
}

/** The maximum number of reported problems per record. */
const MOST_PROBLEMS = 20

export function note(problems: string[], at: string, problem: string): undefined {
  if (problems.length < MOST_PROBLEMS) problems.push(`${at === '' ? 'the record' : at} ${problem}`)
  return undefined
}

export const anyText: Reader<string> = (value, at, problems) =>
  typeof value === 'string' ? value : note(problems, at, 'must be a text')

export const someText: Reader<string> = (value, at, problems) =>
  typeof value === 'string' && value.trim() !== '' ? value : note(problems, at, 'must be a text that is not empty')

export const flag: Reader<boolean> = (value, at, problems) =>
  typeof value === 'boolean' ? value : note(problems, at, 'must be true or false')

export const wholeNumber: Reader<number> = (value, at, problems) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : note(problems, at, 'must be a whole number')

export function word<T extends string>(words: readonly T[]): Reader<T> {
  return (value, at, problems) => oneOf(words, value) ?? note(problems, at, `must be one of ${words.join(', ')}`)
}

/** A list of valid items. */
export function listOf<T>(item: Reader<T>, least = 0): Reader<T[]> {
  return (value, at, problems) => {
    if (!Array.isArray(value)) return note(problems, at, 'must be a list')
    if (value.length < least) return note(problems, at, `must have at least ${least === 1 ? 'one item' : least}`)
    const items: T[] = []
    for (const [index, each] of value.entries()) {
      const read = item(each, `${at}[${index}]`, problems)
      if (read !== undefined) items.push(read)
    }
    return items.length === value.length ? items : undefined
  }
}

/** An object with these fields and no others. */
export function closed<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): Reader<Reading<R, O>> {
  const fields = new Map<string, Reader<unknown>>(Object.entries({ ...required, ...optional }))
  return (value, at, problems) => {
    if (!isRecord(value)) return note(problems, at, 'must be an object')
    let isWhole = true
    const reading: Record<string, unknown> = {}
    for (const [name, read] of fields) {
      const place = at === '' ? name : `${at}.${name}`
      if (Object.hasOwn(value, name)) {
        reading[name] = read(value[name], place, problems)
        if (reading[name] === undefined) isWhole = false
      } else if (Object.hasOwn(required, name)) {
        note(problems, place, 'is missing')
        isWhole = false
      }
    }
    if (!hasOnly(value, fields, at, problems)) isWhole = false
    // Each reader returned the type of its field.
    return isWhole ? (reading as Reading<R, O>) : undefined
  }
}

function hasOnly(value: object, fields: ReadonlyMap<string, unknown>, at: string, problems: string[]): boolean {
  const strange = Object.keys(value).findIndex((name) => !fields.has(name))
  if (strange === -1) return true
  const known = [...fields.keys()].join(', ')
  note(problems, at, `has a field that the format does not know, number ${strange + 1}; it knows ${known}`)
  return false
}

/** Reads a whole record: its value, or its problems in one sentence. */
export function readRecord<T>(read: Reader<T>, value: unknown): { value: T } | { problem: string } {
  const problems: string[] = []
  const reading = read(value, '', problems)
  return reading === undefined || problems.length > 0 ? { problem: problems.join('; ') } : { value: reading }
}

/** A file of the pack, or a place in it. */
export interface PackPlace {
  path: string
  /** The text after `#`: a line, a heading, a page. */
  fragment?: string
}

/** Splits `path#fragment` and normalizes the path. */
function readPlace(text: string): PackPlace {
  const [path = '', ...rest] = text.split('#')
  const fragment = rest.join('#').trim()
  return { path: normalizePackPath(path.trim()), ...(fragment === '' ? {} : { fragment }) }
}

/** Whether a path is inside the pack. If not, adds its place in the record to `escapes`. */
export function isInside(path: string, at: string, escapes: string[]): boolean {
  if (packPathProblem(path.split('#')[0] ?? '') === undefined) return true
  escapes.push(at)
  return false
}

/** The places of a list in a record, without those outside the pack. */
export function readPlaces(texts: readonly string[], at: string, escapes: string[]): PackPlace[] {
  return texts.filter((text, index) => isInside(text.trim(), `${at}[${index}]`, escapes)).map(readPlace)
}

/** A statement of a pack and its source. */
export interface Claim {
  id: string
  text: string
  status: ClaimStatus
  /** The path is empty if the status allows a claim without a source. */
  source: { path: string; anchor?: string }
  /** The files that repeat the statement. */
  compiledInto: PackPlace[]
  document?: string
  sectionId?: string
}

/** A section of a document, with its sources and the files made from it. */
export interface DocumentSection {
  document: string
  sectionId: string
  title: string
  sourceAnchors: PackPlace[]
  compiledInto: PackPlace[]
}

export interface SourceMap {
  claims: Claim[]
  sections: DocumentSection[]
  /** Format errors, with their place in the record. Claims and sections with errors are left out. */
  problems: string[]
  /** Places in the record that name a path outside the pack. Such paths, and claims based on them, are left out. */
  escapes: string[]
}

const CLAIM = closed(
  {
    claim_id: someText,
    text: someText,
    status: word(CLAIM_STATUSES),
    source: closed({ path: anyText }, { anchor: anyText }),
  },
  { compiled_into: listOf(anyText), document: anyText, section_id: anyText },
)

const SECTION = closed(
  { document: anyText, section_id: someText, title: someText },
  { source_anchors: listOf(anyText), compiled_into: listOf(anyText) },
)

/** Reads a source map. Skips a bad claim and keeps the others. */
export function readSourceMap(value: unknown): SourceMap {
  const map: SourceMap = { claims: [], sections: [], problems: [], escapes: [] }
  if (!isRecord(value)) {
    note(map.problems, '', 'must be an object with claims')
    return map
  }
  // Checks only the outer format: the items are read one by one.
  closed({ claims: anyList }, { document_sections: anyList })(value, '', map.problems)
  for (const [index, each] of listIn(value, 'claims').entries()) {
    const claim = readClaim(each, `claims[${index}]`, map)
    if (claim !== undefined) map.claims.push(claim)
  }
  for (const [index, each] of listIn(value, 'document_sections').entries()) {
    const section = readSection(each, `document_sections[${index}]`, map)
    if (section !== undefined) map.sections.push(section)
  }
  return map
}

const anyList: Reader<unknown[]> = (value, at, problems) =>
  Array.isArray(value) ? value : note(problems, at, 'must be a list')

function listIn(value: Record<string, unknown>, name: string): unknown[] {
  const list = Object.hasOwn(value, name) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

function readClaim(value: unknown, at: string, { problems, escapes }: SourceMap): Claim | undefined {
  const read = CLAIM(value, at, problems)
  if (read === undefined) return undefined
  const path = read.source.path.trim()
  const isSourceless = read.status === 'missing' || read.status === 'source-required'
  if (path === '') {
    if (!isSourceless) return note(problems, `${at}.source.path`, `must name a file, as the status is ${read.status}`)
  } else if (!isInside(path, `${at}.source.path`, escapes)) return undefined
  const anchor = read.source.anchor?.trim().replace(/^#/, '') ?? ''
  return {
    id: read.claim_id,
    text: read.text,
    status: read.status,
    source: { path: normalizePackPath(path), ...(anchor === '' ? {} : { anchor }) },
    compiledInto: readPlaces(read.compiled_into ?? [], `${at}.compiled_into`, escapes),
    ...documentOf(read.document, at, escapes),
    ...(read.section_id === undefined ? {} : { sectionId: read.section_id }),
  }
}

function documentOf(document: string | undefined, at: string, escapes: string[]): { document?: string } {
  if (document === undefined || document === '' || !isInside(document, `${at}.document`, escapes)) return {}
  return { document: normalizePackPath(document) }
}

function readSection(value: unknown, at: string, { problems, escapes }: SourceMap): DocumentSection | undefined {
  const read = SECTION(value, at, problems)
  if (read === undefined || !isInside(read.document, `${at}.document`, escapes)) return undefined
  return {
    document: normalizePackPath(read.document),
    sectionId: read.section_id,
    title: read.title,
    sourceAnchors: readPlaces(read.source_anchors ?? [], `${at}.source_anchors`, escapes),
    compiledInto: readPlaces(read.compiled_into ?? [], `${at}.compiled_into`, escapes),
  }
}

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

/** The source map and compile runs of a pack. */
export interface Records {
  claims: readonly Claim[]
  sections: readonly DocumentSection[]
  runs: readonly { run: CompileRun; file: string }[]
  /** The last run of each file. */
  governing: ReadonlyMap<string, CompileRun>
  sourceMapDigest: string | undefined
  warnings: readonly PackWarning[]
}

/** Reads only this many of the latest runs: a pack may have any number of older ones. */
const MOST_RUNS = 12

export function readRecords(files: PackFiles): Records {
  const warnings: PackWarning[] = []
  const map = readMap(files, warnings)
  const runs = readRuns(files, warnings)
  return { ...map, runs, governing: governingRuns(runs), warnings }
}

function readMap(files: PackFiles, warnings: PackWarning[]): Pick<Records, 'claims' | 'sections' | 'sourceMapDigest'> {
  const none = { claims: [], sections: [], sourceMapDigest: undefined }
  if (files.sizeOf(SOURCE_MAP_PATH) === undefined) return none
  const file = files.read(SOURCE_MAP_PATH)
  if (file === undefined) return none
  const invalid = (problem: string) =>
    warnings.push({ severity: 'warning', code: 'map.invalid', path: SOURCE_MAP_PATH, message: shownText(problem) })
  const parsed = parsePackJson(file)
  if (parsed.problem !== undefined) {
    invalid(parsed.problem)
    return { ...none, sourceMapDigest: file.sha256 }
  }
  const { claims, sections, problems, escapes } = readSourceMap(parsed.value)
  problems.forEach(invalid)
  warnings.push(...escapes.map((place) => escapeWarning(SOURCE_MAP_PATH, place)))
  return { claims, sections, sourceMapDigest: file.sha256 }
}

function readRuns(files: PackFiles, warnings: PackWarning[]): Records['runs'] {
  const names = files.list('runs').filter(isCompileRunPath)
  if (names.length > MOST_RUNS) {
    const message = `only the latest ${MOST_RUNS} of ${names.length} compile runs were read`
    warnings.push({ severity: 'info', code: 'run.not-read', path: 'runs', message })
  }
  return names.slice(-MOST_RUNS).flatMap((path) => {
    const file = files.read(path)
    if (file === undefined) return []
    const parsed = parsePackJson(file)
    const read = parsed.problem === undefined ? readCompileRun(parsed.value) : { problem: parsed.problem }
    if ('run' in read) {
      warnings.push(...read.escapes.map((place) => escapeWarning(path, place)))
      return [{ run: read.run, file: path }]
    }
    warnings.push({ severity: 'warning', code: 'run.invalid', path, message: shownText(read.problem) })
    return []
  })
}

function escapeWarning(path: string, place: string): PackWarning {
  const message = `${shownText(place, 80)} names a path that leaves the pack; it is not used`
  return { severity: 'error', code: 'source.escape', path, message }
}

/** How reliable a chosen file is for the task. */
export interface FileHealth {
  /** The claims of the file about the task. */
  claims: readonly Claim[]
  run: CompileRun | undefined
  isStale: boolean
  isDisputed: boolean
  /** A failed run made it: it must not be used. */
  isFailed: boolean
  warnings: readonly PackWarning[]
}

/** The claims of several files, each once. */
export function claimsOf(healths: ReadonlyMap<string, FileHealth>): Claim[] {
  const claims = [...healths.values()].flatMap((health) => health.claims)
  return [...new Map(claims.map((claim) => [claim.id, claim])).values()]
}

/** Decides which claims and texts are about the task. */
export interface Concern {
  isAboutClaim(claim: Claim): boolean
  isAbout(text: string): boolean
}

const EVERYTHING: Concern = { isAboutClaim: () => true, isAbout: () => true }

/** `isStrict`: the pack requires a source for every statement. */
export function checkHealth(
  path: string,
  records: Records,
  files: PackFiles,
  isStrict: boolean,
  { isAboutClaim, isAbout }: Concern = EVERYTHING,
): FileHealth {
  const own = records.claims.filter(({ compiledInto }) => compiledInto.some((target) => target.path === path))
  const claims = own.filter(isAboutClaim)
  const run = records.governing.get(path)
  const drift = run === undefined ? [] : findDrift(run, files)
  return {
    claims,
    run,
    isStale: run?.status === 'stale' || drift.length > 0 || claims.some(({ status }) => status === 'stale'),
    isDisputed: run?.status === 'disputed' || claims.some(({ status }) => status === 'disputed'),
    isFailed: run?.status === 'failed',
    warnings: [
      ...claimWarnings(claims, path, isStrict),
      ...(run === undefined ? [] : runWarnings(run, path, isAbout)),
      ...drift,
    ],
  }
}

const CLAIM_WORDS = {
  stale: ['is out of date', 'are out of date'],
  disputed: ['is disputed', 'are disputed'],
  missing: ['is known to be missing', 'are known to be missing'],
  inferred: ['was inferred, not stated by a source', 'were inferred, not stated by a source'],
  'source-required': ['still needs a source', 'still need a source'],
} as const

/** The maximum number of names in a message. */
const MOST_NAMES = 8

/** Warnings about the claims of a file: one per status. */
export function claimWarnings(claims: readonly Claim[], path: string, isStrict: boolean): PackWarning[] {
  return Object.entries(CLAIM_WORDS).flatMap(([state, [one, several]]): PackWarning[] => {
    const status = state as keyof typeof CLAIM_WORDS
    const ids = claims.filter((claim) => claim.status === status).map(({ id }) => shownText(id, 80))
    if (ids.length === 0) return []
    const isMild = status === 'inferred' || status === 'source-required'
    const severity = isMild && !isStrict ? 'info' : 'warning'
    const more = ids.length > MOST_NAMES ? ` and ${ids.length - MOST_NAMES} more` : ''
    const names = ids.slice(0, MOST_NAMES).join(', ')
    const message = ids.length === 1 ? `the claim ${names} ${one}` : `the claims ${names}${more} ${several}`
    return [{ severity, code: `claim.${status}`, path, message }]
  })
}

const RUN_WORDS = {
  'needs-review': 'was made by a compile run that still needs review',
  stale: 'was made by a compile run that is out of date',
  disputed: 'was made by a compile run that is disputed',
  failed: 'was made by a compile run that failed; it is not used',
} as const

function runWarnings(run: CompileRun, path: string, isAbout: Concern['isAbout']): PackWarning[] {
  const warnings: PackWarning[] = []
  if (run.status !== 'passed') {
    const severity = run.status === 'failed' ? 'error' : 'warning'
    warnings.push({ severity, code: `run.${run.status}`, path, message: `this view ${RUN_WORDS[run.status]}` })
  } else if (run.review?.isRequired) {
    const message = 'the compile run of this view asks for a review'
    warnings.push({ severity: 'warning', code: 'run.review-required', path, message })
  }
  for (const { severity, path: about, message } of run.diagnostics) {
    if (about === path && (severity === 'error' || isAbout(message)))
      warnings.push({ severity, code: 'run.diagnostic', path, message: `compiler: ${shownText(message)}` })
  }
  return warnings
}

/** The maximum number of inputs to compare per run, to keep a resolution fast. */
const MOST_INPUTS = 12

/** Warns about inputs of a run that have changed or are missing, by their digests. */
function findDrift(run: CompileRun, files: PackFiles): PackWarning[] {
  return run.inputs.slice(0, MOST_INPUTS).flatMap(({ path, sha256 }): PackWarning[] => {
    if (files.sizeOf(path) === undefined) {
      const message = 'a compile run used it, but it is missing now'
      return [{ severity: 'warning', code: 'run.input.gone', path: shownText(path), message }]
    }
    if (sha256 === undefined || files.fingerprint(path) === sha256) return []
    const message = 'it has changed since it was compiled'
    return [{ severity: 'warning', code: 'run.input.drift', path: shownText(path), message }]
  })
}
