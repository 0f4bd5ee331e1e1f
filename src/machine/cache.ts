import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { checksum, hashText } from '../text/values.ts'
import { makeFolders, statOrNothing } from './files.ts'
import { isOrphaned, ownedName, removeOrphans } from './leftovers.ts'
import type { Surroundings } from './machine.ts'
import { move } from './platform.ts'

/**
 * The only cache: one file per value in <cache folder>/<kind>/. It only saves time. A file that is missing, damaged, of
 * another version or made from other sources is a miss, and a folder that is not writable is ignored.
 */
export class Cache {
  readonly folder: string
  readonly #isWritten: boolean

  constructor(folder: string, isWritten = true) {
    this.folder = folder
    this.#isWritten = isWritten
  }

  /** Returns the stored value, or makes a new one and stores it. */
  keep<T>(key: CacheKey, codec: Codec<T>, build: () => T): T {
    const known = this.read(key, codec.decode)
    if (known !== undefined) return known
    const value = build()
    const bytes = codec.encode(value)
    if (bytes !== undefined) this.write(key, bytes)
    return value
  }

  /** The decoded stored value. */
  read<T>(key: CacheKey, decode: (bytes: Uint8Array) => T | undefined): T | undefined {
    const opened = this.open(key)
    if (opened === undefined) return undefined
    try {
      const bytes = opened.read(0, opened.size)
      return checksum(bytes) === opened.sum ? decode(bytes) : undefined
    } catch {
      return undefined
    } finally {
      opened.close()
    }
  }

  /** For a value that is read in parts. The caller must verify the content when it decodes it. */
  open(key: CacheKey): OpenedValue | undefined {
    let file: number | undefined
    try {
      // Never waits for the writer of a pipe.
      file = openSync(this.#pathOf(key), constants.O_RDONLY | constants.O_NONBLOCK)
      const stat = fstatSync(file)
      const opened = stat.isFile() ? openValue(file, stat.size, headOf(key)) : undefined
      if (opened === undefined) closeSync(file)
      return opened
    } catch {
      if (file !== undefined) closeSync(file)
      return undefined
    }
  }

  /**
   * Stores a value for later processes. A reader finds either the old or the new one. `sum`: the checksum of the part
   * that its reader verifies, if not of the whole.
   */
  write(key: CacheKey, bytes: Uint8Array, sum = checksum(bytes)): void {
    if (key.isSettled === false || !this.#isWritten) return
    const path = this.#pathOf(key)
    const stage = this.#stageOf(path)
    try {
      makeFolders(dirname(path), ONLY_THE_USER.folder)
      // Not flushed: a value torn by a power cut is a miss.
      const content = Buffer.concat([headOf(key), Buffer.from(hex(bytes.length) + hex(sum)), bytes])
      writeFileSync(stage, content, { flag: 'wx', mode: ONLY_THE_USER.file })
      move(stage, path)
      sweep(dirname(path))
    } catch {
      removeQuietly(stage)
    }
  }

  /** Undefined where nothing can be written. */
  grow(key: CacheKey): GrowingValue | undefined {
    if (!this.#isWritten) return undefined
    const path = this.#pathOf(key)
    const stage = this.#stageOf(path)
    try {
      makeFolders(dirname(path), ONLY_THE_USER.folder)
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
      return growInto(path, stage, openSync(stage, flags, ONLY_THE_USER.file), headOf(key))
    } catch {
      removeQuietly(stage)
      return undefined
    }
  }

  /** Removes all values of some kinds when their sources must be forgotten; they can be made again. */
  forget(kinds: readonly string[]): void {
    this.tidy()
    for (const kind of kinds) {
      try {
        rmSync(join(this.folder, kind), { recursive: true, force: true })
      } catch {
        // Loadout did not write into a folder that it cannot change.
      }
    }
  }

  tidy(): void {
    removeOrphans(this.folder)
  }

  #pathOf({ kind, name }: CacheKey): string {
    return join(this.folder, kind, hex(hashText(JSON.stringify(name))))
  }

  /** Beside the kinds: the next writer of any kind removes what a killed one left. */
  #stageOf(path: string): string {
    this.tidy()
    return join(this.folder, `${ownedName(basename(path))}.tmp`)
  }
}

/** Identifies a value and the state of its sources. */
export interface CacheKey {
  /** A folder below the cache folder. */
  kind: string
  /** The version of the stored form. Increase it when the same sources would give other bytes. */
  version: number
  /** Distinguishes the values of a kind. A new value replaces the old one of the same name. */
  name: readonly string[]
  /** A value stored for another state is a miss. */
  state?: string
  /** False: the sources changed so recently that the value is not stored. */
  isSettled?: boolean
}

/** Identifies the content of a file or folder without reading it. */
export type Stamp = readonly [inode: number, size: number, mode: number, modifiedAt: number, changedAt: number]

/**
 * Milliseconds with fractions are exact enough: a settled source is at least SETTLING_MS old, so its ctime, which no
 * program can set back, shows any later change. Nanoseconds would cost 2 µs more per file.
 */
export function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): Stamp {
  return [ino, size, mode, mtimeMs, ctimeMs]
}

