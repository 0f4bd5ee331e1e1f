import { constants, lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CacheKey, isSettled, type Stamp, stampAt } from '../../machine/cache.ts'
import { readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { checksum, isRecord, isTextList } from '../../text/values.ts'
import { MARKER_FILE } from '../rules/reconcile.ts'
import { SKILL_FILE } from '../rules/skill.ts'
import { hashTree, kindOf, listTree, type Tree, type TreeFile } from './tree.ts'

/** The state of a skill folder, in the library or installed. */
export interface FolderState {
  /** All files except our marker. */
  readonly files: readonly FileIn[]
  /** Our marker, if there is one. */
  readonly marker: FileIn | undefined
  /** Whether it has only folders and regular files. */
  readonly isPlain: boolean
  has(path: string): boolean
  /** The hash of the files, without the marker. */
  hash: string
  /** The content of our marker, else of skill.json. Undefined if that is not text. */
  label: Label | undefined
}

/** The file's value, or its text if it is not valid JSON. */
export type Label = { json: unknown } | { text: string }

type FileIn = Pick<TreeFile, 'path' | 'kind'>

export interface TreeCache {
  /** Reads a folder. Reads the contents of its files only if something has changed. */
  read(folder: string): FolderState
  /** Stores the results for the next process. */
  save(): void
  /** All folders that were read; undefined if one could not be, or if it changed too recently to notice another change. */
  seen(): ReadonlyMap<string, Listed> | undefined
}

/** A folder as it was read. */
interface Row extends Listed {
  hash: string
  label: Label | null
}

/** Caches lists and hashes of thousands of files, and reads a folder again only if times or sizes have changed. */
export function openTreeCache(machine: Machine): TreeCache {
  const known = readRows(machine) ?? new Map<string, Row>()
  const now = machine.now()
  const seen = new Map<string, Row>()
  let isChanged = false
  let isSure = true
  const readChanged = (folder: string, before: Row | undefined): Row => {
    const wasSure = isSure
    isSure = false
    const tree = listTree(folder)
    const row = readRow(folder, tree, before)
    const { files, marker, folders } = tree
    const all = [...files, ...folders, ...(marker === undefined ? [] : [marker])]
    if (all.every(({ stamp }) => isSettled(stamp, now))) {
      known.set(folder, row)
      isChanged = true
      isSure = wasSure
    }
    return row
  }
  return {
    read(folder) {
      const row = known.get(folder)
      const current = row !== undefined && isUnchanged(folder, row) ? row : readChanged(folder, row)
      seen.set(folder, current)
      return new KnownFolder(current)
    },
    seen: () => (isSure ? seen : undefined),
    save() {
      if (isChanged) {
        const stored = [...known.values()].map(({ hash, label }): StoredRow => [hash, label])
        writeFolders(machine, KEY, known, stored)
      }
    },
  }
}

/** Reuses the hash of unchanged files: after new markers for all installs, only the markers are read again. */
function readRow(folder: string, tree: Tree, before: Row | undefined): Row {
  const others = tree.marker === undefined ? tree.folders : [...tree.folders, tree.marker]
  const all = [...others, ...tree.files]
  const row = {
    label: readLabel(folder, tree) ?? null,
    paths: all.map(({ path }) => path),
    stamps: Float64Array.from(all.flatMap(({ stamp }) => stamp)),
    from: 0,
  }
  const hash = before && hasSameFiles(before, row, tree.files.length) ? before.hash : hashTree(folder, tree.files)
  return { hash, ...row }
}

/** Whether both rows end with the same `count` files and have no others. */
function hasSameFiles(before: Listed, next: Listed, count: number): boolean {
  const [a, b] = [before.paths.length - count, next.paths.length - count]
  if (a < 1 || !isOther(before, a - 1)) return false
  const [stampA, stampB] = [before.from + a * WIDTH, next.from + b * WIDTH]
  const isSamePath = (at: number) => before.paths[a + at] === next.paths[b + at]
  const isSameStamp = (at: number) => before.stamps[stampA + at] === next.stamps[stampB + at]
  return everyUpTo(count, isSamePath) && everyUpTo(count * WIDTH, isSameStamp)
}

function everyUpTo(count: number, holds: (at: number) => boolean): boolean {
  for (let at = 0; at < count; at++) if (!holds(at)) return false
  return true
}

/** A folder, or our marker. */
function isOther(row: Listed, at: number): boolean {
  return typeAt(row, at) === constants.S_IFDIR || row.paths[at] === MARKER_FILE
}

function typeAt(row: Listed, at: number): number {
  return modeAt(row, at) & constants.S_IFMT
}

function modeAt({ stamps, from }: Listed, at: number): number {
  return stamps[from + at * WIDTH + MODE]!
}

/** Lists the files only on request: most callers only ask whether some exist. */
class KnownFolder implements FolderState {
  readonly hash: string
  readonly label: Label | undefined
  private readonly listed: Listed

  constructor(row: Row) {
    this.hash = row.hash
    this.label = row.label ?? undefined
    this.listed = row
  }

  get files(): FileIn[] {
    return this.listed.paths.flatMap((_, at) => (isOther(this.listed, at) ? [] : fileAt(this.listed, at)))
  }

  get marker(): FileIn | undefined {
    return this.find(MARKER_FILE)
  }

  get isPlain(): boolean {
    return everyUpTo(this.listed.paths.length, (at) => {
      const type = typeAt(this.listed, at)
      return type === constants.S_IFREG || type === constants.S_IFDIR
    })
  }

  has(path: string): boolean {
    return this.find(path) !== undefined
  }

  private find(path: string): FileIn | undefined {
    const at = this.listed.paths.indexOf(path)
    return at < 0 || typeAt(this.listed, at) === constants.S_IFDIR ? undefined : fileAt(this.listed, at)
  }
}

function fileAt(row: Listed, at: number): FileIn {
  return { path: row.paths[at]!, kind: kindOf(modeAt(row, at)) }
}

function readLabel(folder: string, { files, marker }: Tree): Label | undefined {
  const label = marker ?? files.find(({ path }) => path === SKILL_FILE)
  if (label?.kind !== 'file') return undefined
  try {
    const text = readText(join(folder, marker === undefined ? SKILL_FILE : MARKER_FILE), 1024 * 1024)
    try {
      return { json: JSON.parse(text) }
    } catch {
      return { text }
    }
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

const KEY: CacheKey = { kind: 'trees', version: 4, name: [] }

type StoredRow = [hash: string, label: Label | null]

function readRows(machine: Machine): Map<string, Row> | undefined {
  const { folders, rest } = readFolders(machine, KEY) ?? {}
  if (folders === undefined || !Array.isArray(rest) || rest.length !== folders.size || !rest.every(isStoredRow)) {
    return undefined
  }
  const rows = new Map<string, Row>()
  for (const [folder, { paths, stamps, from }] of folders) {
    const [hash, label] = rest[rows.size] as StoredRow
    rows.set(folder, { hash, label, paths, stamps, from })
  }
  return rows
}

function isStoredRow(json: unknown): json is StoredRow {
  return Array.isArray(json) && typeof json[0] === 'string' && (json[1] === null || isLabel(json[1]))
}

function isLabel(json: unknown): json is Label {
  return isRecord(json) && ('json' in json || typeof json.text === 'string')
}

/** A folder with the stamps of everything in it, to compare later. */
export interface Listed {
  /** First an empty path for the folder itself, then everything in it: folders, our marker, files. */
  paths: readonly string[]
  /** For each path: inode, size, mode and two times. One flat list, often of many folders, to compare thousands fast. */
  stamps: Float64Array
  /** The index of the first stamp of this folder. */
  from: number
}

const WIDTH = 5
const MODE = 2

/** Compares all stamps with the disk. The stamp of a folder changes if an entry is added, removed or renamed. */
export function isUnchanged(folder: string, { paths, stamps, from }: Listed): boolean {
  try {
    for (let at = 0; at < paths.length; at++) {
      const stat = at === 0 ? statSync(folder, QUIET) : lstatSync(`${folder}/${paths[at]}`, QUIET)
      const stamp = from + at * WIDTH
      if (stat === undefined ? stamps[stamp] !== NOTHING : !isStamped(stat, stamps, stamp)) return false
    }
    return true
  } catch {
    return false
  }
}

/** Compares without `stampOf`: creating thousands of lists would take most of the time. */
function isStamped({ ino, size, mode, mtimeMs, ctimeMs }: Stats, stamps: Float64Array, at: number): boolean {
  return (
    ino === stamps[at] &&
    size === stamps[at + 1] &&
    mode === stamps[at + MODE] &&
    mtimeMs === stamps[at + 3] &&
    ctimeMs === stamps[at + 4]
  )
}

const QUIET = { throwIfNoEntry: false } as const

/** Instead of an inode: the folder did not exist. */
const NOTHING = -1

/** Stamps a folder without its contents; its stamp changes with its entries. Undefined if it changed just now. */
export function stampFolder(path: string, now: Date): Listed | undefined {
  const stamp: Stamp = stampAt(path) ?? [NOTHING, 0, 0, 0, 0]
  return isSettled(stamp, now) ? { paths: [''], stamps: Float64Array.from(stamp), from: 0 } : undefined
}

const NUMBER = Float64Array.BYTES_PER_ELEMENT

/**
 * Caches folders together with a result made from them. Stamps are stored as numbers, the rest as JSON. The checksum
 * covers only the JSON: for the stamps of a thousand skills it took 8 ms, and damaged stamps only fail to match.
 */
export function writeFolders(
  machine: Machine,
  key: CacheKey,
  folders: ReadonlyMap<string, Listed>,
  rest: unknown,
): void {
  const table: Table = { parents: [], lists: [], rows: [] }
  const lists = new Map<string, number>()
  let list: number | undefined
  for (const [folder, { paths }] of folders) {
    const parent = dirname(folder)
    const joined = paths.join('\0')
    if (!lists.has(joined)) lists.set(joined, table.lists.push(joined) - 1)
    if (table.parents.at(-1) !== parent) table.rows.push(-table.parents.push(parent))
    if (lists.get(joined) !== list) {
      list = lists.get(joined) as number
      table.rows.push(list)
    }
    table.rows.push(folder.slice(parent.length).replace(/^\//, ''))
  }
  const text = new TextEncoder().encode(JSON.stringify([table, rest]))
  const count = [...folders.values()].reduce((sum, { paths }) => sum + paths.length * WIDTH, 0)
  const bytes = new Uint8Array((1 + count) * NUMBER + text.length)
  const numbers = new Float64Array(bytes.buffer, 0, 1 + count)
  numbers[0] = count
  let at = 1
  for (const { paths, stamps, from } of folders.values()) {
    numbers.set(stamps.subarray(from, from + paths.length * WIDTH), at)
    at += paths.length * WIDTH
  }
  bytes.set(text, at * NUMBER)
  machine.cache.write(key, bytes, checksum(text))
}

/** Reads what `writeFolders` cached. The caller must compare the stamps with the disk before it uses the result. */
export function readFolders(
  machine: Machine,
  key: CacheKey,
): { folders: ReadonlyMap<string, Listed>; rest: unknown } | undefined {
  const opened = machine.cache.open(key)
  if (opened === undefined) return undefined
  try {
    const bytes = opened.read(0, opened.size)
    const [count = 0] = new Float64Array(bytes.buffer, bytes.byteOffset, 1)
    const stamps = new Float64Array(bytes.buffer, bytes.byteOffset + NUMBER, count)
    const text = bytes.subarray((1 + count) * NUMBER)
    if (checksum(text) !== opened.sum) return undefined
    const json: unknown = JSON.parse(new TextDecoder().decode(text))
    const folders = Array.isArray(json) && isTable(json[0]) ? foldersOf(json[0], stamps) : undefined
    return folders && { folders, rest: (json as unknown[])[1] }
  } catch {
    return undefined
  } finally {
    opened.close()
  }
}

/** A compact form: consecutive folders usually have the same parent and contain the same paths. */
interface Table {
  parents: string[]
  lists: string[]
  /** For each folder its name, after its parent and its list if they differ from those of the folder before. */
  rows: (string | number)[]
}

function isTable(json: unknown): json is Table {
  return isRecord(json) && isTextList(json.parents) && isTextList(json.lists) && Array.isArray(json.rows)
}

/** Undefined if the number of stamps does not match. */
function foldersOf(table: Table, stamps: Float64Array): Map<string, Listed> | undefined {
  const lists = table.lists.map((joined) => joined.split('\0'))
  const folders = new Map<string, Listed>()
  let [parent, paths, from]: [string, readonly string[], number] = ['', [], 0]
  for (const row of table.rows) {
    if (typeof row === 'string') {
      folders.set(parent + row, { paths, stamps, from })
      from += paths.length * WIDTH
    } else if (row < 0) parent = `${table.parents[-row - 1]?.replace(/\/$/, '')}/`
    else paths = lists[row] ?? []
  }
  return from === stamps.length ? folders : undefined
}
