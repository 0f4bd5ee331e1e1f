import { cutDocument } from '../../text/frontmatter-block.ts'
import { report, type Severity } from '../../text/trouble.ts'
import { compareText, isRecord } from '../../text/values.ts'
import {
  CLAIM_STATUSES,
  type ClaimStatus,
  normalizePackPath,
  oneOf,
  type PackFile,
  type PackFiles,
  type PackWarning,
  packPathProblem,
  parsePackJson,
  RUN_STATUSES,
  type RunStatus,
  SOURCE_MAP_PATH,
  shownText,
} from './pack.ts'

/** Reads a JSON value of one shape. Undefined, with a problem that names its place and never quotes it, for another. */
type Shape<T> = (value: unknown, at: string, problems: string[]) => T | undefined

const MOST_PROBLEMS = 20

function note(problems: string[], at: string, problem: string): undefined {
  if (problems.length < MOST_PROBLEMS) problems.push(`${at === '' ? 'the record' : at} ${problem}`)
}

const anyText: Shape<string> = (value, at, problems) =>
  typeof value === 'string' ? value : note(problems, at, 'must be a text')

const someText: Shape<string> = (value, at, problems) =>
  typeof value === 'string' && value.trim() !== '' ? value : note(problems, at, 'must be a text that is not empty')

const flag: Shape<boolean> = (value, at, problems) =>
  typeof value === 'boolean' ? value : note(problems, at, 'must be true or false')

function word<T extends string>(words: readonly T[]): Shape<T> {
  return (value, at, problems) => oneOf(words, value) ?? note(problems, at, `must be one of ${words.join(', ')}`)
}

function listOf<T>(item: Shape<T>, least = 0): Shape<T[]> {
  return (value, at, problems) => {
    if (!Array.isArray(value)) return note(problems, at, 'must be a list')
    if (value.length < least) return note(problems, at, 'must have at least one item')
    const items = value.flatMap((each, index) => item(each, `${at}[${index}]`, problems) ?? [])
    return items.length === value.length ? items : undefined
  }
}

type Fields = Record<string, Shape<unknown>>
type ValueOf<S> = S extends Shape<infer T> ? T : never

/** An object with these fields. Other fields are not read. */
function object<R extends Fields, O extends Fields = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<{ [K in keyof R]: ValueOf<R[K]> } & { [K in keyof O]?: ValueOf<O[K]> }> {
  return (value, at, problems) => {
    if (!isRecord(value)) return note(problems, at, 'must be an object')
    const found: Record<string, unknown> = {}
    let isWhole = true
    for (const [name, read] of Object.entries<Shape<unknown>>({ ...required, ...optional })) {
      const place = at === '' ? name : `${at}.${name}`
      if (Object.hasOwn(value, name)) found[name] = read(value[name], place, problems)
      else if (Object.hasOwn(required, name)) note(problems, place, 'is missing')
      else continue
      isWhole &&= found[name] !== undefined
    }
    // Each reader returned the type of its field.
    return isWhole ? (found as ReturnType<ReturnType<typeof object<R, O>>>) : undefined
  }
}

/** A statement of a pack and its source. */
export interface Claim {
  id: string
  text: string
  status: ClaimStatus
  /** The path is empty if the status allows a claim without a source. */
  source: { path: string; anchor?: string }
  /** The files that repeat the statement. */
  compiledInto: string[]
}

/** The record of one compilation of a pack's derived files. */
export interface CompileRun {
  runId: string
  status: RunStatus
  inputs: { path: string; sha256?: string }[]
  outputs: { path: string; operation: (typeof OPERATIONS)[number] }[]
  diagnostics: { severity: Severity; path: string; message: string }[]
  isReviewRequired: boolean
}

const OPERATIONS = ['created', 'updated', 'deleted', 'unchanged'] as const
const SEVERITIES = ['info', 'warning', 'error'] as const

const CLAIM = object(
  {
    claim_id: someText,
    text: someText,
    status: word(CLAIM_STATUSES),
    source: object({ path: anyText }, { anchor: anyText }),
  },
  { compiled_into: listOf(anyText) },
)

