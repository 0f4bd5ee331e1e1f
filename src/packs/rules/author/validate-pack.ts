import { findTokens } from '../../../text/fence.ts'
import type { Code, Severity } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { readSelectionSuite } from '../../eval.ts'
import { type AnchorPlace, anchorsOf, findInlineAnchors, parseAnchor } from '../anchors.ts'
import { EXAMPLES_PATH, examplesOf, type IsExample, scanContent } from '../guard.ts'
import { readGuide } from '../guide.ts'
import {
  isProse,
  layerOf,
  PACK_FILE,
  type PackFile,
  type PackFiles,
  type PackManifest,
  type PackWarning,
  packPathProblem,
  parsePackJson,
  SOURCE_MAP_PATH,
  settleWarnings,
} from '../pack.ts'
import {
  type Claim,
  type CompileRun,
  governingRuns,
  isCompileRunPath,
  readCompileRun,
  readSourceMap,
} from '../records.ts'
import { announcesLimits } from '../resolve/choose.ts'
import { isPlaceholder } from './new-pack.ts'

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
  checkRecords(check)
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

const GUIDE = 'KNOWLEDGE.md'

/** The most files and bytes that a validation opens. */
const MOST_OPENED = 3000
const MOST_BYTES = 128 * 1024 * 1024

/** More warnings are counted together. */
const MOST_WARNINGS = 1000

/** The state of a validation. Messages name place and rule, and never quote the pack. */
export interface PackCheck {
  readonly manifest: PackManifest
  readonly files: PackFiles
  readonly warnings: PackWarning[]
  warn(severity: Severity, code: Code, path: string, message: string, line?: number): void
  /** Undefined also if the limit of opened files is reached. */
  read(path: string): PackFile | undefined
  /** The JSON of a file. Reports invalid JSON with this code. */
  readJson(path: string, code: Code): unknown
  fingerprint(path: string): string | undefined
  /** Finds an anchor in a file; undefined if the file cannot be read. */
  find(path: string, anchor: string): AnchorPlace | undefined
}

export function startCheck(manifest: PackManifest, files: PackFiles): PackCheck {
  const warnings: PackWarning[] = []
  const fingerprints = new Map<string, string | undefined>()
  const finders = new Map<string, ((anchor: string) => AnchorPlace) | undefined>()
  const mayOpen = createAllowance(files)
  const check: PackCheck = {
    manifest,
    files,
    warnings,
    warn(severity, code, path, message, line) {
      if (warnings.length < MOST_WARNINGS) {
        warnings.push({ severity, code, path, message, ...(line === undefined ? {} : { line }) })
      } else
        warnings.push({
          severity,
          code: 'discovery.limit',
          path: GUIDE,
          message: 'there are more warnings of this kind',
        })
    },
    read(path) {
      if (mayOpen(path)) return files.read(path)
      check.warn('warning', 'discovery.limit', GUIDE, 'the pack is too large: not every file was checked')
      return undefined
    },
    readJson(path, code) {
      const file = check.read(path)
      if (file === undefined) return undefined
      const parsed = parsePackJson(file)
      if ('value' in parsed) return parsed.value
      check.warn('error', code, path, parsed.problem)
      return undefined
    },
    fingerprint(path) {
      if (!fingerprints.has(path) && mayOpen(path)) fingerprints.set(path, files.fingerprint(path))
      return fingerprints.get(path)
    },
    find(path, anchor) {
      if (!finders.has(path)) {
        const file = check.read(path)
        finders.set(path, file === undefined ? undefined : anchorsOf(file.text, path))
      }
      return finders.get(path)?.(anchor)
    },
  }
  return check
}

/** Counts opened files and bytes against the limits. */
function createAllowance(files: PackFiles): (path: string) => boolean {
  const allowed = new Set<string>()
  let bytes = 0
  return (path) => {
    if (allowed.has(path)) return true
    const found = files.sizeOf(path) ?? 0
    // The reader refuses a file above the limit itself, with a better message.
    const size = found > MOST_BYTES ? 0 : found
    if (allowed.size >= MOST_OPENED || bytes + size > MOST_BYTES) return false
    allowed.add(path)
    bytes += size
    return true
  }
}

/** Whether a path is a file or a folder that is not empty. */
export function isThere({ files }: PackCheck, path: string): boolean {
  return files.sizeOf(path) !== undefined || files.list(path).length > 0
}

/** Reports a missing source or anchor. `at`: the place that names it. */
export function checkPlace(
  check: PackCheck,
  place: { path: string; anchor?: string | undefined },
  from: { path: string; at: string; line?: number },
): void {
  const { path, anchor } = place
  if (!isThere(check, path)) {
    check.warn('error', 'source.absent', from.path, `${from.at} names a missing file`, from.line)
    return
  }
  const kind = anchor === undefined ? undefined : parseAnchor(anchor).kind
  if (anchor === undefined || (kind !== 'lines' && kind !== 'heading')) return
  if (check.find(path, anchor)?.isFound !== false) return
  const what = kind === 'lines' ? 'lines that the file does not have' : 'a heading that the file does not have'
  check.warn('error', 'source.anchor.absent', from.path, `${from.at} names ${what}`, from.line)
}

