import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CacheKey, isSettled, openCached, type Stamp, stampAt, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import { checksum, isRecord, isTextList } from '../../text/values.ts'

/** A folder with the stamps of everything in it, to compare later. */
export interface Listed {
  /** First an empty path for the folder itself, then everything in it: folders, our marker, files. */
  paths: readonly string[]
  /** For each path: inode, size, mode and two times. One flat list, often of many folders, to compare thousands fast. */
  stamps: Float64Array
  /** The index of the first stamp of this folder. */
  from: number
}

export const WIDTH = 5
export const MODE = 2

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
  writeCached(machine, key, bytes, checksum(text))
}

/** Reads what `writeFolders` cached. The caller must compare the stamps with the disk before it uses the result. */
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
  if (checksum(text) !== sum) return undefined
  const json: unknown = JSON.parse(new TextDecoder().decode(text))
  const folders = Array.isArray(json) && isTable(json[0]) ? foldersOf(json[0], stamps) : undefined
  return folders && { folders, rest: (json as unknown[])[1] }
}

/** A compact form: consecutive folders usually have the same parent and contain the same paths. */
interface Table {
  parents: string[]
  lists: string[]
  /** For each folder its name, after its parent and its list if they differ from those of the folder before. */
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