const RUN = object(
  {
    run_id: someText,
    status: word(RUN_STATUSES),
    inputs: listOf(object({ path: anyText }, { sha256: anyText })),
    outputs: listOf(object({ path: anyText, operation: word(OPERATIONS) })),
  },
  {
    diagnostics: listOf(object({ severity: word(SEVERITIES), path: anyText, message: anyText })),
    review: object({}, { required: flag }),
  },
)

/** The source map and compile runs of a pack. */
export interface Records {
  claims: readonly Claim[]
  runs: readonly { run: CompileRun; file: string }[]
  /** The last run that changed each file. */
  governing: ReadonlyMap<string, CompileRun>
  sourceMapDigest: string | undefined
  warnings: readonly PackWarning[]
}

/** Reads only this many of the latest runs: a pack may have any number of older ones. */
const MOST_RUNS = 12

/** Reads the records. A broken claim or run is left out, with a warning. */
export function readRecords(files: Pick<PackFiles, 'read' | 'list' | 'sizeOf'>, mostRuns = MOST_RUNS): Records {
  const warnings: PackWarning[] = []
  const invalid = (code: 'map.invalid' | 'run.invalid', path: string, problem: string) =>
    warnings.push({ severity: 'warning', code, path, message: shownText(problem) })
  const parse = (file: PackFile | undefined, code: 'map.invalid' | 'run.invalid'): unknown => {
    const { value, problem } = file === undefined ? {} : parsePackJson(file)
    if (problem !== undefined) invalid(code, file!.path, problem)
    return value
  }
  const insideOf = (file: string) => (path: string, at: string) => {
    if (packPathProblem(path.split('#')[0] ?? '') === undefined) return true
    warnings.push(report('source.escape/record', { at }, { path: file }))
    return false
  }

  const map = files.sizeOf(SOURCE_MAP_PATH) === undefined ? undefined : files.read(SOURCE_MAP_PATH)
  const value = parse(map, 'map.invalid')
  const list = isRecord(value) && Array.isArray(value.claims) ? value.claims : undefined
  if (value !== undefined && list === undefined) {
    invalid('map.invalid', SOURCE_MAP_PATH, 'it must be an object with claims')
  }
  // One by one: a bad claim does not hide the others.
  const problems: string[] = []
  const isInside = insideOf(SOURCE_MAP_PATH)
  const claims = (list ?? []).flatMap((each, at) => readClaim(each, `claims[${at}]`, problems, isInside) ?? [])
  for (const problem of problems) invalid('map.invalid', SOURCE_MAP_PATH, problem)

  const names = files.list('runs').filter((path) => /^runs\/compile-[^/]*\.json$/.test(path))
  if (names.length > mostRuns) {
    const message = `only the latest ${mostRuns} of ${names.length} compile runs were read`
    warnings.push({ severity: 'info', code: 'run.not-read', path: 'runs', message })
  }
  const runs = names.slice(-mostRuns).flatMap((file) => {
    const json = parse(files.read(file), 'run.invalid')
    const wrong: string[] = []
    const raw = json === undefined ? undefined : RUN(json, '', wrong)
    if (wrong.length > 0) invalid('run.invalid', file, wrong.join('; '))
    return raw === undefined ? [] : [{ run: readRun(raw, insideOf(file)), file }]
  })
  const governing = new Map<string, CompileRun>()
  const inOrder = runs.toSorted((a, b) => compareText(a.run.runId, b.run.runId) || compareText(a.file, b.file))
  for (const { run } of inOrder) {
    for (const { path, operation } of run.outputs) if (operation !== 'unchanged') governing.set(path, run)
  }
  return { claims, runs, governing, sourceMapDigest: map?.sha256, warnings }
}

/** Whether a path is inside the pack. Notes the place of one that is not. */
type IsInside = (path: string, at: string) => boolean

