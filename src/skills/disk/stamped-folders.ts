import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CacheKey, isSettled, openCached, type Stamp, stampAt, sumOf, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import { isRecord, isTextList } from '../../text/values.ts'

/** A folder with the stamps of everything in it, to be compared later. */
export interface Listed {
  /** Its own, empty, then of all in it: folders, our marker, files. */
  paths: readonly string[]
  /** Of each path: inode, size, mode and two times. In one flat list, often of many folders: thousands are compared. */
  stamps: Float64Array
  /** Where those of this folder begin. */
  from: number
}

export const WIDTH = 5
export const MODE = 2

/** As long as a folder is unchanged, nothing in it has come, gone or been renamed. */
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

/** In place of an inode: there was no such folder. */
const NOTHING = -1

/** A folder without what is in it: its entries are the same as long as it is. Undefined: it changed just now. */
export function stampFolder(path: string, now: Date): Listed | undefined {
  const stamp: Stamp = stampAt(path) ?? [NOTHING, 0, 0, 0, 0]
  return isSettled(stamp, now) ? { paths: [''], stamps: Float64Array.from(stamp), from: 0 } : undefined
}

const NUMBER = Float64Array.BYTES_PER_ELEMENT

/**
 * Keeps folders with something that was made from them. The stamps are numbers, the rest is JSON, and the sum is of that:
 * to sum up the stamps of a thousand skills took 8 ms, and damaged ones are of no harm, as they are not on the disk.
 */
export function writeFolders(
  machine: Machine,
  key: CacheKey,
  folders: ReadonlyMap<string, Listed>,
  rest: unknown,
): void {
  const text = new TextEncoder().encode(JSON.stringify([tableOf(folders), rest]))
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
  writeCached(machine, key, bytes, sumOf(text))
}

/** What was kept; the stamps are to be compared with the disk before any of it is believed. */
export function readFolders(
  machine: Machine,
  key: CacheKey,
): { folders: ReadonlyMap<string, Listed>; rest: unknown } | undefined {
  const opened = openCached(machine, key)
  if (opened === undefined) return undefined
  try {
    return decode(opened.read(0, opened.size), opened.sum)
  } catch {
    return undefined
  } finally {
    opened.close()
  }
}

function decode(bytes: Uint8Array, sum: number): { folders: ReadonlyMap<string, Listed>; rest: unknown } | undefined {
  const [count = 0] = new Float64Array(bytes.buffer, bytes.byteOffset, 1)
  const stamps = new Float64Array(bytes.buffer, bytes.byteOffset + NUMBER, count)
  const text = bytes.subarray((1 + count) * NUMBER)
  if (sumOf(text) !== sum) return undefined
  const json: unknown = JSON.parse(new TextDecoder().decode(text))
  const folders = Array.isArray(json) && isTable(json[0]) ? foldersOf(json[0], stamps) : undefined
  return folders && { folders, rest: (json as unknown[])[1] }
}

/** Folders that follow each other lie mostly in the same one, and mostly hold the same paths. */
interface Table {
  parents: string[]
  lists: string[]
  /** Name, parent and list of each folder; the last two only where they are others than before. */
  rows: (string | number)[]
}

function tableOf(folders: ReadonlyMap<string, Listed>): Table {
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
  return table
}

function isTable(json: unknown): json is Table {
  return isRecord(json) && isTextList(json.parents) && isTextList(json.lists) && Array.isArray(json.rows)
}

/** Undefined: the stamps are not theirs. */
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
