import { constants, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Cache, type CacheKey, isSettled, type Stamp, stampAt } from '../../machine/cache.ts'
import { readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { attempt, checksum, isRecord, isTextList } from '../../text/values.ts'
import { MARKER_FILE } from '../rules/reconcile.ts'
import { SKILL_FILE } from '../rules/skill.ts'
import { type FileKind, hashTree, kindOf, listTree } from './tree.ts'

/** The content of our marker, else of skill.json: its value, or its text if it is not valid JSON. */
export type Label = { json: unknown } | { text: string }

/** A folder as it was read. */
interface Row extends Listed {
  hash: string
  label: Label | null
}

const KEY: CacheKey = { kind: 'trees', version: 4, name: [] }

/** Caches lists and hashes of thousands of files, and reads a folder again only if times or sizes have changed. */
export class TreeCache {
  private readonly machine: Machine
  private readonly now: Date
  private readonly known = new Map<string, Row>()
  private readonly found = new Map<string, Row>()
  private isChanged = false
  private isSure = true

  constructor(machine: Machine) {
    this.machine = machine
    this.now = machine.now()
    const { folders = new Map<string, Listed>(), rest } = readFolders(machine.cache, KEY) ?? {}
    const rows = Array.isArray(rest) && rest.length === folders.size ? rest : []
    const isStored = (row: unknown): row is [hash: string, label: Label | null] => {
      if (!Array.isArray(row) || typeof row[0] !== 'string') return false
      const label: unknown = row[1]
      return label === null || (isRecord(label) && ('json' in label || typeof label.text === 'string'))
    }
    if (!rows.every(isStored)) return
    for (const [at, [folder, listed]] of [...folders].entries()) {
      const [hash, label] = rows[at] ?? []
      if (hash !== undefined) this.known.set(folder, { hash, label: label ?? null, ...listed })
    }
  }

  /** Reads a folder. Reads the contents of its files only if something has changed. */
  read(folder: string): FolderState {
    const row = this.known.get(folder)
    const current = row !== undefined && isUnchanged(folder, row) ? row : this.readChanged(folder, row)
    this.found.set(folder, current)
    return new FolderState(current)
  }

  /** All folders that were read; undefined if one could not be, or if it changed too recently to notice another change. */
  seen(): ReadonlyMap<string, Listed> | undefined {
    return this.isSure ? this.found : undefined
  }

  /** Stores the results for the next process. */
  save(): void {
    if (!this.isChanged) return
    const rest = [...this.known.values()].map(({ hash, label }) => [hash, label])
    writeFolders(this.machine.cache, KEY, this.known, rest)
  }

  /** Reuses the hash of unchanged files: after new markers for all installs, only the markers are read again. */
  private readChanged(folder: string, before: Row | undefined): Row {
    const wasSure = this.isSure
    this.isSure = false
    const { files, marker, folders } = listTree(folder)
    const all = [...folders, ...(marker === undefined ? [] : [marker]), ...files]
    let label: Label | null = null
    const labelled = marker ?? files.find(({ path }) => path === SKILL_FILE)
    if (labelled?.kind === 'file') {
      try {
        const text = readText(join(folder, labelled.path), 1024 * 1024)
        try {
          label = { json: JSON.parse(text) }
        } catch {
          label = { text }
        }
      } catch (error) {
        if (!(error instanceof LoadoutError)) throw error
      }
    }
    const paths = all.map(({ path }) => path)
    const listed = { paths, stamps: Float64Array.from(all.flatMap(({ stamp }) => stamp)), from: 0 }
    const hash = before && hasSameFiles(before, listed, files.length) ? before.hash : hashTree(folder, files)
    const row = { hash, label, ...listed }
    if (all.every(({ stamp }) => isSettled(stamp, this.now))) {
      this.known.set(folder, row)
      this.isChanged = true
      this.isSure = wasSure
    }
    return row
  }
}

/** Whether both rows end with the same `count` files and have no others. */
function hasSameFiles(before: Listed, next: Listed, count: number): boolean {
  const [a, b] = [before.paths.length - count, next.paths.length - count]
  // Before the files are folders and our marker.
  const isLastOther = a > 0 && (typeAt(before, a - 1) === constants.S_IFDIR || before.paths[a - 1] === MARKER_FILE)
  if (!isLastOther) return false
  const [stampA, stampB] = [before.from + a * WIDTH, next.from + b * WIDTH]
  for (let at = 0; at < count; at++) if (before.paths[a + at] !== next.paths[b + at]) return false
  for (let at = 0; at < count * WIDTH; at++) if (before.stamps[stampA + at] !== next.stamps[stampB + at]) return false
  return true
}

function typeAt({ stamps, from }: Listed, at: number): number {
  return stamps[from + at * WIDTH + MODE]! & constants.S_IFMT
}

/** The state of a skill folder, in the library or installed. Looks at the list only on request: there may be thousands. */
export class FolderState {
  /** The hash of the files, without the marker. */
  readonly hash: string
  /** Undefined if the marker or skill.json is not text. */
  readonly label: Label | undefined
  private readonly listed: Listed

  constructor(row: Row) {
    this.hash = row.hash
    this.label = row.label ?? undefined
    this.listed = row
  }

  /** Whether it has only folders and regular files. */
  get isPlain(): boolean {
    return this.listed.paths.every((_, at) => {
      const type = typeAt(this.listed, at)
      return type === constants.S_IFREG || type === constants.S_IFDIR
    })
  }

  /** What a file is; undefined for a folder, or if there is none. */
  kindOf(path: string): FileKind | undefined {
    const at = this.listed.paths.indexOf(path)
    const type = at < 0 ? constants.S_IFDIR : typeAt(this.listed, at)
    return type === constants.S_IFDIR ? undefined : kindOf(type)
  }
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
  const quiet = { throwIfNoEntry: false } as const
  return attempt(() => {
    for (let at = 0; at < paths.length; at++) {
      const stat = at === 0 ? statSync(folder, quiet) : lstatSync(`${folder}/${paths[at]}`, quiet)
      const stamp = from + at * WIDTH
      // Without `stampOf`: creating thousands of lists would take most of the time.
      const isSame =
        stat === undefined
          ? stamps[stamp] === NOTHING
          : stat.ino === stamps[stamp] &&
            stat.size === stamps[stamp + 1] &&
            stat.mode === stamps[stamp + MODE] &&
            stat.mtimeMs === stamps[stamp + 3] &&
            stat.ctimeMs === stamps[stamp + 4]
      if (!isSame) return false
    }
    return true
  }, false)
}

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
export function writeFolders(cache: Cache, key: CacheKey, folders: ReadonlyMap<string, Listed>, rest: unknown): void {
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
  cache.write(key, bytes, checksum(text))
}

/** Reads what `writeFolders` cached. The caller must compare the stamps with the disk before it uses the result. */
export function readFolders(
  cache: Cache,
  key: CacheKey,
): { folders: ReadonlyMap<string, Listed>; rest: unknown } | undefined {
  const opened = cache.open(key)
  if (opened === undefined) return undefined
  try {
    const bytes = opened.read(0, opened.size)
    const [count = 0] = new Float64Array(bytes.buffer, bytes.byteOffset, 1)
    const stamps = new Float64Array(bytes.buffer, bytes.byteOffset + NUMBER, count)
    const text = bytes.subarray((1 + count) * NUMBER)
    if (checksum(text) !== opened.sum) return undefined
    const json: unknown = JSON.parse(new TextDecoder().decode(text))
    const [table, rest] = Array.isArray(json) ? json : []
    if (!isRecord(table) || !isTextList(table.parents) || !isTextList(table.lists) || !Array.isArray(table.rows)) {
      return undefined
    }
    const lists = table.lists.map((joined) => joined.split('\0'))
    const folders = new Map<string, Listed>()
    let [parent, paths, from]: [string, readonly string[], number] = ['', [], 0]
    for (const row of table.rows as Table['rows']) {
      if (typeof row === 'string') {
        folders.set(parent + row, { paths, stamps, from })
        from += paths.length * WIDTH
      } else if (row < 0) parent = `${table.parents[-row - 1]?.replace(/\/$/, '')}/`
      else paths = lists[row] ?? []
    }
    // Otherwise the number of stamps does not match.
    return from === stamps.length ? { folders, rest } : undefined
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
