import { isUtf8 } from 'node:buffer'
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Converted, readDocument } from '../../machine/documents/read-document.ts'
import {
  asLoadoutError,
  codeOf,
  exists,
  flushFiles,
  makeFolders,
  removeFile,
  removeLeftovers,
} from '../../machine/files.ts'
import {
  type PinnedFolder,
  pinFolder,
  readInside,
  readJsonInside,
  refuseLinkOut,
  writeInside,
} from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { Walk } from '../../machine/walk.ts'
import { count } from '../../text/count.ts'
import { documentKind } from '../../text/document-kind.ts'
import { failWith } from '../../text/trouble.ts'
import { getOwn, groupBy, isRecord, sha256 } from '../../text/values.ts'
import { type DocumentOutline, kindOfFile, outlineDocument } from '../rules/author/new-pack.ts'
import { type LinkedLayer, largestFile } from '../rules/pack.ts'
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

/** Lists the files that `packs new --from` wrote: a second run replaces only these. */
const IMPORT_RECORD = 'runs/import.json'

export interface ImportWritten {
  written: string[]
  unchanged: string[]
  /** Files that others changed or added; left as they are. */
  kept: string[]
  removed: string[]
}

/** Writes the files of an imported pack. Refuses a folder that was not imported, and replaces only unchanged files. */
export async function writeImport(
  root: string,
  target: string,
  files: PackContents,
  from: string,
): Promise<ImportWritten> {
  const made = { tool: 'loadout packs new', from }
  const record = recordText(made, files)
  if (!exists(target)) {
    await writeNewFolder(root, target, new Map([...files, [IMPORT_RECORD, record]]))
    return { written: [...files.keys()], unchanged: [], kept: [], removed: [] }
  }
  const before = readMade(target, IMPORT_RECORD)
  if (before === undefined) {
    throw failWith('FILE_EXISTS/pack-import', { target })
  }
  const result: ImportWritten = { written: [], unchanged: [], kept: [], removed: [] }
  const ours = new Map<string, string | Buffer>()
  for (const [path, text] of files) {
    const now = digestAt(target, path)
    const was = getOwn(before, path)
    if (now === sha256(text)) result.unchanged.push(path)
    else if (now === undefined || now === was) result.written.push(path)
    else result.kept.push(path)
    if (!result.kept.includes(path)) ours.set(path, text)
  }
  for (const path of result.written) refuseLinkOut(target, path)
  for (const path of result.written) writeInside(target, path, [Buffer.from(files.get(path) ?? '')])
  for (const path of Object.keys(before).filter((each) => !files.has(each))) {
    if (digestAt(target, path) !== getOwn(before, path)) continue
    removeInside(target, path)
    result.removed.push(path)
  }
  const text = recordText(made, ours)
  if (digestAt(target, IMPORT_RECORD) !== sha256(text)) writeInside(target, IMPORT_RECORD, text)
  return result
}

/** Adds a file to a folder that already has its texts, and records it as ours. */
export function addToFolder(target: string, path: string, text: string, from: string): void {
  const file = new Map([[path, text]])
  writeAll(target, file.set(IMPORT_RECORD, recordText({ tool: 'loadout packs new', from }, file)))
}

/** Writes files of a pack. Writes none if a link leads one of them out of the pack. */
export function writeAll(root: string, files: ReadonlyMap<string, string>): void {
  for (const path of files.keys()) refuseLinkOut(root, path)
  for (const [path, text] of files) writeInside(root, path, text)
}

/** A record of files that Loadout wrote, with their digests. */
export function recordText(made: object, files: PackContents): string {
  const digests = Object.fromEntries([...files].map(([path, text]) => [path, sha256(text)]))
  return `${JSON.stringify({ ...made, files: digests }, undefined, 2)}\n`
}

const LARGEST_RECORD = 4 * 1024 * 1024

/** The digests of the files that Loadout wrote, from their record. A file with another digest was edited. */
export function readMade(root: string, record: string): Record<string, string> | undefined {
  try {
    const json = readJsonInside(root, record, LARGEST_RECORD)
    if (!isRecord(json) || !isRecord(json.files)) return undefined
    const rows = Object.entries(json.files).filter((row): row is [string, string] => typeof row[1] === 'string')
    return Object.fromEntries(rows.filter(([path]) => !path.split('/').includes('..')))
  } catch {
    return undefined
  }
}

/** The text of a file as it is on disk. */
export function textAt(root: string, path: string): string | undefined {
  return readInside(root, path, { most: LARGEST_RECORD }).bytes?.toString('utf8')
}

function digestAt(root: string, path: string): string | undefined {
  const { bytes } = readInside(root, path, { most: largestFile(path) })
  return bytes && sha256(bytes)
}

export function removeInside(root: string, path: string): void {
  refuseLinkOut(root, path)
  removeFile(join(root, path))
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
export function readDocsFolder(machine: Machine, linked: LinkedLayer, packRoot: string): DocsFolder {
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
  const isVault = linked.only === undefined && exists(join(root, '.obsidian'))
  const documents = paths.flatMap((path) => {
    const { text, problem } = readOutlined(machine, root, path)
    if (problem === undefined) return [outlineDocument(path, text, isVault)]
    left.add(problem, path)
    return []
  })
  return { documents, leftOut: left.rows, isVault }
}

/** The text of a document, or why it cannot be part of a pack. */
function readOutlined(machine: Machine, root: string, path: string): Converted {
  const most = largestFile(path)
  const { bytes, failure } = readInside(root, path, { most })
  if (failure?.code === 'FILE_TOO_LARGE') return { problem: `document above ${most >> 20} MB` }
  if (failure !== undefined) return { problem: 'unreadable file' }
  const kind = documentKind(path)
  if (kind !== undefined) {
    const read = readDocument(machine, kind, bytes)
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

/** The bytes of the documents. Leaves out texts that are not UTF-8: Loadout would show them changed. */
export function copyDocuments(linked: LinkedLayer, docs: DocsFolder): Map<string, Buffer> {
  const contents = new Map<string, Buffer>()
  const refused: string[] = []
  for (const { path } of docs.documents) {
    const { bytes } = readInside(linkedRoot(linked), path, { most: largestFile(path) })
    if (bytes !== undefined && (documentKind(path) !== undefined || isUtf8(bytes))) contents.set(path, bytes)
    else refused.push(path)
  }
  const [example] = refused
  if (example !== undefined) docs.leftOut.push({ what: 'document that is not UTF-8', count: refused.length, example })
  return contents
}
