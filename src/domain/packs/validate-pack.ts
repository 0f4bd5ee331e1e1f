import { findHeadings } from '../routing/sections.ts'
import type { Code } from '../shared/codes.ts'
import type { Severity } from '../shared/finding.ts'
import { findInlineAnchors } from './anchor.ts'
import { readContextMap } from './context-map.ts'
import type { PackManifest } from './pack.ts'
import { checkPlace, isThere, type PackCheck, startCheck } from './pack-check.ts'
import type { PackFiles } from './pack-files.ts'
import { packPathProblem } from './pack-path.ts'
import { checkEvals, checkOntology, checkRuns, checkSourceMap } from './validate-records.ts'
import { type PackWarning, settleWarnings } from './warning.ts'

export interface PackToValidate {
  /** As far as it could be read, with what was odd about it. */
  manifest: PackManifest | undefined
  warnings: readonly PackWarning[]
  files: PackFiles
  /** Looks into the text of every Markdown file: for secrets, and for what imitates a fence. */
  scan?: ((text: string, path: string) => readonly ScanHit[]) | undefined
}

export interface ScanHit {
  severity: Severity
  code: Code
  /** Without the text that was found. */
  message: string
  line?: number | undefined
}

/**
 * Everything that can be known about a pack without using it. A message names a file, a line or a place in a record,
 * and the rule; nothing that the pack itself says, for it may not be trusted yet.
 */
export function validatePack({ manifest, warnings, files, scan }: PackToValidate): PackWarning[] {
  if (manifest === undefined) return settleWarnings(warnings)
  const check = startCheck(manifest, files)
  checkGuide(check)
  checkPrimaryFiles(check)
  checkLayers(check)
  checkSourceMap(check)
  checkRuns(check)
  checkEvals(check)
  checkOntology(check)
  checkTexts(check, scan)
  return settleWarnings([...warnings, ...check.warnings, ...files.warnings])
}

/** How bad it is, in one word. */
export function validationStatus(warnings: readonly PackWarning[]): 'passed' | 'needs-review' | 'failed' {
  if (warnings.some(({ severity }) => severity === 'error')) return 'failed'
  return warnings.some(({ severity }) => severity === 'warning') ? 'needs-review' : 'passed'
}

const GUIDE = 'KNOWLEDGE.md'

/** The body behind the frontmatter, and the line of the file that it starts at. */
export function cutGuide(text: string): { body: string; firstLine: number } {
  const lines = text.split('\n')
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : -1
  return { body: lines.slice(end + 1).join('\n'), firstLine: end + 2 }
}

function checkGuide(check: PackCheck): void {
  const file = check.read(GUIDE)
  if (file === undefined) return
  const { body, firstLine } = cutGuide(file.text)
  const map = readContextMap(body, firstLine)
  check.warnings.push(...map.warnings)
  for (const { path, line } of map.entries) {
    if (!isThere(check, path)) check.warn('warning', 'pack.map.absent', GUIDE, 'the context map names nothing', line)
  }
  if (check.manifest.profile === 'hybrid' && map.entries.length === 0) {
    check.warn('warning', 'pack.map.missing', GUIDE, 'a hybrid pack needs a context map')
  }
  if (check.manifest.mode === 'persona' && !hasBoundaries(check, body)) {
    check.warn('warning', 'pack.persona.unbounded', GUIDE, 'a persona needs a text about what it never says')
  }
}

const BOUNDARY_WORDS = /bound|taboo|limit|never|avoid|restrict|off-?limits|\u7981|\u8fb9\u754c|\u9650\u5236/i

/** Whether a file or a heading announces what must not be said. */
function hasBoundaries({ files }: PackCheck, body: string): boolean {
  const names = [...files.list('compiled'), ...files.list('documents'), ...files.list('wiki')]
  const titles = findHeadings(['', ...body.split('\n')]).map(({ title }) => title)
  return [...names, ...titles].some((text) => BOUNDARY_WORDS.test(text))
}

function checkPrimaryFiles(check: PackCheck): void {
  const { primaryDocument, primaryOntology, primaryAnswers, profile } = check.manifest
  const named = { primaryDocument, primaryOntology, primaryAnswers }
  for (const [key, path] of Object.entries(named)) {
    if (path === undefined || check.files.sizeOf(path) !== undefined) continue
    const isDocument = key === 'primaryDocument' && profile === 'document-first'
    const message = `metadata.${key} names a file that is not there`
    if (isDocument) check.warn('warning', 'pack.documents.missing', GUIDE, message)
    else check.warn('error', 'source.absent', GUIDE, message)
  }
  if (profile === 'document-first' && check.files.list('documents').length === 0) {
    check.warn('warning', 'pack.documents.missing', GUIDE, 'a document-first pack needs a folder documents/')
  }
  if (primaryAnswers !== undefined) check.readJson(primaryAnswers, 'answers.invalid')
}

/** The standard views, so that a pipe or device in the place of one is noticed. */
const STANDARD_VIEWS = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md']

function checkLayers(check: PackCheck): void {
  const has = (folder: string) => check.files.list(folder).length > 0
  for (const view of STANDARD_VIEWS) check.read(view)
  const derived = ['compiled', 'answers'].find(has)
  if (derived !== undefined && !['wiki', 'documents', 'sources', 'ontology'].some(has)) {
    const message = 'it holds the only copy of its facts; keep them in wiki/, documents/ or sources/'
    check.warn('warning', 'source.absent', derived, message)
  }
  if (has('scripts')) {
    check.warn('warning', 'discovery.skipped', 'scripts', 'scripts are no part of a pack, and are never run')
  }
}

const TEXT_LAYERS = ['compiled', 'documents', 'wiki', 'sources', 'answers', 'assets']
const ANCHORED_LAYERS = new Set(['compiled', 'documents', 'wiki'])

/** Every Markdown text: the sources it names, and what the scan finds. Without a scan, sources are left closed. */
function checkTexts(check: PackCheck, scan: PackToValidate['scan']): void {
  const layers = scan === undefined ? [...ANCHORED_LAYERS] : TEXT_LAYERS
  const paths = layers.flatMap((layer) => check.files.list(layer)).filter((path) => /\.(?:md|markdown)$/i.test(path))
  for (const path of [GUIDE, ...paths]) {
    const file = check.read(path)
    if (file === undefined) continue
    if (ANCHORED_LAYERS.has(path.split('/')[0] ?? '')) checkAnchors(check, path, file.text)
    for (const { severity, code, message, line } of scan?.(file.text, path) ?? []) {
      check.warn(severity, code, path, message, line)
    }
  }
}

function checkAnchors(check: PackCheck, path: string, text: string): void {
  for (const { line, ...place } of findInlineAnchors(text)) {
    if (packPathProblem(place.path) !== undefined) {
      check.warn('error', 'source.escape', path, 'a source mark names a path outside the pack', line)
    } else checkPlace(check, place, { path, at: 'a source mark', line })
  }
}
