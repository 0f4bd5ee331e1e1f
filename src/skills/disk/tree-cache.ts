import { constants, lstatSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CacheKey, isSettled, jsonCodec, readCached, writeCached } from '../../machine/cache.ts'
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

type Row = [hash: string, label: Label | null, stamps: Stamps]

/**
 * What is in a folder, in one flat list, because thousands are compared: path, inode, size, mode, and the two times of
 * every folder and file. As long as a folder is unchanged, nothing in it has come, gone or been renamed.
 */
type Stamps = (string | number)[]
const WIDTH = 6

const LARGEST_LABEL = 1024 * 1024

/** Listing and hashing thousands of files takes long; their times and sizes tell whether it has to be done again. */
export function openTreeCache(machine: Machine): TreeCache {
  const known = new Map(readCached(machine, KEY, ROWS.decode))
  const now = machine.now()
  let isChanged = false
  return {
    read(folder) {
      const row = known.get(folder)
      if (row !== undefined && isUnchanged(folder, row[2])) return stateOf(row)
      const tree = listTree(folder)
      const next = readRow(folder, tree, row)
      if (isTreeSettled(tree, now)) {
        known.set(folder, next)
        isChanged = true
      }
      return stateOf(next)
    },
    save() {
      if (!isChanged) return
      const bytes = ROWS.encode([...known])
      if (bytes !== undefined) writeCached(machine, KEY, bytes)
    },
  }
}

function isUnchanged(folder: string, stamps: Stamps): boolean {
  try {
    for (let at = 0; at < stamps.length; at += WIDTH) {
      const stat = stamps[at] === '' ? statSync(folder, QUIET) : lstatSync(`${folder}/${stamps[at]}`, QUIET)
      if (stat === undefined || !isStamped(stat, stamps, at + 1)) return false
    }
    return stamps[0] === ''
  } catch {
    return false
  }
}

/** `stampOf` without the list: thousands of them would be the largest part of the work. */
function isStamped({ ino, size, mode, mtimeMs, ctimeMs }: Stats, stamps: Stamps, at: number): boolean {
  return (
    ino === stamps[at] &&
    size === stamps[at + 1] &&
    mode === stamps[at + 2] &&
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
  const files = tree.files.flatMap(({ path, stamp }) => [path, ...stamp])
  const hash = before !== undefined && isEnd(files, before[2]) ? before[0] : hashTree(folder, tree.files)
  const others = tree.marker === undefined ? tree.folders : [...tree.folders, tree.marker]
  return [hash, readLabel(folder, tree) ?? null, [...others.flatMap(({ path, stamp }) => [path, ...stamp]), ...files]]
}

/** Whether the rest of the stamps, after folders and marker, says the same. */
function isEnd(files: Stamps, stamps: Stamps): boolean {
  const start = stamps.length - files.length
  const isFirst = start > 0 && (isFolder(stamps[start - WIDTH + 3]) || stamps[start - WIDTH] === MARKER_FILE)
  return isFirst && files.every((value, at) => value === stamps[start + at])
}

function isFolder(mode: unknown): boolean {
  return typeof mode === 'number' && (mode & constants.S_IFMT) === constants.S_IFDIR
}

function stateOf([hash, label, stamps]: Row): FolderState {
  return new KnownFolder(hash, label ?? undefined, stamps)
}

/** The files are only listed for who asks: mostly it is enough to know that some are there. */
class KnownFolder implements FolderState {
  readonly hash: string
  readonly label: Label | undefined
  private readonly stamps: Stamps

  constructor(hash: string, label: Label | undefined, stamps: Stamps) {
    this.hash = hash
    this.label = label
    this.stamps = stamps
  }

  get files(): FileIn[] {
    return filesIn(this.stamps)
  }

  get marker(): FileIn | undefined {
    return this.find(MARKER_FILE)
  }

  get isPlain(): boolean {
    return isPlain(this.stamps)
  }

  has(path: string): boolean {
    return this.find(path) !== undefined
  }

  private find(path: string): FileIn | undefined {
    const at = this.stamps.indexOf(path)
    return at < 0 || isFolder(this.stamps[at + 3]) ? undefined : fileAt(this.stamps, at)
  }
}

function fileAt(stamps: Stamps, at: number): FileIn {
  return { path: String(stamps[at]), kind: kindOf(Number(stamps[at + 3])) }
}

function filesIn(stamps: Stamps): FileIn[] {
  const files: FileIn[] = []
  for (let at = 0; at < stamps.length; at += WIDTH) {
    if (!isFolder(stamps[at + 3]) && stamps[at] !== MARKER_FILE) files.push(fileAt(stamps, at))
  }
  return files
}

function isPlain(stamps: Stamps): boolean {
  for (let at = 0; at < stamps.length; at += WIDTH) {
    const type = Number(stamps[at + 3]) & constants.S_IFMT
    if (type !== constants.S_IFREG && type !== constants.S_IFDIR) return false
  }
  return true
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

const KEY: CacheKey = { kind: 'trees', version: 1, name: [] }
const ROWS = jsonCodec((json): json is [string, Row][] => Array.isArray(json) && json.every(isRow))

/** The stamps are compared with the disk before they are believed. */
function isRow(json: unknown): json is [string, Row] {
  if (!Array.isArray(json) || typeof json[0] !== 'string' || !Array.isArray(json[1])) return false
  const [hash, label, stamps] = json[1]
  return typeof hash === 'string' && (label === null || isLabel(label)) && Array.isArray(stamps)
}

function isLabel(json: unknown): json is Label {
  return isRecord(json) && ('json' in json || typeof json.text === 'string')
}
