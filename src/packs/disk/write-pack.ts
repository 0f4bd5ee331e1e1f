import { isUtf8 } from 'node:buffer'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { changeFiles } from '../../change/edits.ts'
import { formatOwnFiles, type OwnFilesPlan, planOwnFiles, readOwnFiles } from '../../change/own-files.ts'
import type { Cache } from '../../machine/cache.ts'
import { type Converted, readDocument } from '../../machine/documents/read-document.ts'
import { asLoadoutError, codeOf, exists, flushFiles, makeFolders, removeLeftovers } from '../../machine/files.ts'
import { type PinnedFolder, pinFolder, readInside, readJsonInside } from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { Walk } from '../../machine/walk.ts'
import { count } from '../../text/count.ts'
import { documentKind } from '../../text/document-kind.ts'
import { failWith } from '../../text/trouble.ts'
import { groupBy, isRecord, sha256 } from '../../text/values.ts'
import {
  type DocumentOutline,
  kindOfFile,
  linksWithoutIds,
  namesWithoutIds,
  outlineDocument,
  titledByName,
  updateGuide,
} from '../rules/author/new-pack.ts'
import { LARGEST_PACK_FILE, type LinkedLayer, largestFile, PACK_FILE } from '../rules/pack.ts'
import { LeftOut, type Material } from './material.ts'
import { linkedRoot, listLinked, MOST_LINKED, type PackPlaceOnDisk } from './pack-head.ts'

/** The files to write, by path. */
export type PackContents = ReadonlyMap<string, string | Buffer>

/** Writes a new folder below a root, completely or not at all. Refuses an existing folder. */
export async function writeNewFolder(root: string, target: string, files: PackContents): Promise<void> {
  refuseExisting(target)
  let around: PinnedFolder | undefined
  let stage: string | undefined
  try {
    makeFolders(dirname(target))
    around = pinFolder(dirname(target), root)
    const place = join(around.place, basename(target))
    // Hidden, so that discovery does not take it for a finished pack.
    stage = join(around.place, `${ownedName(`.${basename(target)}`)}.tmp`)
    removeLeftovers(place)
    for (const [path, text] of files) {
      makeFolders(dirname(join(stage, path)))
      writeFileSync(join(stage, path), text, { flag: 'wx' })
    }
    await flushFiles(stage, [...files.keys()])
    refuseExisting(target)
    move(stage, place)
  } catch (error) {
    if (stage !== undefined) rmSync(stage, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) refuseExisting(target)
    throw asLoadoutError(error, target, 'write')
  } finally {
    around?.close()
  }
}

function refuseExisting(target: string): void {
  if (!exists(target)) return
  throw failWith('FILE_EXISTS/pack-existing', { target })
}

/** The record of the files that `packs new --from` wrote: a second run replaces only these. */
export const IMPORT_RECORD = 'runs/import.json'

/** Writes the files of an imported pack. Refuses a folder that was not imported, and replaces only unchanged files. */
export async function writeImport(
  machine: Machine,
  root: string,
  target: string,
  files: PackContents,
  from: string,
): Promise<Omit<OwnFilesPlan, 'left'>> {
  const guide = String(files.get(PACK_FILE))
  const about = { tool: 'loadout packs new', from, guide }
  if (!exists(target)) {
    const digests = Object.fromEntries([...files].map(([path, bytes]) => [path, sha256(bytes)]))
    await writeNewFolder(root, target, new Map([...files, [IMPORT_RECORD, formatOwnFiles(about, digests)]]))
    return { written: [...files.keys()], unchanged: [], kept: [], removed: [] }
  }
  return changeFiles(machine, { purpose: 'packs' }, (edits) => {
    if (readOwnFiles(target, IMPORT_RECORD) === undefined) throw failWith('FILE_EXISTS/pack-import', { target })
    const where = { folder: target, record: IMPORT_RECORD, about }
    const made = new Map<string, { bytes: string | Buffer; isMerged?: boolean }>()
    for (const [path, bytes] of files) made.set(path, { bytes })
    // A person edits the guide: it keeps what they wrote.
    const known = readJsonInside(target, IMPORT_RECORD)
    const there = readInside(target, PACK_FILE, { most: LARGEST_PACK_FILE }).bytes?.toString('utf8')
    if (there !== undefined && isRecord(known) && typeof known.guide === 'string') {
      made.set(PACK_FILE, { bytes: updateGuide(there, known.guide, guide), isMerged: true })
    }
    return planOwnFiles(edits, where, made)
  })
}

