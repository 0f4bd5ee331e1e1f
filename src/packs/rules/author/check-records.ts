import { isRecord } from '../../../text/values.ts'
import { packPathProblem, SOURCE_MAP_PATH } from '../pack.ts'
import { type CompileRun, governingRuns, isCompileRunPath, readCompileRun } from '../records/compile-run.ts'
import { readSelectionSuite } from '../records/selection-suite.ts'
import { type Claim, readSourceMap } from '../records/source-map.ts'
import { checkPlace, isThere, type PackCheck, pathsIn } from './pack-check.ts'

/** Checks the JSON records of a pack: source map, compile runs, selection suites, ontology. */
export function checkRecords(check: PackCheck): void {
  checkSourceMap(check)
  checkRuns(check)
  checkEvals(check)
  checkOntology(check)
}

/** Checks the format of the source map, and that its sources and anchors exist. */
function checkSourceMap(check: PackCheck): void {
  const path = SOURCE_MAP_PATH
  if (check.files.sizeOf(path) === undefined) return
  const value = check.readJson(path, 'map.invalid')
  if (value === undefined) return
  const map = readSourceMap(value)
  for (const problem of map.problems) check.warn('error', 'map.invalid', path, problem)
  for (const at of map.escapes) check.warn('error', 'source.escape', path, `${at} names a path outside the pack`)
  for (const [index, claim] of map.claims.entries()) checkClaim(check, claim, `claim ${index + 1}`)
  for (const [index, section] of map.sections.entries()) {
    const at = `section ${index + 1}`
    checkPlace(check, { path: section.document }, { path, at })
    for (const { path: source, fragment } of section.sourceAnchors) {
      checkPlace(check, { path: source, anchor: fragment }, { path, at })
    }
  }
}

function checkClaim(check: PackCheck, claim: Claim, at: string): void {
  const path = SOURCE_MAP_PATH
  const { status, source } = claim
  if (source.path !== '') checkPlace(check, source, { path, at })
  for (const { path: target } of claim.compiledInto) {
    if (isThere(check, target)) continue
    check.warn('warning', 'source.absent', path, `${at} is compiled into a missing file`)
  }
  if (status === 'stale' || status === 'disputed' || status === 'missing') {
    check.warn('warning', `claim.${status}`, path, `a claim is ${status}`)
  }
  if (status === 'source-required') {
    const severity = check.manifest.grounding === 'required' ? 'warning' : 'info'
    check.warn(severity, 'claim.source-required', path, 'a claim still needs a source')
  }
}

/** Checks the format of the compile runs, their status, inputs and outputs. */
function checkRuns(check: PackCheck): void {
  const runs: { run: CompileRun; file: string }[] = []
  for (const file of check.files.list('runs').filter(isCompileRunPath)) {
    const value = check.readJson(file, 'run.invalid')
    if (value === undefined) continue
    const read = readCompileRun(value)
    if ('problem' in read) {
      check.warn('error', 'run.invalid', file, read.problem)
      continue
    }
    for (const at of read.escapes) check.warn('error', 'source.escape', file, `${at} names a path outside the pack`)
    runs.push({ run: read.run, file })
  }
  const current = governingRuns(runs)
  const inForce = new Set(current.values())
  for (const { run, file } of runs) {
    if (!inForce.has(run)) continue
    checkState(check, run, file)
    checkInputs(check, run, file)
    for (const [index, { path, operation }] of run.outputs.entries()) {
      if (current.get(path) !== run || operation === 'deleted' || operation === 'unchanged') continue
      if (isThere(check, path)) continue
      check.warn('warning', 'source.absent', file, `outputs[${index}] is a missing file`)
    }
  }
}

function checkState(check: PackCheck, run: CompileRun, file: string): void {
  const { status } = run
  if (status === 'failed') check.warn('error', 'run.failed', file, 'the last run for some files has failed')
  else if (status !== 'passed') check.warn('warning', `run.${status}`, file, `the last run for some files is ${status}`)
  else if (run.review?.isRequired) check.warn('warning', 'run.review-required', file, 'the run asks for a review')
  for (const [index, { severity }] of run.diagnostics.entries()) {
    check.warn(severity, 'run.diagnostic', file, `the compiler left a note in diagnostics[${index}]`)
  }
  for (const [index, { coverage }] of run.chapters.entries()) {
    if (coverage === 'full') continue
    check.warn('warning', 'run.diagnostic', file, `the coverage of chapters[${index}] is ${coverage}`)
  }
}

function checkInputs(check: PackCheck, run: CompileRun, file: string): void {
  for (const [index, { path, sha256 }] of run.inputs.entries()) {
    if (!isThere(check, path)) {
      check.warn('warning', 'run.input.gone', file, `inputs[${index}] is a missing file`)
    } else if (sha256 !== undefined) {
      const now = check.fingerprint(path)
      if (now === undefined || now === sha256) continue
      check.warn('warning', 'run.input.drift', file, `inputs[${index}] has changed since the run`)
    }
  }
}

/** Checks the selection suites. Ignores other evals. */
function checkEvals(check: PackCheck): void {
  for (const path of check.files.list('evals').filter((file) => file.endsWith('.json'))) {
    const value = check.readJson(path, 'record.invalid')
    if (value === undefined) continue
    const isSelection = /^evals\/discovery[^/]*$/.test(path) || (isRecord(value) && value.cases !== undefined)
    if (!isSelection) continue
    const read = readSelectionSuite(value, check.manifest.name)
    if ('problem' in read) check.warn('error', 'record.invalid', path, read.problem)
  }
}

/** Checks that the files of an ontology's manifest exist and are JSON. */
function checkOntology(check: PackCheck): void {
  const path = check.manifest.primaryOntology ?? 'ontology/ontology.json'
  if (check.files.sizeOf(path) === undefined) return
  const value = check.readJson(path, 'ontology.invalid')
  if (value === undefined) return
  if (!isRecord(value)) {
    check.warn('error', 'ontology.invalid', path, 'the record must be an object')
    return
  }
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  for (const [index, listed] of pathsIn(value.files).entries()) {
    const at = `files[${index}]`
    if (packPathProblem(listed) !== undefined) {
      check.warn('error', 'source.escape', path, `${at} names a path outside the pack`)
      continue
    }
    const file = [`${folder}${listed}`, listed].find((each) => isThere(check, each))
    if (file === undefined) check.warn('error', 'source.absent', path, `${at} names a missing file`)
    else if (file.endsWith('.json')) check.readJson(file, 'ontology.invalid')
  }
}
