import { findTokens } from '../../../text/fence.ts'
import { type Code, report, type Severity } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { type AnchorPlace, anchorsOf, findInlineAnchors, parseAnchor } from '../anchors.ts'
import { EXAMPLES_PATH, examplesOf, scanContent } from '../guard.ts'
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
import { type CompileRun, type Records, readRecords, readSelectionSuite } from '../records.ts'
import { announcesLimits } from '../resolve/choose.ts'
import { isPlaceholder } from './new-pack.ts'

/**
 * Checks a pack without using it. A message names a file, a line or a place in a record, and the rule. It never quotes
 * the pack, which may not be trusted yet.
 */
export function validatePack(pack: {
  /** Undefined if it could not be read. */
  manifest: PackManifest | undefined
  warnings: readonly PackWarning[]
  files: PackFiles
}): PackWarning[] {
  const { manifest, warnings, files } = pack
  if (manifest === undefined) return settleWarnings(warnings)
  const check = new PackCheck(manifest, files)
  // At runtime a broken record is only a warning: the rest of the pack can be used.
  const records = readRecords({ ...filesOf(check), list: (folder) => files.list(folder) }, Infinity)
  check.warnings.push(...records.warnings.map((each): PackWarning => ({ ...each, severity: 'error' })))
  checkGuide(check)
  checkPrimaryFiles(check)
  checkClaims(check, records)
  checkRuns(check, records)
  checkEvals(check)
  checkOntology(check)
  checkTexts(check)
  checkReach(check, records)
  return settleWarnings([...warnings, ...check.warnings, ...files.warnings])
}

/** The worst severity as a status. */
export function validationStatus(warnings: readonly PackWarning[]): 'passed' | 'needs-review' | 'failed' {
  if (warnings.some(({ severity }) => severity === 'error')) return 'failed'
  return warnings.some(({ severity }) => severity === 'warning') ? 'needs-review' : 'passed'
}

/** The most files and bytes that a validation opens, and the most warnings that it lists. */
const [MOST_OPENED, MOST_BYTES, MOST_WARNINGS] = [3000, 128 * 1024 * 1024, 1000]

const TEXT_LAYERS = ['compiled', 'documents', 'wiki']

class PackCheck {
  readonly warnings: PackWarning[] = []
  readonly manifest: PackManifest
  readonly files: PackFiles
  private readonly opened = new Set<string>()
  private bytes = 0
  private readonly finders = new Map<string, ((anchor: string) => AnchorPlace) | undefined>()

  constructor(manifest: PackManifest, files: PackFiles) {
    this.manifest = manifest
    this.files = files
  }

  warn(severity: Severity, code: Code, path: string, message: string, line?: number): void {
    this.add({ severity, code, path, message, line })
  }

  add(warning: PackWarning): void {
    const { severity } = warning
    const isKept = this.warnings.length < MOST_WARNINGS
    this.warnings.push(isKept ? warning : report('discovery.skipped/more-warnings', {}, { path: PACK_FILE, severity }))
  }