/** The documents of a folder, and the files that cannot be part of a pack. */
export interface DocsFolder {
  documents: DocumentOutline[]
  /** Grouped by reason, with an example path. */
  leftOut: Material['leftOut']
  /** Notes that link each other by the names of their files, as Obsidian keeps them. */
  isVault: boolean
  /** What an index page of the whole says about it. */
  summary?: string
}

/** Reads the outline of every document. Throws if there are more than a pack can hold. */
export function readDocsFolder(cache: Cache, linked: LinkedLayer, packRoot: string): DocsFolder {
  const left = new LeftOut()
  const { paths, isCut } = listLinked(linked, packRoot, (path, why) => {
    if (why === 'kind') left.add(kindOfFile(path), path)
    else if (why !== 'pack') left.add(why === 'link' ? 'link' : 'hidden or ignored', path)
  })
  const root = linkedRoot(linked)
  if (isCut) {
    const folders = groupBy(paths, (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '.'))
    const largest = [...folders].sort(([, a], [, b]) => b.length - a.length).slice(0, 5)
    const named = largest.map(([folder, { length }]) => `${folder} (${count(length, 'document')})`).join(', ')
    throw failWith('FILE_TOO_LARGE/documents', { linked: root, mostLinked: MOST_LINKED, named })
  }
  const documents = paths.flatMap((path) => {
    const { text, problem } = readOutlined(cache, root, path)
    if (problem === undefined) return [outlineDocument(path, text)]
    left.add(problem, path)
    return []
  })
  const pages = documents.filter(({ isWiki }) => isWiki).length
  const hasLinks = pages >= 2 && pages * 3 >= documents.length
  const isVault = linked.only === undefined && (hasLinks || exists(join(root, '.obsidian')))
  return { documents: isVault ? documents.map(titledByName) : documents, leftOut: left.rows, isVault }
}

/** The text of a document, or why it cannot be part of a pack. */
function readOutlined(cache: Cache, root: string, path: string): Converted {
  const most = largestFile(path)
  const { bytes, failure } = readInside(root, path, { most })
  if (failure?.code === 'FILE_TOO_LARGE') return { problem: `document above ${most >> 20} MB` }
  if (failure !== undefined) return { problem: 'unreadable file' }
  const kind = documentKind(path)
  if (kind !== undefined) {
    const read = readDocument(cache, kind, bytes)
    return read.problem === undefined ? read : { problem: `${kind.toUpperCase()} that ${read.problem}` }
  }
  const text = bytes.toString('utf8').replace(/\r\n?/g, '\n')
  if (bytes.includes(0)) return { problem: 'file that is not text' }
  return text.trim() === '' ? { problem: 'empty document' } : { text }
}

/** All files of a pack, with those of the folder that it links, by their paths in the pack. */
export function readWholePack(place: PackPlaceOnDisk): Map<string, string | Buffer> {
  const { root, linked } = place
  const files = new Map<string, string | Buffer>()
  const take = (from: string, path: string, name: string) => {
    const { bytes, failure } = readInside(from, path, { most: largestFile('.pdf') })
    if (failure !== undefined) throw failure
    files.set(name, bytes)
  }
  const outside = linked !== undefined && !linked.isBundle ? linked : undefined
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'], ignoreHidden: true })
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind, isIgnored } of entries) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (isIgnored || (outside !== undefined && path === outside.layer)) continue
      if (kind === 'folder') enter(name)
      else if (kind === 'file') take(root, path, path)
    }
  }
  if (outside === undefined) return files
  for (const path of listLinked(outside, root).paths) take(linkedRoot(outside), path, `${outside.layer}/${path}`)
  return files
}

/**
 * The bytes of the documents, without the ids that Notion adds to names. Leaves out texts that are not UTF-8: Loadout would
 * show them changed.
 */
export function copyDocuments(linked: LinkedLayer, docs: DocsFolder): Map<string, Buffer> {
  const contents = new Map<string, Buffer>()
  const refused: string[] = []
  const names = namesWithoutIds(docs.documents.map(({ path }) => path))
  docs.documents = docs.documents.flatMap((document) => {
    const { path } = document
    const name = names.get(path) ?? path
    const { bytes } = readInside(linkedRoot(linked), path, { most: largestFile(path) })
    if (bytes === undefined || (documentKind(path) === undefined && !isUtf8(bytes))) {
      refused.push(path)
      return []
    }
    const isPage = name !== path && /\.md$/i.test(path)
    contents.set(name, isPage ? Buffer.from(linksWithoutIds(bytes.toString('utf8'))) : bytes)
    return { ...document, path: name }
  })
  const [example] = refused
  if (example !== undefined) docs.leftOut.push({ what: 'document that is not UTF-8', count: refused.length, example })
  return contents
}