// File systems count time in steps; a second change within one step would not be visible.
const SETTLING_MS = 100

export function isSettled([, , , modifiedAt, changedAt]: Stamp, now: Date): boolean {
  return now.getTime() - Math.max(modifiedAt, changedAt) > SETTLING_MS
}

/** Waits, if files have just been written, until what is made from them can be stored. */
export async function untilSettled({ now }: Pick<Surroundings, 'now'>, paths: readonly string[]): Promise<void> {
  if (signatureOf(paths, now()).isSettled) return
  await new Promise((done) => setTimeout(done, SETTLING_MS + 1))
}

/** The state of several files, as the source part of a key. Take it before reading them. */
export interface Signature extends Required<Pick<CacheKey, 'name' | 'state' | 'isSettled'>> {
  /** Size of all sources together. */
  bytes: number
}

export function signatureOf(paths: readonly string[], now: Date): Signature {
  const stamps = paths.map(stampAt)
  return {
    name: paths,
    state: JSON.stringify(stamps),
    isSettled: stamps.every((stamp) => stamp === undefined || isSettled(stamp, now)),
    bytes: stamps.reduce((sum, stamp) => sum + (stamp?.[1] ?? 0), 0),
  }
}

/** Undefined when the path does not exist. */
export function stampAt(path: string): Stamp | undefined {
  const stat = statOrNothing(path)
  return stat && stampOf(stat)
}

export interface Codec<T> {
  /** Undefined: do not store this value. */
  encode(value: T): Uint8Array | undefined
  /** Undefined or an error: a miss. */
  decode(bytes: Uint8Array): T | undefined
}

/** A value stored as JSON. The check rejects what another program or version wrote. */
export function jsonCodec<T>(isValid: (json: unknown) => json is T): Codec<T> {
  return {
    encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
    decode(bytes) {
      const json: unknown = JSON.parse(new TextDecoder().decode(bytes))
      return isValid(json) ? json : undefined
    },
  }
}

export interface OpenedValue {
  size: number
  sum: number
  /** Returns fewer bytes than requested at the end. They are aligned for arrays of numbers. */
  read(from: number, length: number): Uint8Array
  close(): void
}

const TAIL = 16

function openValue(file: number, all: number, head: Buffer): OpenedValue | undefined {
  const start = head.length + TAIL
  const found = readAt(file, 0, start)
  const size = Number.parseInt(found.toString('latin1', head.length, head.length + 8), 16)
  const sum = Number.parseInt(found.toString('latin1', head.length + 8), 16)
  if (!found.subarray(0, head.length).equals(head) || size !== all - start) return undefined
  if (size <= SMALL) return inMemory(readAt(file, start, size), sum, file)
  const opened: OpenedValue = { size, sum, read: (from, length) => readAt(file, start + from, length), close }
  function close() {
    forgotten.unregister(opened)
    closeSync(file)
  }
  forgotten.register(opened.read, file, opened)
  return opened
}

