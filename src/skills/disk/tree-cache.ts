import { constants } from 'node:fs'
import { join } from 'node:path'
import { type CacheKey, isSettled } from '../../machine/cache.ts'
import { readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { MARKER_FILE } from '../rules/marker.ts'
import { SKILL_FILE } from '../rules/skill.ts'
import { isUnchanged, type Listed, MODE, readFolders, WIDTH, writeFolders } from './stamped-folders.ts'
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

const LARGEST_LABEL = 1024 * 1024

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
    if (isTreeSettled(tree, now)) {
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
      if (isChanged) writeRows(machine, known)
    },
  }
}

function isTreeSettled({ files, marker, folders }: Tree, now: Date): boolean {
  const all = [...files, ...folders, ...(marker === undefined ? [] : [marker])]
  return all.every(({ stamp }) => isSettled(stamp, now))
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
    return parseLabel(readText(join(folder, marker === undefined ? SKILL_FILE : MARKER_FILE), LARGEST_LABEL))
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

function parseLabel(text: string): Label {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return { text }
  }
}

const KEY: CacheKey = { kind: 'trees', version: 4, name: [] }

type StoredRow = [hash: string, label: Label | null]

function writeRows(machine: Machine, rows: ReadonlyMap<string, Row>): void {
  const stored = [...rows.values()].map(({ hash, label }): StoredRow => [hash, label])
  writeFolders(machine, KEY, rows, stored)
}

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
