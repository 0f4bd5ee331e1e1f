import { constants, lstatSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CacheKey, isSettled, readCached, writeCached } from '../../machine/cache.ts'
import { readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { MARKER_FILE } from '../rules/marker.ts'
import { SKILL_FILE } from '../rules/skill.ts'
import { hashTree, kindOf, listTree, type Tree, type TreeFile } from './tree.ts'

/** What is known about a skill's folder, in the library or installed. */
export interface FolderState {
  /** All but our marker. */
  readonly files: readonly FileIn[]
  /** Our marker, where there is one. */
  readonly marker: FileIn | undefined
  /** Whether it holds folders and regular files only. */
  readonly isPlain: boolean
  has(path: string): boolean
  /** Of the files, without the marker. */
  hash: string
  /** What describes the folder: our marker where there is one, else skill.json. Undefined if it is no text. */
  label: Label | undefined
}

/** The file's value, or its text if it is not valid JSON. */
export type Label = { json: unknown } | { text: string }

type FileIn = Pick<TreeFile, 'path' | 'kind'>

export interface TreeCache {
  /** Reads a folder; contents only where something changed since they were last read. */
  read(folder: string): FolderState
  /** Remembers what was read, for the next process. */
  save(): void
}

/** A folder as it was read. */
interface Row extends Listed {
  hash: string
  label: Label | null
}

interface Listed {
  /** Its own, empty, then of all in it: folders, our marker, files. */
  paths: readonly string[]
  /** Of each path: inode, size, mode and two times. In one flat list, because thousands are compared. */
  stamps: Float64Array
}

const WIDTH = 5
const MODE = 2

const LARGEST_LABEL = 1024 * 1024

/** Listing and hashing thousands of files takes long; their times and sizes tell whether it has to be done again. */
export function openTreeCache(machine: Machine): TreeCache {
  const known = readCached(machine, KEY, decodeRows) ?? new Map<string, Row>()
  const now = machine.now()
  let isChanged = false
  return {
    read(folder) {
      const row = known.get(folder)
      if (row !== undefined && isUnchanged(folder, row)) return new KnownFolder(row)
      const tree = listTree(folder)
      const next = readRow(folder, tree, row)
      if (isTreeSettled(tree, now)) {
        known.set(folder, next)
        isChanged = true
      }
      return new KnownFolder(next)
    },
    save() {
      if (isChanged) writeCached(machine, KEY, encodeRows(known))
    },
  }
}

/** As long as a folder is unchanged, nothing in it has come, gone or been renamed. */
function isUnchanged(folder: string, { paths, stamps }: Listed): boolean {
  try {
    for (let at = 0; at < paths.length; at++) {
      const stat = at === 0 ? statSync(folder, QUIET) : lstatSync(`${folder}/${paths[at]}`, QUIET)
      if (stat === undefined || !isStamped(stat, stamps, at * WIDTH)) return false
    }
    return true
  } catch {
    return false
  }
}

/** `stampOf` without the list: thousands of them would be the largest part of the work. */
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

function isTreeSettled({ files, marker, folders }: Tree, now: Date): boolean {
  const all = [...files, ...folders, ...(marker === undefined ? [] : [marker])]
  return all.every(({ stamp }) => isSettled(stamp, now))
}

/** Files that are as they were keep their hash: when all installs are marked anew, only the markers are read again. */
function readRow(folder: string, tree: Tree, before: Row | undefined): Row {
  const others = tree.marker === undefined ? tree.folders : [...tree.folders, tree.marker]
  const all = [...others, ...tree.files]
  const row = {
    label: readLabel(folder, tree) ?? null,
    paths: all.map(({ path }) => path),
    stamps: Float64Array.from(all.flatMap(({ stamp }) => stamp)),
  }
  const hash = before && hasSameFiles(before, row, tree.files.length) ? before.hash : hashTree(folder, tree.files)
  return { hash, ...row }
}

/** Whether the last so many of both rows, and no others, are files, and the same. */
function hasSameFiles(before: Listed, next: Listed, count: number): boolean {
  const [from, to] = [before.paths.length - count, next.paths.length - count]
  if (from < 1 || !isOther(before, from - 1)) return false
  const isSamePath = (at: number) => before.paths[from + at] === next.paths[to + at]
  const isSameStamp = (at: number) => before.stamps[from * WIDTH + at] === next.stamps[to * WIDTH + at]
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

function typeAt({ stamps }: Listed, at: number): number {
  return stamps[at * WIDTH + MODE]! & constants.S_IFMT
}

/** The files are only listed for who asks: mostly it is enough to know that some are there. */
class KnownFolder implements FolderState {
  readonly hash: string
  readonly label: Label | undefined
  private readonly listed: Listed

  constructor({ hash, label, paths, stamps }: Row) {
    this.hash = hash
    this.label = label ?? undefined
    this.listed = { paths, stamps }
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

function fileAt({ paths, stamps }: Listed, at: number): FileIn {
  return { path: paths[at]!, kind: kindOf(stamps[at * WIDTH + MODE]!) }
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

const KEY: CacheKey = { kind: 'trees', version: 2, name: [] }

type StoredRow = [folder: string, hash: string, label: Label | null, paths: string]

/**
 * The stamps as numbers, then the rest as JSON. Reading the stamps as text took a fifth of an inventory of a thousand
 * skills. Paths that many folders have are told once.
 */
function encodeRows(rows: ReadonlyMap<string, Row>): Uint8Array {
  const stored = [...rows].map(([folder, { hash, label, paths }]): StoredRow => [folder, hash, label, paths.join('\0')])
  const text = new TextEncoder().encode(JSON.stringify(stored))
  const count = [...rows.values()].reduce((sum, { stamps }) => sum + stamps.length, 0)
  const bytes = new Uint8Array((1 + count) * NUMBER + text.length)
  const numbers = new Float64Array(bytes.buffer, 0, 1 + count)
  numbers[0] = count
  let at = 1
  for (const { stamps } of rows.values()) {
    numbers.set(stamps, at)
    at += stamps.length
  }
  bytes.set(text, at * NUMBER)
  return bytes
}

const NUMBER = Float64Array.BYTES_PER_ELEMENT

/** The stamps are compared with the disk before they are believed. */
function decodeRows(bytes: Uint8Array): Map<string, Row> | undefined {
  const [count = 0] = new Float64Array(bytes.buffer, bytes.byteOffset, 1)
  const numbers = new Float64Array(bytes.buffer, bytes.byteOffset + NUMBER, count)
  const json: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray((1 + count) * NUMBER)))
  if (!Array.isArray(json) || !json.every(isStoredRow)) return undefined
  const lists = new Map<string, readonly string[]>()
  const rows = new Map<string, Row>()
  let from = 0
  for (const [folder, hash, label, joined] of json) {
    const paths = lists.get(joined) ?? joined.split('\0')
    lists.set(joined, paths)
    rows.set(folder, { hash, label, paths, stamps: numbers.subarray(from, from + paths.length * WIDTH) })
    from += paths.length * WIDTH
  }
  return from === count ? rows : undefined
}

function isStoredRow(json: unknown): json is StoredRow {
  if (!Array.isArray(json)) return false
  const [folder, hash, label, paths] = json
  return [folder, hash, paths].every((text) => typeof text === 'string') && (label === null || isLabel(label))
}

function isLabel(json: unknown): json is Label {
  return isRecord(json) && ('json' in json || typeof json.text === 'string')
}