/** Up to this size a value is read at once and its file closed. */
const SMALL = 64 * 1024
/** Alignment of the largest numbers in arrays. */
const BOUNDARY = 8

function inMemory(bytes: Buffer, sum: number, file: number): OpenedValue {
  closeSync(file)
  const read = (from: number, length: number) => {
    const part = bytes.subarray(from, from + length)
    return part.byteOffset % BOUNDARY === 0 ? part : new Uint8Array(part)
  }
  return { size: bytes.length, sum, read, close: () => {} }
}

/** Closes the files of values that were never closed: a server opens one for every question. */
const forgotten = new FinalizationRegistry<number>((file) => closeSync(file))

function readAt(file: number, from: number, length: number): Buffer {
  // Not from the buffer pool, which is not aligned.
  const bytes = Buffer.from(new ArrayBuffer(length))
  return bytes.subarray(0, readSync(file, bytes, 0, length, from))
}

const ONLY_THE_USER = { folder: 0o700, file: 0o600 }

/** A value that is written in pieces and read while it is written, so that it need not fit into memory. */
export interface GrowingValue {
  /** Appends bytes. False: the disk is full, and the value will not be stored. */
  append(bytes: Uint8Array): boolean
  /** Replaces the old value for readers. It has no checksum: code that decodes it must verify it. */
  keep(): void
  /** Like `OpenedValue`. `close` removes the value unless `keep` was called. */
  read: OpenedValue['read']
  close(): void
}

function growInto(path: string, stage: string, file: number, head: Buffer): GrowingValue {
  const start = head.length + TAIL
  let size = 0
  let isWhole = true
  const attempt = (write: () => void) => {
    try {
      if (isWhole) write()
    } catch {
      isWhole = false
    }
    return isWhole
  }
  const grown: GrowingValue = {
    append: (bytes) =>
      attempt(() => {
        writeAt(file, start + size, bytes)
        size += bytes.length
      }),
    keep: () => {
      attempt(() => {
        writeAt(file, 0, Buffer.concat([head, Buffer.from(hex(size) + hex(0))]))
        move(stage, path)
        sweep(dirname(path))
      })
      if (!isWhole) removeQuietly(stage)
    },
    read: (from, length) => readAt(file, start + from, Math.min(length, size - from)),
    close: () => {
      forgotten.unregister(grown)
      closeSync(file)
      removeQuietly(stage)
    },
  }
  forgotten.register(grown.read, file, grown)
  return grown
}

/** The system may write fewer bytes than requested. */
function writeAt(file: number, from: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, from + at)
}

/** Kinds whose values contain words from tasks. */
export const LEARNING_CACHES = ['payloads-here', 'packs-here', 'skills-here'] as const

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The folder does not exist or is not writable.
  }
}

/** Looking through a folder takes as long as many writes: after the first write of a process, only some do. */
const WRITES_PER_SWEEP = 64
const writes = new Map<string, number>()

/** Removes the leftovers of killed writers, and the oldest values of a kind beyond its limits. */
function sweep(folder: string): void {
  const before = writes.get(folder) ?? 0
  writes.set(folder, before + 1)
  if (before % WRITES_PER_SWEEP !== 0) return
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => ({ path: join(folder, name), stat: statOrNothing(join(folder, name)) }))
    .sort((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0))
  let [count, bytes] = [0, 0]
  for (const { path, stat } of files) {
    const isLeftover = isOrphaned(basename(path))
    count++
    bytes += stat?.size ?? 0
    // The newest value stays, however large it is.
    if (isLeftover || count > 10_000 || (count > 1 && bytes > 256 * 1024 * 1024)) removeQuietly(path)
  }
}

const FORMAT = 'loadout cache 1'

function headOf({ kind, version, name, state }: CacheKey): Buffer {
  return Buffer.from(`${FORMAT}\n${JSON.stringify([kind, version, name, state])}\n`)
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}

/** Keeps the most recently used values of a process, so that a server does not read them again. */
export class RecentValues<T> {
  private readonly values = new Map<string, T>()
  private readonly most: number
  private readonly drop: ((value: T) => void) | undefined

