import { EXAMPLES_PATH } from '../fence/content-guard.ts'
import { readGuide } from '../fence/guide.ts'
import { isProse, layerOf, PACK_FILE, SOURCE_MAP_PATH } from '../pack.ts'
import { findInlineAnchors } from '../records/anchor.ts'
import { readSourceMap } from '../records/source-map.ts'
import type { PackCheck } from './pack-check.ts'
import { isPlaceholder } from './pack-template.ts'

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

const TEXT_LAYERS = ['compiled', 'documents', 'wiki']

/** Finds files in text folders that are not text. */
function checkUnread(check: PackCheck): void {
  const paths = TEXT_LAYERS.flatMap((layer) => check.files.list(layer)).filter((path) => !isProse(path))
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
  for (const path of TEXT_LAYERS.flatMap((layer) => check.files.list(layer)).filter(isProse)) {
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
  const paths = [PACK_FILE, ...[...TEXT_LAYERS, 'sources'].flatMap((layer) => check.files.list(layer))].filter(isProse)
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