function readClaim(value: unknown, at: string, problems: string[], isInside: IsInside): Claim | undefined {
  const raw = CLAIM(value, at, problems)
  if (raw === undefined) return undefined
  const path = raw.source.path.trim()
  const isSourceless = raw.status === 'missing' || raw.status === 'source-required'
  if (path === '' && !isSourceless) {
    return note(problems, `${at}.source.path`, `must name a file, as the status is ${raw.status}`)
  }
  if (path !== '' && !isInside(path, `${at}.source.path`)) return undefined
  const anchor = raw.source.anchor?.trim().replace(/^#/, '') || undefined
  const compiledInto = (raw.compiled_into ?? [])
    .map((text) => text.trim())
    .filter((text, index) => isInside(text, `${at}.compiled_into[${index}]`))
    .map((text) => normalizePackPath(text.split('#')[0] ?? ''))
  const source = { path: normalizePackPath(path), anchor }
  return { id: raw.claim_id, text: raw.text, status: raw.status, source, compiledInto }
}

function readRun(raw: NonNullable<ReturnType<typeof RUN>>, isInside: IsInside): CompileRun {
  const within = <T extends { path: string }>(items: readonly T[], name: string): T[] =>
    items
      .filter(({ path }, index) => path === '' || isInside(path, `${name}[${index}].path`))
      .map((item) => ({ ...item, path: normalizePackPath(item.path) }))
  const digest = (text = '') =>
    text
      .trim()
      .toLowerCase()
      .replace(/^sha256:/, '') || undefined
  return {
    runId: raw.run_id,
    status: raw.status,
    inputs: within(raw.inputs, 'inputs').map(({ path, sha256 }) => ({ path, sha256: digest(sha256) })),
    outputs: within(raw.outputs, 'outputs'),
    diagnostics: within(raw.diagnostics ?? [], 'diagnostics'),
    isReviewRequired: raw.review?.required ?? false,
  }
}

const EXPECTATIONS = ['select', 'reject', 'warn'] as const

/** A prompt, and whether the pack should be chosen for it. */
export interface SelectionCase {
  id: string
  prompt: string
  expected: (typeof EXPECTATIONS)[number]
  /** With `warn`: texts or codes of the warnings that must come. Empty means any warning. */
  expectedWarnings: string[]
}

const SUITE = object({
  pack_name: someText,
  cases: listOf(
    object({ id: someText, prompt: someText, expected: word(EXPECTATIONS) }, { expected_warnings: listOf(anyText) }),
    1,
  ),
})

/** Reads a selection suite. Refuses a suite of another pack. */
export function readSelectionSuite(
  value: unknown,
  packName: string,
): { cases: SelectionCase[]; problem?: undefined } | { cases?: undefined; problem: string } {
  const problems: string[] = []
  const suite = SUITE(value, '', problems)
  if (suite === undefined) return { problem: problems.join('; ') }
  if (suite.pack_name !== packName) return { problem: 'pack_name is not the name of this pack' }
  const cases = suite.cases.map(({ expected_warnings: expectedWarnings = [], ...rest }) => ({
    ...rest,
    expectedWarnings,
  }))
  return { cases }
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
  /** What a page says of itself if it is not current. A current page comes first. */
  age: PackWarning | undefined
  warnings: readonly PackWarning[]
}

/** The claims of several files, each once. */
export function claimsOf(healths: ReadonlyMap<string, FileHealth>): Claim[] {
  const claims = [...healths.values()].flatMap((health) => health.claims)
  return [...new Map(claims.map((claim) => [claim.id, claim])).values()]
}

export interface HealthRequest {
  /** The pack requires a source for every statement. */
  isStrict: boolean
  /** An ISO date. Without it no page is past its day. */
  today?: string
  /** Whether claims and texts are about the task. Default: all are. */
  isAboutClaim?(claim: Claim): boolean
  isAbout?(text: string): boolean
}

/** Judges one file by what the records say about it, and a page also by its frontmatter. */
export function checkHealth(path: string, records: Records, files: PackFiles, request: HealthRequest): FileHealth {
  const { isStrict, today = '', isAboutClaim = () => true, isAbout = () => true } = request
  const claims = records.claims.filter((claim) => claim.compiledInto.includes(path)).filter(isAboutClaim)
  const run = records.governing.get(path)
  const drift = run === undefined ? [] : findDrift(run, files)
  const old = /^(?:wiki|documents)\//.test(path) ? ageOf(files.read(path)?.text ?? '', today) : undefined
  const age: PackWarning | undefined =
    old === undefined ? undefined : { severity: 'warning', code: 'claim.stale', path, message: old }
  return {
    claims,
    run,
    isStale: run?.status === 'stale' || drift.length > 0 || claims.some(({ status }) => status === 'stale'),
    isDisputed: run?.status === 'disputed' || claims.some(({ status }) => status === 'disputed'),
    isFailed: run?.status === 'failed',
    age,
    warnings: [
      ...claimWarnings(claims, path, isStrict),
      ...(run === undefined ? [] : runWarnings(run, path, isAbout)),
      ...drift,
      ...(age === undefined ? [] : [age]),
    ],
  }
}

/** What a page says of its own age in its frontmatter. Undefined for a current page. */
function ageOf(text: string, today: string): string | undefined {
  const block = text.startsWith('---') ? (cutDocument(text).block ?? '') : ''
  const field = (names: string) =>
    new RegExp(`^(?:${names}):[ \\t]*["']?([^"'#\\r\\n]*)`, 'im').exec(block)?.[1]?.trim().toLowerCase() || undefined
  const status = field('status|state|lifecycle')
  if (/^(?:deprecated|superseded|obsolete|archived|retired|stale|draft)$/.test(status ?? '')) {
    return `this page is old: it says that it is ${status}`
  }
  if (field('deprecated') === 'true') return 'this page is old: it says that it is deprecated'
  if (field('superseded[_-]?by|replaced[_-]?by') !== undefined) return 'this page is old: it says that it is superseded'
  const until = field('stale[_-]?after|review[_-]?(?:by|date|after)|next[_-]?review|valid[_-]?until|expires')
  const day = /^\d{4}-\d\d-\d\d/.exec(until ?? '')?.[0]
  const isDue = (date: string) => (/t00:00/.test(until ?? '') ? date <= today : date < today)
  if (day !== undefined && isDue(day)) return `this page is old: it was to be reviewed by ${day}`
  const written = /^generated:.*\bat:\s*["']?(\d{4}-\d\d-\d\d)/m.exec(block)?.[1]
  const changed = [...block.matchAll(/\blast_modified:\s*["']?(\d{4}-\d\d-\d\d)/g)].map(([, date = '']) => date)
  const newest = changed.sort().at(-1)
  if (written === undefined || newest === undefined || newest <= written) return undefined
  return `this page is old: a source of it changed on ${newest}, after it was written on ${written}`
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
    const more = ids.length > MOST_NAMES ? ` and ${ids.length - MOST_NAMES} more` : ''
    const names = ids.slice(0, MOST_NAMES).join(', ')
    const message = ids.length === 1 ? `the claim ${names} ${one}` : `the claims ${names}${more} ${several}`
    return [{ severity: isMild && !isStrict ? 'info' : 'warning', code: `claim.${status}`, path, message }]
  })
}

const RUN_WORDS = {
  'needs-review': 'was made by a compile run that still needs review',
  stale: 'was made by a compile run that is out of date',
  disputed: 'was made by a compile run that is disputed',
  failed: 'was made by a compile run that failed; it is not used',
} as const

function runWarnings(run: CompileRun, path: string, isAbout: (text: string) => boolean): PackWarning[] {
  const warnings: PackWarning[] = []
  if (run.status !== 'passed') {
    const severity = run.status === 'failed' ? 'error' : 'warning'
    warnings.push({ severity, code: `run.${run.status}`, path, message: `this view ${RUN_WORDS[run.status]}` })
  } else if (run.isReviewRequired) {
    const message = 'the compile run of this view asks for a review'
    warnings.push({ severity: 'warning', code: 'run.review-required', path, message })
  }
  for (const { severity, path: about, message } of run.diagnostics) {
    if (about === path && (severity === 'error' || isAbout(message)))
      warnings.push(report('run.diagnostic/compiler', { message: shownText(message) }, { path, severity }))
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