/** The paths in a list or object of a record: texts, or objects with a path. */
export function pathsIn(value: unknown): string[] {
  const items = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []
  return items.map((item) => (typeof item === 'string' ? item : isRecord(item) ? String(item.path ?? '') : ''))
}

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

/** Finds content that is never used: files that Loadout does not read, placeholder texts, empty packs. */
export function checkReach(check: PackCheck): void {
  checkLoose(check)
  checkUnread(check)
  checkSources(check)
  checkPlaceholders(check)
  checkEmpty(check)
}

const KEPT = /^(?:runs|evals|schemas|scripts)\//
const TOP = /^(?:KNOWLEDGE\.md|(?:LICEN[CS]E|NOTICE|README|CHANGELOG)(?:\.[a-z]+)?)$/i

/** Finds files outside the folders of a pack. */
function checkLoose(check: PackCheck): void {
  const all = new Set(check.files.list(''))
  // A file in the pack's own linked folder appears also below the layer, and is read there.
  const isLinked = (path: string) => all.has(`documents/${path}`) || all.has(`wiki/${path}`)
  const isHidden = (path: string) => path.split('/').some((part) => part.startsWith('.'))
  const loose = [...all].filter(
    (path) =>
      layerOf(path) === undefined &&
      !KEPT.test(path) &&
      !TOP.test(path) &&
      path !== EXAMPLES_PATH &&
      !isHidden(path) &&
      !isLinked(path),
  )
  warnOnce(check, 'warning', 'pack.file.unused', loose, 'is outside the folders of a pack and is never read')
}

const READ_LAYERS = ['compiled', 'documents', 'wiki']

/** Finds files in text folders that are not text. */
function checkUnread(check: PackCheck): void {
  const paths = READ_LAYERS.flatMap((layer) => check.files.list(layer)).filter((path) => !isProse(path))
  const unread = paths.filter(
    (path) => !path.endsWith('.json') && !path.split('/').some((part) => part.startsWith('.')),
  )
  warnOnce(check, 'warning', 'pack.page.unreachable', unread, 'is not a text file that Loadout reads')
}

/** Finds sources that no statement names: Loadout never opens them. */
function checkSources(check: PackCheck): void {
  const sources = check.files.list('sources')
  if (sources.length === 0) return
  const named = new Set<string>()
  for (const path of READ_LAYERS.flatMap((layer) => check.files.list(layer)).filter(isProse)) {
    for (const anchor of findInlineAnchors(check.read(path)?.text ?? '')) named.add(anchor.path)
  }
  const map = check.files.sizeOf(SOURCE_MAP_PATH) === undefined ? undefined : check.read(SOURCE_MAP_PATH)
  for (const path of map === undefined ? [] : pathsOf(map.text)) named.add(path)
  const isNamed = (path: string): boolean => {
    const parts = path.split('/')
    return parts.some((_, at) => named.has(parts.slice(0, at + 1).join('/')))
  }
  const unnamed = sources.filter((path) => !isNamed(path))
  // A pack without any citation keeps its sources as an archive.
  if (unnamed.length === sources.length) return
  warnOnce(check, 'info', 'pack.page.unreachable', unnamed, 'is a source that no statement names, so it is never read')
}

function pathsOf(text: string): string[] {
  try {
    const { claims, sections } = readSourceMap(JSON.parse(text))
    const anchors = sections.flatMap(({ sourceAnchors }) => sourceAnchors.map(({ path }) => path))
    return [...claims.map(({ source }) => source.path), ...anchors]
  } catch {
    // `checkSourceMap` reports problems of the map.
    return []
  }
}

/** Finds placeholder texts of a new pack that its author has to replace. */
function checkPlaceholders(check: PackCheck): void {
  const severity = check.manifest.status === 'draft' ? 'info' : 'warning'
  const paths = [PACK_FILE, ...[...READ_LAYERS, 'sources'].flatMap((layer) => check.files.list(layer))].filter(isProse)
  const left = paths.filter((path) => isPlaceholder(check.read(path)?.text ?? ''))
  warnOnce(check, severity, 'pack.placeholder', left, 'still has the placeholder text of a new pack')
  if (check.manifest.isProposed) {
    const message = 'a program proposed the description: correct it, then remove "proposed"'
    check.warn(severity, 'pack.placeholder', PACK_FILE, message)
  }
}

function checkEmpty(check: PackCheck): void {
  const has = (folder: string) => check.files.list(folder).some((path) => (check.files.sizeOf(path) ?? 0) > 0)
  if (['compiled', 'documents', 'wiki', 'sources', 'ontology', 'answers'].some(has)) return
  const body = readGuide(check.files)?.body ?? ''
  if (body.replace(/^ {0,3}#.*$/gm, '').trim() !== '') return
  check.warn('warning', 'pack.empty', PACK_FILE, 'the pack has no text that could answer a question')
}

/** Reports all files of a kind with one finding, at the first of them. */
function warnOnce(
  check: PackCheck,
  severity: 'info' | 'warning',
  code: 'pack.file.unused' | 'pack.page.unreachable' | 'pack.placeholder',
  paths: readonly string[],
  what: string,
): void {
  const [first] = paths
  if (first === undefined) return
  const more = paths.length - 1
  const message = more === 0 ? `it ${what}` : `it ${what} (and ${more} more ${more === 1 ? 'file' : 'files'})`
  check.warn(severity, code, first, message)
}
