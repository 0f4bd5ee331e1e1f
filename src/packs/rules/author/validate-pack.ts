import { findTokens } from '../../../text/fence.ts'
import { examplesOf, type IsExample, scanContent } from '../fence/content-guard.ts'
import { readGuide } from '../fence/guide.ts'
import {
  isProse,
  PACK_FILE,
  type PackFiles,
  type PackManifest,
  type PackWarning,
  packPathProblem,
  settleWarnings,
} from '../pack.ts'
import { findInlineAnchors } from '../records/anchor.ts'
import { announcesLimits } from '../resolve/choice.ts'
import { checkReach } from './check-reach.ts'
import { checkRecords } from './check-records.ts'
import { checkPlace, isThere, type PackCheck, startCheck } from './pack-check.ts'

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
