import { count } from '../../../text/count.ts'
import { findTokens } from '../../../text/fence.ts'
import { report, type Severity } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { type AnchorPlace, anchorsOf, findInlineAnchors, parseAnchor } from '../anchors.ts'
import { EXAMPLES_PATH, examplesOf, scanContent } from '../guard.ts'
import { guideWarnings, readGuide } from '../guide.ts'
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
import { type Records, readRecords, readSelectionSuite } from '../records.ts'
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
  const records = readRecords(
    { read: (path) => check.read(path), sizeOf: (path) => files.sizeOf(path), list: (folder) => files.list(folder) },
    Infinity,
  )
  check.add(...records.warnings.map((each): PackWarning => ({ ...each, severity: 'error' })))
  const guide = readGuide(files)
  if (guide !== undefined) {
    check.add(...guideWarnings(manifest, files, guide, () => check.texts(['documents'])))
  }
  checkPrimaryFiles(check)
  checkClaims(check, records)
  checkRuns(check, records)
  checkRecords(check)
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

type ForSeveral =
  | 'discovery.skipped/unread-outside'
  | 'discovery.skipped/not-text'
  | 'discovery.skipped/source'
  | 'pack.incomplete/template'

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

  add(...warnings: readonly PackWarning[]): void {
    for (const warning of warnings) {
      const { severity } = warning
      const isKept = this.warnings.length < MOST_WARNINGS
      this.warnings.push(
        isKept ? warning : report('discovery.skipped/more-warnings', {}, { path: PACK_FILE, severity }),
      )
    }
  }

  /** One finding for all files of a kind, at the first of them. */
  addOnce(severity: Severity, row: ForSeveral, paths: readonly string[]): void {
    const [path] = paths
    if (path === undefined) return
    const others = paths.length === 1 ? undefined : count(paths.length - 1, 'more file')
    this.add(report(row, { others }, { path, severity }))
  }

  /** Undefined also if the limit of opened files is reached. */
  read(path: string): PackFile | undefined {
    if (this.mayOpen(path)) return this.files.read(path)
    this.add(report('discovery.skipped/pack-size', {}, { path: PACK_FILE }))
    return undefined
  }

  /** The prose below some folders. */
  texts(folders: readonly string[]): PackFile[] {
    const paths = folders.flatMap((folder) => this.files.list(folder)).filter(isProse)
    return paths.flatMap((path) => this.read(path) ?? [])
  }

  readJson(path: string): unknown {
    const file = this.read(path)
    const { value, problem } = file === undefined ? {} : parsePackJson(file)
    if (problem !== undefined) this.invalid(path, problem)
    return value
  }

  invalid(path: string, problem: string): void {
    this.add(report('pack.field/record', { problem }, { path, severity: 'error' }))
  }

  /** Whether a path is a file or a folder that is not empty. */
  has(path: string): boolean {
    return this.files.sizeOf(path) !== undefined || this.files.list(path).length > 0
  }

  /** Reports a missing file. `what`: the place that names it. */
  need(named: string, what: string, about: { path: string; line?: number }, severity: Severity = 'error'): boolean {
    if (this.has(named)) return true
    this.add(report('source.absent/file', { what }, { ...about, severity }))
    return false
  }

  /** Reports a missing source or anchor. */
  needPlace(place: { path: string; anchor?: string }, what: string, about: { path: string; line?: number }): void {
    const { path, anchor } = place
    if (!this.need(path, what, about) || anchor === undefined) return
    const { kind } = parseAnchor(anchor)
    if (kind !== 'lines' && kind !== 'heading') return
    if (!this.finders.has(path)) {
      const file = this.read(path)
      this.finders.set(path, file && anchorsOf(file.text, path))
    }
    if (this.finders.get(path)?.(anchor).isFound !== false) return
    this.add(report('source.absent/anchor', { what, kind: kind === 'lines' ? 'lines' : 'a heading' }, about))
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

/** Files and folders that the frontmatter promises, and facts that only derived files have. */
function checkPrimaryFiles(check: PackCheck): void {
  const { primaryDocument, primaryOntology, primaryAnswers, profile } = check.manifest
  for (const [key, path] of Object.entries({ primaryDocument, primaryOntology, primaryAnswers })) {
    const isToldBefore = key === 'primaryDocument' && profile === 'document-first'
    if (path !== undefined && !isToldBefore) check.need(path, `metadata.${key}`, { path: PACK_FILE })
  }
  if (primaryAnswers !== undefined) check.readJson(primaryAnswers)
  // Read by name, so that a pipe or device in place of a view is reported.
  for (const view of ['briefing', 'facts', 'boundaries']) check.read(`compiled/${view}.md`)
  const derived = ['compiled', 'answers'].find((folder) => check.has(folder))
  if (derived !== undefined && !['wiki', 'documents', 'sources', 'ontology'].some((folder) => check.has(folder))) {
    check.add(report('source.absent/only-copy', {}, { path: derived }))
  }
  if (check.has('scripts')) check.add(report('discovery.skipped/scripts', {}, { path: 'scripts' }))
}

function checkClaims(check: PackCheck, { claims }: Records): void {
  const path = SOURCE_MAP_PATH
  for (const [index, { status, source, compiledInto }] of claims.entries()) {
    if (source.path !== '') check.needPlace(source, `claim ${index + 1}`, { path })
    for (const target of compiledInto) check.need(target, `claim ${index + 1}`, { path }, 'warning')
    if (status === 'disputed') check.add(report('claim.disputed/claims', { claims: 'claim is disputed' }, { path }))
    else if (status === 'stale' || status === 'missing') {
      check.add(report('claim.doubtful/claims', { claims: `claim is ${status}` }, { path, severity: 'warning' }))
    } else if (status === 'source-required') {
      const severity = check.manifest.grounding === 'required' ? 'warning' : 'info'
      check.add(report('claim.doubtful/claims', { claims: 'claim still needs a source' }, { path, severity }))
    }
  }
}

/** The runs that last changed a file: their status, inputs and outputs. */
function checkRuns(check: PackCheck, { runs, governing }: Records): void {
  const inForce = new Set(governing.values())
  for (const { run, file } of runs.filter((each) => inForce.has(each.run))) {
    const { status, inputs, outputs, diagnostics } = run
    const about = { path: file }
    if (status !== 'passed') {
      const severity = status === 'failed' ? 'error' : 'warning'
      check.add(report('pack.run/last', { status }, { ...about, severity }))
    } else if (run.isReviewRequired) check.add(report('pack.run/asks-review', {}, about))
    for (const [at, { severity }] of diagnostics.entries()) {
      check.add(report('pack.run/note', { at }, { ...about, severity }))
    }
    for (const [at, { path, sha256 }] of inputs.entries()) {
      const place = `inputs[${at}]`
      if (!check.has(path)) check.add(report('pack.run/input', { place, what: 'is a missing file' }, about))
      else if (sha256 !== undefined && check.mayOpen(path) && check.files.fingerprint(path) !== sha256) {
        check.add(report('pack.run/input', { place, what: 'has changed since the run' }, about))
      }
    }
    for (const [at, { path, operation }] of outputs.entries()) {
      const isExpected = governing.get(path) === run && operation !== 'deleted' && operation !== 'unchanged'
      if (isExpected) check.need(path, `outputs[${at}]`, about, 'warning')
    }
  }
}

/** Checks the selection suites, and that the files of an ontology exist and are JSON. Ignores other evals. */
function checkRecords(check: PackCheck): void {
  for (const path of check.files.list('evals').filter((file) => file.endsWith('.json'))) {
    const value = check.readJson(path)
    const isSelection = /^evals\/discovery[^/]*$/.test(path) || (isRecord(value) && value.cases !== undefined)
    if (value === undefined || !isSelection) continue
    const { problem } = readSelectionSuite(value, check.manifest.name)
    if (problem !== undefined) check.invalid(path, problem)
  }
  const path = check.manifest.primaryOntology ?? 'ontology/ontology.json'
  const value = check.files.sizeOf(path) === undefined ? undefined : check.readJson(path)
  if (value === undefined) return
  const names = isRecord(value) && Array.isArray(value.files) ? value.files : undefined
  if (names === undefined) check.invalid(path, 'the record must be an object with files')
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  for (const [index, name] of (names ?? []).entries()) {
    const [at, listed] = [`files[${index}]`, typeof name === 'string' ? name : '']
    if (packPathProblem(listed) !== undefined) {
      check.add(report('PATH_ESCAPE/pack-at', { at }, { path }))
      continue
    }
    const file = [`${folder}${listed}`, listed].find((each) => check.has(each)) ?? listed
    if (check.need(file, at, { path }) && file.endsWith('.json')) check.readJson(file)
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
      if (packPathProblem(place.path) === undefined) check.needPlace(place, 'a source mark', { path, line })
      else check.add(report('PATH_ESCAPE/pack-at', { at: 'a source mark' }, { path, line }))
    }
    const { secrets, injections } = scanContent(text, examples(path))
    for (const { line, kind } of secrets) {
      check.add(report('content.secret/found', { kind }, { path, line }))
    }
    for (const { line, kind } of injections) {
      check.add(report('content.injection/found', { kind }, { path, line, severity }))
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
  check.addOnce('warning', 'discovery.skipped/unread-outside', loose)
  const unread = TEXT_LAYERS.flatMap((layer) => files.list(layer)).filter(
    (path) => !isProse(path) && !path.endsWith('.json') && !isHidden(path),
  )
  check.addOnce('warning', 'discovery.skipped/not-text', unread)

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
  check.addOnce('info', 'discovery.skipped/source', isArchive ? [] : unnamed)

  const severity = manifest.status === 'draft' ? 'info' : 'warning'
  const guide = check.read(PACK_FILE)
  const written = [...(guide === undefined ? [] : [guide]), ...texts, ...check.texts(['sources'])]
  const left = written.filter(({ text }) => isPlaceholder(text)).map(({ path }) => path)
  check.addOnce(severity, 'pack.incomplete/template', left)
  if (manifest.isProposed) check.add(report('pack.incomplete/proposed', {}, { path: PACK_FILE, severity }))
  const hasText = (folder: string) => files.list(folder).some((path) => (files.sizeOf(path) ?? 0) > 0)
  const body = readGuide(files)?.body ?? ''
  const isEmpty = ![...TEXT_LAYERS, 'sources', 'ontology', 'answers'].some(hasText)
  if (isEmpty && body.replace(/^ {0,3}#.*$/gm, '').trim() === '') {
    check.add(report('pack.incomplete/no-text', {}, { path: PACK_FILE }))
  }
}
