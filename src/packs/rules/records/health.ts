import { type PackFiles, type PackWarning, parsePackJson, SOURCE_MAP_PATH } from '../pack.ts'
import { shownText } from '../shown-text.ts'
import { type CompileRun, governingRuns, isCompileRunPath, readCompileRun } from './compile-run.ts'
import { type Claim, type DocumentSection, readSourceMap } from './source-map.ts'

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