  constructor(most: number, drop?: (value: T) => void) {
    this.most = most
    this.drop = drop
  }

  get(name: string): T | undefined {
    const value = this.values.get(name)
    if (value === undefined) return undefined
    // A map keeps insertion order.
    this.values.delete(name)
    this.values.set(name, value)
    return value
  }

  set(name: string, value: T): void {
    this.values.delete(name)
    this.values.set(name, value)
    for (const [oldest, value] of this.values) {
      if (this.values.size <= this.most) return
      this.values.delete(oldest)
      this.drop?.(value)
    }
  }

  delete(name: string): void {
    this.values.delete(name)
  }
}

/** Values made from files, kept while the file is unchanged: a server reads the same files for many questions. */
export class KeptFiles<T> {
  private readonly values = new Map<string, { stamp: Stamp; value: T; bytes: number }>()
  private readonly most: number
  private bytes = 0

  /** `most`: bytes of all files together. */
  constructor(most: number) {
    this.most = most
  }

  /** The value that `make` returns for a file, kept until the file changes. `name` distinguishes values of one file. */
  of(path: string, make: () => T, name = path): T {
    const stamp = stampAt(path)
    const known = this.values.get(name)
    if (known !== undefined && stamp?.every((number, at) => number === known.stamp[at])) return this.keep(name, known)
    // The real time, whatever time a question is about: it is compared with file times.
    const now = new Date()
    const value = make()
    this.forget(name)
    if (stamp !== undefined && isSettled(stamp, now)) this.keep(name, { stamp, value, bytes: stamp[1] + EACH })
    return value
  }

  private keep(name: string, kept: { stamp: Stamp; value: T; bytes: number }): T {
    this.forget(name)
    this.values.set(name, kept)
    this.bytes += kept.bytes
    for (const oldest of this.values.keys()) {
      if (this.bytes <= this.most) break
      this.forget(oldest)
    }
    return kept.value
  }

  private forget(name: string): void {
    this.bytes -= this.values.get(name)?.bytes ?? 0
    this.values.delete(name)
  }
}

/** The minimum cost of a value, however small its file. */
const EACH = 1024

type Row<T> = [path: string, stamp: Stamp, value: T]

/** Values made from the files of a folder, stored with the state of each file: only changed files are read again. */
export class StampedValues<T> {
  private readonly cache: Cache
  private readonly now: Date
  private readonly key: CacheKey
  private readonly rowsOf
  private stored: ReadonlyMap<string, Row<T>> | undefined
  private readonly rows: Row<T>[] = []
  private isChanged = false

  constructor(cache: Cache, now: Date, key: CacheKey, isValue: (value: unknown) => boolean) {
    this.cache = cache
    this.now = now
    this.key = key
    const isRow = (row: unknown) =>
      Array.isArray(row) && typeof row[0] === 'string' && Array.isArray(row[1]) && isValue(row[2])
    this.rowsOf = jsonCodec((json): json is Row<T>[] => Array.isArray(json) && json.every(isRow))
  }

  /** The value of a file in this state. A value that `isKept` refuses is made again the next time. */
  of(path: string, stamp: Stamp, make: () => T, isKept: (value: T) => boolean = () => true): T {
    this.stored ??= new Map(this.cache.read(this.key, this.rowsOf.decode)?.map((row) => [row[0], row]))
    const row = this.stored.get(path)
    const isKnown = row !== undefined && stamp.every((number, at) => number === row[1][at])
    const value = isKnown ? row[2] : make()
    if (isSettled(stamp, this.now) && isKept(value)) {
      this.rows.push([path, stamp, value])
      this.isChanged ||= !isKnown
    }
    return value
  }

  /** Stores the values that `of` returned, if there are at least so many. */
  save(fewest = 1): void {
    const bytes = this.isChanged && this.rows.length >= fewest ? this.rowsOf.encode(this.rows) : undefined
    if (bytes !== undefined) this.cache.write(this.key, bytes)
  }
}