  /** One finding for all files of a kind, at the first of them. */
  warnOnce(severity: Severity, code: Code, paths: readonly string[], what: string): void {
    const [first] = paths
    if (first === undefined) return
    const more = paths.length - 1
    this.warn(
      severity,
      code,
      first,
      `it ${what}${more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'file' : 'files'})`}`,
    )
  }

  /** Undefined also if the limit of opened files is reached. */
  read(path: string): PackFile | undefined {
    if (this.mayOpen(path)) return this.files.read(path)
    this.warn('warning', 'discovery.skipped', PACK_FILE, 'the pack is too large: not every file was checked')
    return undefined
  }

  /** The prose below some folders. */
  texts(folders: readonly string[]): PackFile[] {
    const paths = folders.flatMap((folder) => this.files.list(folder)).filter(isProse)
    return paths.flatMap((path) => this.read(path) ?? [])
  }

  readJson(path: string, code: Code): unknown {
    const file = this.read(path)
    const { value, problem } = file === undefined ? {} : parsePackJson(file)
    if (problem !== undefined) this.warn('error', code, path, problem)
    return value
  }

  /** Whether a path is a file or a folder that is not empty. */
  has(path: string): boolean {
    return this.files.sizeOf(path) !== undefined || this.files.list(path).length > 0
  }

  /** Reports a missing source or anchor. `at`: the place that names it. */
  checkPlace(
    { path, anchor }: { path: string; anchor?: string },
    from: { path: string; at: string; line?: number },
  ): void {
    if (!this.has(path)) {
      this.warn('error', 'source.absent', from.path, `${from.at} names a missing file`, from.line)
      return
    }
    const kind = anchor === undefined ? undefined : parseAnchor(anchor).kind
    if (anchor === undefined || (kind !== 'lines' && kind !== 'heading')) return
    if (!this.finders.has(path)) {
      const file = this.read(path)
      this.finders.set(path, file && anchorsOf(file.text, path))
    }
    if (this.finders.get(path)?.(anchor).isFound !== false) return
    const what = kind === 'lines' ? 'lines' : 'a heading'
    this.warn('error', 'source.absent', from.path, `${from.at} names ${what} that the file does not have`, from.line)
  }

  mayOpen(path: string): boolean {
    if (this.opened.has(path)) return true
    const found = this.files.sizeOf(path) ?? 0
    // The reader refuses a file above the limit itself, with a better message.
    const size = found > MOST_BYTES ? 0 : found
    if (this.opened.size >= MOST_OPENED || this.bytes + size > MOST_BYTES) return false
    this.opened.add(path)
    this.bytes += size
    return true
  }
}

function filesOf(check: PackCheck): Pick<PackFiles, 'read' | 'sizeOf'> {
  return { read: (path) => check.read(path), sizeOf: (path) => check.files.sizeOf(path) }
}

function checkGuide(check: PackCheck): void {
  const { manifest, files } = check
  const guide = readGuide(files)
  if (guide === undefined) return
  check.warnings.push(...guide.warnings)
  for (const { path, line } of guide.map) {
    if (check.has(path)) continue
    check.warn('warning', 'pack.incomplete', PACK_FILE, 'the context map names a missing file', line)
  }
  if (manifest.profile === 'hybrid' && guide.map.length === 0) {
    check.warn('warning', 'pack.incomplete', PACK_FILE, 'a hybrid pack needs a context map')
  }
  const texts = () => [{ path: PACK_FILE, text: guide.body }, ...check.texts(['documents'])]
  if (manifest.mode === 'persona' && !announcesLimits(files, texts())) {
    check.warn('warning', 'pack.incomplete', PACK_FILE, 'a persona needs a text about its limits')
  }
}

/** Files and folders that the frontmatter promises, and facts that only derived files have. */
function checkPrimaryFiles(check: PackCheck): void {
  const { primaryDocument, primaryOntology, primaryAnswers, profile } = check.manifest
  for (const [key, path] of Object.entries({ primaryDocument, primaryOntology, primaryAnswers })) {
    if (path === undefined || check.files.sizeOf(path) !== undefined) continue
    const isDocument = key === 'primaryDocument' && profile === 'document-first'
    const message = `metadata.${key} names a missing file`
    if (isDocument) check.warn('warning', 'pack.incomplete', PACK_FILE, message)
    else check.warn('error', 'source.absent', PACK_FILE, message)
  }
  if (profile === 'document-first' && !check.has('documents')) {
    check.warn('warning', 'pack.incomplete', PACK_FILE, 'a document-first pack needs a folder documents/')
  }
  if (primaryAnswers !== undefined) check.readJson(primaryAnswers, 'record.invalid')
  // Read by name, so that a pipe or device in place of a view is reported.
  for (const view of ['briefing', 'facts', 'boundaries']) check.read(`compiled/${view}.md`)
  const derived = ['compiled', 'answers'].find((folder) => check.has(folder))
  if (derived !== undefined && !['wiki', 'documents', 'sources', 'ontology'].some((folder) => check.has(folder))) {
    const message = 'it has the only copy of its facts; keep them in wiki/, documents/ or sources/'
    check.warn('warning', 'source.absent', derived, message)
  }
  if (check.has('scripts')) {
    check.warn('warning', 'discovery.skipped', 'scripts', 'scripts are not part of a pack and are never run')
  }
}

function checkClaims(check: PackCheck, { claims }: Records): void {
  const path = SOURCE_MAP_PATH
  for (const [index, { status, source, compiledInto }] of claims.entries()) {
    const at = `claim ${index + 1}`
    if (source.path !== '') check.checkPlace(source, { path, at })
    for (const target of compiledInto) {
      if (!check.has(target)) check.warn('warning', 'source.absent', path, `${at} is compiled into a missing file`)
    }
    if (status === 'stale' || status === 'disputed' || status === 'missing') {
      check.warn('warning', status === 'disputed' ? 'claim.disputed' : 'claim.doubtful', path, `a claim is ${status}`)
    } else if (status === 'source-required') {
      const severity = check.manifest.grounding === 'required' ? 'warning' : 'info'
      check.warn(severity, 'claim.doubtful', path, 'a claim still needs a source')
    }
  }
}

/** The runs that last changed a file: their status, inputs and outputs. */
function checkRuns(check: PackCheck, { runs, governing }: Records): void {
  const inForce = new Set(governing.values())
  for (const { run, file } of runs.filter((each) => inForce.has(each.run))) {
    checkState(check, run, file)
    for (const [index, { path, sha256 }] of run.inputs.entries()) {
      if (!check.has(path)) check.warn('warning', 'pack.run', file, `inputs[${index}] is a missing file`)
      else if (sha256 !== undefined && check.mayOpen(path) && check.files.fingerprint(path) !== sha256) {
        check.warn('warning', 'pack.run', file, `inputs[${index}] has changed since the run`)
      }
    }
    for (const [index, { path, operation }] of run.outputs.entries()) {
      const isExpected = governing.get(path) === run && operation !== 'deleted' && operation !== 'unchanged'
      if (isExpected && !check.has(path)) {
        check.warn('warning', 'source.absent', file, `outputs[${index}] is a missing file`)
      }
    }
  }
}

function checkState(check: PackCheck, { status, isReviewRequired, diagnostics }: CompileRun, file: string): void {
  if (status === 'failed') check.warn('error', 'pack.run', file, 'the last run for some files has failed')
  else if (status !== 'passed') check.warn('warning', 'pack.run', file, `the last run for some files is ${status}`)
  else if (isReviewRequired) check.warn('warning', 'pack.run', file, 'the run asks for a review')
  for (const [index, { severity }] of diagnostics.entries()) {
    check.warn(severity, 'pack.run', file, `the compiler left a note in diagnostics[${index}]`)
  }
}

/** Checks the selection suites. Ignores other evals. */
function checkEvals(check: PackCheck): void {
  for (const path of check.files.list('evals').filter((file) => file.endsWith('.json'))) {
    const value = check.readJson(path, 'record.invalid')
    const isSelection = /^evals\/discovery[^/]*$/.test(path) || (isRecord(value) && value.cases !== undefined)
    if (value === undefined || !isSelection) continue
    const { problem } = readSelectionSuite(value, check.manifest.name)
    if (problem !== undefined) check.warn('error', 'record.invalid', path, problem)
  }
}

/** Checks that the files of an ontology's manifest exist and are JSON. */
function checkOntology(check: PackCheck): void {
  const path = check.manifest.primaryOntology ?? 'ontology/ontology.json'
  const value = check.files.sizeOf(path) === undefined ? undefined : check.readJson(path, 'record.invalid')
  if (value === undefined) return
  const names = isRecord(value) && Array.isArray(value.files) ? value.files : undefined
  if (names === undefined) check.warn('error', 'record.invalid', path, 'the record must be an object with files')
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  for (const [index, name] of (names ?? []).entries()) {
    const [at, listed] = [`files[${index}]`, typeof name === 'string' ? name : '']
    if (packPathProblem(listed) !== undefined) {
      check.add(report('PATH_ESCAPE/pack-at', { at }, { path }))
      continue
    }
    const file = [`${folder}${listed}`, listed].find((each) => check.has(each))
    if (file === undefined) check.warn('error', 'source.absent', path, `${at} names a missing file`)
    else if (file.endsWith('.json')) check.readJson(file, 'record.invalid')
  }
}

/** Checks all prose: its sources, secrets, orders to a model, and imitated fences. */
function checkTexts(check: PackCheck): void {
  const examples = examplesOf(check.files)
  const guide = check.read(PACK_FILE)
  const texts = check.texts([...TEXT_LAYERS, 'sources', 'answers', 'assets'])
  for (const { path, text } of guide === undefined ? texts : [guide, ...texts]) {
    // Sources may quote anything.
    const severity = path.startsWith('sources/') ? 'info' : 'warning'
    for (const { line, ...place } of TEXT_LAYERS.includes(path.split('/')[0] ?? '') ? findInlineAnchors(text) : []) {
      if (packPathProblem(place.path) === undefined) check.checkPlace(place, { path, at: 'a source mark', line })
      else check.add(report('PATH_ESCAPE/pack-at', { at: 'a source mark' }, { path, line }))
    }
    const { secrets, injections } = scanContent(text, examples(path))
    for (const { line, kind } of secrets) {
      const message = `it contains what looks like a secret (${kind}); for an example: loadout packs example <pack> <file>:<line>`
      check.warn('error', 'content.secret', path, message, line)
    }
    for (const { line, kind } of injections) {
      check.warn(severity, 'content.injection', path, `the text reads like an order to a model (${kind})`, line)
    }
    for (const { start } of findTokens(text)) {
      const line = text.slice(0, start).split('\n').length
      check.add(report('TEXT_CHANGED/pack-imitates', {}, { path, line, severity }))
    }
  }
}

const TOP = /^(?:KNOWLEDGE\.md|(?:LICEN[CS]E|NOTICE|README|CHANGELOG)(?:\.[a-z]+)?)$/i

/** Finds content that is never used: files that Loadout does not read, placeholder texts, empty packs. */
function checkReach(check: PackCheck, { claims }: Records): void {
  const { files, manifest } = check
  const isHidden = (path: string) => path.split('/').some((part) => part.startsWith('.'))
  const all = new Set(files.list(''))
  // A file in the pack's own linked folder appears also below the layer, and is read there.
  const isLinked = (path: string) => all.has(`documents/${path}`) || all.has(`wiki/${path}`)
  const isKept = (path: string) =>
    /^(?:runs|evals|schemas|scripts)\//.test(path) || TOP.test(path) || path === EXAMPLES_PATH
  const isLoose = (path: string) => layerOf(path) === undefined && !isKept(path) && !isHidden(path) && !isLinked(path)
  const loose = [...all].filter(isLoose)
  check.warnOnce('warning', 'pack.unread', loose, 'is outside the folders of a pack and is never read')
  const unread = TEXT_LAYERS.flatMap((layer) => files.list(layer)).filter(
    (path) => !isProse(path) && !path.endsWith('.json') && !isHidden(path),
  )
  check.warnOnce('warning', 'pack.unread', unread, 'is not a text file that Loadout reads')

  const texts = check.texts(TEXT_LAYERS)
  const named = new Set([
    ...texts.flatMap(({ text }) => findInlineAnchors(text).map(({ path }) => path)),
    ...claims.map(({ source }) => source.path),
  ])
  const isNamed = (path: string) => {
    const parts = path.split('/')
    return parts.some((_, at) => named.has(parts.slice(0, at + 1).join('/')))
  }
  const sources = files.list('sources')
  const unnamed = sources.filter((path) => !isNamed(path))
  // A pack without any citation keeps its sources as an archive.
  const isArchive = unnamed.length === sources.length
  const why = 'is a source that no statement names, so it is never read'
  check.warnOnce('info', 'pack.unread', isArchive ? [] : unnamed, why)

  const severity = manifest.status === 'draft' ? 'info' : 'warning'
  const guide = check.read(PACK_FILE)
  const written = [...(guide === undefined ? [] : [guide]), ...texts, ...check.texts(['sources'])]
  const left = written.filter(({ text }) => isPlaceholder(text)).map(({ path }) => path)
  check.warnOnce(severity, 'pack.incomplete', left, 'still has the placeholder text of a new pack')
  if (manifest.isProposed) {
    const message = 'a program proposed the description: correct it, then remove "proposed"'
    check.warn(severity, 'pack.incomplete', PACK_FILE, message)
  }
  const hasText = (folder: string) => files.list(folder).some((path) => (files.sizeOf(path) ?? 0) > 0)
  const body = readGuide(files)?.body ?? ''
  const isEmpty = ![...TEXT_LAYERS, 'sources', 'ontology', 'answers'].some(hasText)
  if (isEmpty && body.replace(/^ {0,3}#.*$/gm, '').trim() === '') {
    check.warn('warning', 'pack.incomplete', PACK_FILE, 'the pack has no text that could answer a question')
  }
}
