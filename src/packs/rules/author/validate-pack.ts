import { findTokens } from '../../../text/fence.ts'
import { isRecord } from '../../../text/values.ts'
import { examplesOf, type IsExample, scanContent } from '../fence/content-guard.ts'
import { readGuide } from '../fence/guide.ts'
import {
  isProse,
  PACK_FILE,
  type PackFiles,
  type PackManifest,
  type PackWarning,
  packPathProblem,
  SOURCE_MAP_PATH,
  settleWarnings,
} from '../pack.ts'
import { findInlineAnchors } from '../records/anchor.ts'
import { type CompileRun, governingRuns, isCompileRunPath, readCompileRun } from '../records/compile-run.ts'
import { type Claim, readSourceMap } from '../records/source-map.ts'
import { announcesLimits } from '../resolve/choice.ts'
import { checkReach } from './check-reach.ts'
import { checkPlace, isThere, type PackCheck, pathsIn, startCheck } from './pack-check.ts'
import { readSelectionSuite } from './selection-eval.ts'

export interface PackToValidate {
  /** Undefined if it could not be read. */
  manifest: PackManifest | undefined
  warnings: readonly PackWarning[]
  files: PackFiles
}

/**
 * Checks a pack without using it. A message names a file, a line or a place in a record, and the rule. It never quotes
 * the pack, which may not be trusted yet.
 */
export function validatePack({ manifest, warnings, files }: PackToValidate): PackWarning[] {
  if (manifest === undefined) return settleWarnings(warnings)
  const check = startCheck(manifest, files)
  checkGuide(check)
  checkPrimaryFiles(check)
  checkLayers(check)
  checkSourceMap(check)
  checkRuns(check)
  checkEvals(check)
  checkOntology(check)
  checkTexts(check)
  checkReach(check)
  return settleWarnings([...warnings, ...check.warnings, ...files.warnings])
}

/** The worst severity as a status. */
export function validationStatus(warnings: readonly PackWarning[]): 'passed' | 'needs-review' | 'failed' {
  if (warnings.some(({ severity }) => severity === 'error')) return 'failed'
  return warnings.some(({ severity }) => severity === 'warning') ? 'needs-review' : 'passed'
}

function checkGuide(check: PackCheck): void {
  const guide = readGuide(check.files)
  if (guide === undefined) return
  check.warnings.push(...guide.warnings)
  for (const { path, line } of guide.map) {
    if (!isThere(check, path))
      check.warn('warning', 'pack.map.absent', PACK_FILE, 'the context map names a missing file', line)
  }
  if (check.manifest.profile === 'hybrid' && guide.map.length === 0) {
    check.warn('warning', 'pack.map.missing', PACK_FILE, 'a hybrid pack needs a context map')
  }
  if (
    check.manifest.mode === 'persona' &&
    !announcesLimits(check.files, [{ path: PACK_FILE, text: guide.body }, ...documentTexts(check)])
  ) {
    check.warn('warning', 'pack.persona.unbounded', PACK_FILE, 'a persona needs a text about its limits')
  }
}

function documentTexts({ files, read }: PackCheck): { path: string; text: string }[] {
  return files.list('documents').flatMap((path) => (isProse(path) ? (read(path) ?? []) : []))
}

function checkPrimaryFiles(check: PackCheck): void {
  const { primaryDocument, primaryOntology, primaryAnswers, profile } = check.manifest
  const named = { primaryDocument, primaryOntology, primaryAnswers }
  for (const [key, path] of Object.entries(named)) {
    if (path === undefined || check.files.sizeOf(path) !== undefined) continue
    const isDocument = key === 'primaryDocument' && profile === 'document-first'
    const message = `metadata.${key} names a missing file`
    if (isDocument) check.warn('warning', 'pack.documents.missing', PACK_FILE, message)
    else check.warn('error', 'source.absent', PACK_FILE, message)
  }
  if (profile === 'document-first' && check.files.list('documents').length === 0) {
    check.warn('warning', 'pack.documents.missing', PACK_FILE, 'a document-first pack needs a folder documents/')
  }
  if (primaryAnswers !== undefined) check.readJson(primaryAnswers, 'answers.invalid')
}

/** Read by name, so that a pipe or device in place of a view is reported. */
const STANDARD_VIEWS = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md']

function checkLayers(check: PackCheck): void {
  const has = (folder: string) => check.files.list(folder).length > 0
  for (const view of STANDARD_VIEWS) check.read(view)
  const derived = ['compiled', 'answers'].find(has)
  if (derived !== undefined && !['wiki', 'documents', 'sources', 'ontology'].some(has)) {
    const message = 'it has the only copy of its facts; keep them in wiki/, documents/ or sources/'
    check.warn('warning', 'source.absent', derived, message)
  }
  if (has('scripts')) {
    check.warn('warning', 'discovery.skipped', 'scripts', 'scripts are not part of a pack and are never run')
  }
}

const TEXT_LAYERS = ['compiled', 'documents', 'wiki', 'sources', 'answers', 'assets']
const ANCHORED_LAYERS = new Set(['compiled', 'documents', 'wiki'])

/** Checks all prose: its sources, secrets, orders to a model, and imitated fences. */
function checkTexts(check: PackCheck): void {
  const paths = TEXT_LAYERS.flatMap((layer) => check.files.list(layer)).filter(isProse)
  const examples = examplesOf(check.files)
  for (const path of [PACK_FILE, ...paths]) {
    const file = check.read(path)
    if (file === undefined) continue
    if (ANCHORED_LAYERS.has(path.split('/')[0] ?? '')) checkAnchors(check, path, file.text)
    checkContent(check, path, file.text, examples(path))
  }
}

const EXAMPLE_FORM = '<file>:<line>'

/** Only an info for sources, which may quote anything; a warning for text that a model gets. */
function checkContent(check: PackCheck, path: string, text: string, isExample: IsExample): void {
  const severity = path.startsWith('sources/') ? 'info' : 'warning'
  const { secrets, injections } = scanContent(text, isExample)
  for (const { line, kind } of secrets) {
    const message = `it contains what looks like a secret (${kind}); for an example: loadout packs example <pack> ${EXAMPLE_FORM}`
    check.warn('error', 'content.secret', path, message, line)
  }
  for (const { line, kind } of injections) {
    check.warn(severity, 'content.injection', path, `the text reads like an order to a model (${kind})`, line)
  }
  for (const { start } of findTokens(text)) {
    const line = text.slice(0, start).split('\n').length
    check.warn(severity, 'fence.neutralised', path, 'the text imitates a fence; it will be made harmless', line)
  }
}

function checkAnchors(check: PackCheck, path: string, text: string): void {
  for (const { line, ...place } of findInlineAnchors(text)) {
    if (packPathProblem(place.path) !== undefined) {
      check.warn('error', 'source.escape', path, 'a source mark names a path outside the pack', line)
    } else checkPlace(check, place, { path, at: 'a source mark', line })
  }
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
