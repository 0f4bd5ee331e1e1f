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

/** What a value may be: a text, one that is not empty, a flag, a word of a list, a list, or an object. Other keys are not read. */
type Shape = 'text' | 'some text' | 'flag' | readonly string[] | { list: Shape; least?: number } | { fields: Keys }
/** A key that ends with a question mark may be missing. */
type Keys = { readonly [key: string]: Shape }

/** Whether a value has a shape. The problems name its place and never quote it. */
function fits(shape: Shape, value: unknown, at: string, problems: string[]): boolean {
  const note = (problem: string, place = at) => {
    // More say nothing new.
    if (problems.length < 20) problems.push(`${place === '' ? 'the record' : place} ${problem}`)
    return false
  }
  if (shape === 'flag') return typeof value === 'boolean' || note('must be true or false')
  if (shape === 'text') return typeof value === 'string' || note('must be a text')
  if (shape === 'some text') {
    return (typeof value === 'string' && value.trim() !== '') || note('must be a text that is not empty')
  }
  if (!('fields' in shape || 'list' in shape)) {
    return oneOf(shape, value) !== undefined || note(`must be one of ${shape.join(', ')}`)
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return note('must be a list')
    if (value.length < (shape.least ?? 0)) return note('must have at least one item')
    const wrong = value.filter((each, index) => !fits(shape.list, each, `${at}[${index}]`, problems))
    return wrong.length === 0
  }
  if (!isRecord(value)) return note('must be an object')
  const wrong = Object.entries(shape.fields).filter(([written, inner]) => {
    const key = written.replace('?', '')
    const place = at === '' ? key : `${at}.${key}`
    if (Object.hasOwn(value, key)) return !fits(inner, value[key], place, problems)
    return key === written && !note('is missing', place)
  })
  return wrong.length === 0
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

interface WrittenClaim extends Pick<Claim, 'text' | 'status' | 'source'> {
  claim_id: string
  compiled_into?: string[]
}

const CLAIM: Shape = {
  fields: {
    claim_id: 'some text',
    text: 'some text',
    status: CLAIM_STATUSES,
    source: { fields: { path: 'text', 'anchor?': 'text' } },
    'compiled_into?': { list: 'text' },
  },
}

/** The record of one compilation of a pack's derived files. */
export interface CompileRun {
  runId: string
  status: RunStatus
  inputs: { path: string; sha256?: string }[]
  outputs: { path: string; operation: 'created' | 'updated' | 'deleted' | 'unchanged' }[]
  diagnostics: { severity: Severity; path: string; message: string }[]
  isReviewRequired: boolean
}

interface WrittenRun extends Pick<CompileRun, 'status' | 'inputs' | 'outputs'> {
  run_id: string
  diagnostics?: CompileRun['diagnostics']
  review?: { required?: boolean }
}

const RUN: Shape = {
  fields: {
    run_id: 'some text',
    status: RUN_STATUSES,
    inputs: { list: { fields: { path: 'text', 'sha256?': 'text' } } },
    outputs: { list: { fields: { path: 'text', operation: ['created', 'updated', 'deleted', 'unchanged'] } } },
    'diagnostics?': {
      list: { fields: { severity: ['info', 'warning', 'error'], path: 'text', message: 'text' } },
    },
    'review?': { fields: { 'required?': 'flag' } },
  },
}

/** The source map and compile runs of a pack. */
export interface Records {
  claims: readonly Claim[]
  runs: readonly { run: CompileRun; file: string }[]
  /** The last run that changed each file. */
  governing: ReadonlyMap<string, CompileRun>
  sourceMapDigest: string | undefined
  warnings: readonly PackWarning[]
}

/**
 * Reads the records. A broken claim or run is left out, with a warning. Only the latest runs are read: a pack may have
 * any number of older ones.
 */
export function readRecords(files: Pick<PackFiles, 'read' | 'list' | 'sizeOf'>, mostRuns = 12): Records {
  const warnings: PackWarning[] = []
  const invalid = (path: string, problem: string) =>
    warnings.push(report('pack.field/record', { problem: shownText(problem) }, { path }))
  const parse = (file: PackFile | undefined): unknown => {
    const { value, problem } = file === undefined ? {} : parsePackJson(file)
    if (problem !== undefined) invalid(file!.path, problem)
    return value
  }
  const isInside = (path: string, file: string, at: string) => {
    if (packPathProblem(path.split('#')[0] ?? '') === undefined) return true
    warnings.push(report('PATH_ESCAPE/pack-record', { at }, { path: file }))
    return false
  }

  const map = files.sizeOf(SOURCE_MAP_PATH) === undefined ? undefined : files.read(SOURCE_MAP_PATH)
  const value = parse(map)
  const list = isRecord(value) && Array.isArray(value.claims) ? value.claims : undefined
  if (value !== undefined && list === undefined) {
    invalid(SOURCE_MAP_PATH, 'it must be an object with claims')
  }
  // One by one: a bad claim does not hide the others.
  const problems: string[] = []
  const claims = (list ?? []).flatMap((each: unknown, index): Claim[] => {
    const at = `claims[${index}]`
    if (!fits(CLAIM, each, at, problems)) return []
    const { claim_id: id, text, status, source, compiled_into: into = [] } = each as WrittenClaim
    const path = source.path.trim()
    if (path === '' && status !== 'missing' && status !== 'source-required') {
      problems.push(`${at}.source.path must name a file, as the status is ${status}`)
      return []
    }
    if (path !== '' && !isInside(path, SOURCE_MAP_PATH, `${at}.source.path`)) return []
    const anchor = source.anchor?.trim().replace(/^#/, '') || undefined
    const compiledInto = into
      .map((target) => target.trim())
      .filter((target, order) => isInside(target, SOURCE_MAP_PATH, `${at}.compiled_into[${order}]`))
      .map((target) => normalizePackPath(target.split('#')[0] ?? ''))
    return [{ id, text, status, source: { path: normalizePackPath(path), anchor }, compiledInto }]
  })
  for (const problem of problems.slice(0, 20)) invalid(SOURCE_MAP_PATH, problem)

  const names = files.list('runs').filter((path) => /^runs\/compile-[^/]*\.json$/.test(path))
  if (names.length > mostRuns) {
    warnings.push(report('pack.run/latest', { mostRuns, names: names.length }, { path: 'runs' }))
  }
  const runs = names.slice(-mostRuns).flatMap((file) => {
    const json = parse(files.read(file))
    const wrong: string[] = []
    if (json === undefined) return []
    if (!fits(RUN, json, '', wrong)) {
      invalid(file, wrong.join('; '))
      return []
    }
    const { run_id: runId, status, inputs, outputs, diagnostics = [], review } = json as WrittenRun
    const within = <T extends { path: string }>(items: readonly T[], name: string): T[] =>
      items
        .filter(({ path }, index) => path === '' || isInside(path, file, `${name}[${index}].path`))
        .map((item) => ({ ...item, path: normalizePackPath(item.path) }))
    const bare = (digest = '') =>
      digest
        .trim()
        .toLowerCase()
        .replace(/^sha256:/, '') || undefined
    const run: CompileRun = {
      runId,
      status,
      inputs: within(inputs, 'inputs').map(({ path, sha256 }) => ({ path, sha256: bare(sha256) })),
      outputs: within(outputs, 'outputs'),
      diagnostics: within(diagnostics, 'diagnostics'),
      isReviewRequired: review?.required ?? false,
    }
    return [{ run, file }]
  })
  const governing = new Map<string, CompileRun>()
  const inOrder = runs.toSorted((a, b) => compareText(a.run.runId, b.run.runId) || compareText(a.file, b.file))
  for (const { run } of inOrder) {
    for (const { path, operation } of run.outputs) if (operation !== 'unchanged') governing.set(path, run)
  }
  return { claims, runs, governing, sourceMapDigest: map?.sha256, warnings }
}

/** A prompt, and whether the pack should be chosen for it. */
export interface SelectionCase {
  id: string
  prompt: string
  expected: 'select' | 'reject' | 'warn'
  /** With `warn`: texts or codes of the warnings that must come. Empty means any warning. */
  expectedWarnings: string[]
}

/** Reads a selection suite. Refuses a suite of another pack. */
export function readSelectionSuite(
  value: unknown,
  packName: string,
): { cases: SelectionCase[]; problem?: undefined } | { cases?: undefined; problem: string } {
  const problems: string[] = []
  const expected = ['select', 'reject', 'warn']
  const test: Shape = {
    fields: { id: 'some text', prompt: 'some text', expected, 'expected_warnings?': { list: 'text' } },
  }
  if (!fits({ fields: { pack_name: 'some text', cases: { list: test, least: 1 } } }, value, '', problems)) {
    return { problem: problems.join('; ') }
  }
  type Written = Omit<SelectionCase, 'expectedWarnings'> & { expected_warnings?: string[] }
  const suite = value as { pack_name: string; cases: Written[] }
  if (suite.pack_name !== packName) return { problem: 'pack_name is not the name of this pack' }
  const cases = suite.cases.map(({ id, prompt, expected: wanted, expected_warnings: expectedWarnings = [] }) => {
    return { id, prompt, expected: wanted, expectedWarnings }
  })
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

/**
 * Judges one file by what the records say about it, and a page also by its frontmatter. `isStrict`: the pack requires a
 * source for every statement. Without `today`, an ISO date, no page is past its day. By default all claims and texts
 * are about the task.
 */
export function checkHealth(
  path: string,
  records: Records,
  files: PackFiles,
  request: { isStrict: boolean; today?: string; isAboutClaim?(claim: Claim): boolean; isAbout?(text: string): boolean },
): FileHealth {
  const { isStrict, today = '', isAboutClaim = () => true, isAbout = () => true } = request
  const claims = records.claims.filter((claim) => claim.compiledInto.includes(path)).filter(isAboutClaim)
  const run = records.governing.get(path)
  // Only the first inputs are compared, to keep a resolution fast.
  const drift = (run?.inputs.slice(0, 12) ?? []).flatMap((input): PackWarning[] => {
    const about = { path: shownText(input.path) }
    if (files.sizeOf(input.path) === undefined) return [report('pack.run/input-missing', {}, about)]
    if (input.sha256 === undefined || files.fingerprint(input.path) === input.sha256) return []
    return [report('pack.run/input-changed', {}, about)]
  })
  const old = /^(?:wiki|documents)\//.test(path) ? ageOf(files.read(path)?.text ?? '', today) : undefined
  const age = old === undefined ? undefined : report('claim.doubtful/old', { old }, { path })
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

/** Warnings about the claims of a file: one per status. */
export function claimWarnings(claims: readonly Claim[], path: string, isStrict: boolean): PackWarning[] {
  return Object.entries(CLAIM_WORDS).flatMap(([state, [one, several]]): PackWarning[] => {
    const status = state as keyof typeof CLAIM_WORDS
    const ids = claims.filter((claim) => claim.status === status).map(({ id }) => shownText(id, 80))
    if (ids.length === 0) return []
    const isMild = status === 'inferred' || status === 'source-required'
    const more = ids.length > 8 ? ` and ${ids.length - 8} more` : ''
    const names = ids.slice(0, 8).join(', ')
    const told = ids.length === 1 ? `claim ${names} ${one}` : `claims ${names}${more} ${several}`
    if (status === 'disputed') return [report('claim.disputed/claims', { claims: told }, { path })]
    const severity = isMild && !isStrict ? 'info' : 'warning'
    return [report('claim.doubtful/claims', { claims: told }, { path, severity })]
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
    warnings.push(report('pack.run/view', { runWords: RUN_WORDS[run.status] }, { path, severity }))
  } else if (run.isReviewRequired) {
    warnings.push(report('pack.run/asks-review', {}, { path }))
  }
  for (const { severity, path: about, message } of run.diagnostics) {
    if (about === path && (severity === 'error' || isAbout(message)))
      warnings.push(report('pack.run/diagnostic-compiler', { message: shownText(message) }, { path, severity }))
  }
  return warnings
}
