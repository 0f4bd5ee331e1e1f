import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hashText } from '../text/values.ts'
import { makeFolders } from './files.ts'
import { isOrphaned, ownedName } from './leftovers.ts'
import { cacheFolder, type Machine } from './machine.ts'
import { move } from './platform.ts'

// The only cache: one file per value in <cache folder>/<kind>/. It saves time and nothing else. A file that is missing,
// damaged, of another version or made from other sources is a miss, and a folder that cannot be written is no error.

/** Which value is meant, and the state of what it was made from. */
export interface CacheKey {
  /** A folder below the cache folder. */
  kind: string
  /** Of the stored form. Raise it when the same sources would give other bytes. */
  version: number
  /** Tells the values of a kind apart. A new value replaces the old one of the same name. */
  name: readonly string[]
  /** A value stored for another state is a miss. */
  state?: string
  /** False: the sources changed so recently that the value is not stored. */
  isSettled?: boolean
}

/** Identifies the content of a file or folder without reading it. */
export type Stamp = readonly [inode: number, size: number, mode: number, modifiedAt: number, changedAt: number]

/**
 * Milliseconds with fractions are exact enough: a settled source is at least SETTLING_MS old, so that a later change is
 * seen by its ctime, which no program can set back. Nanoseconds would cost 2 µs more for every file.
 */
export function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): Stamp {
  return [ino, size, mode, mtimeMs, ctimeMs]
}

// File systems count time in steps; a second change within one step would not show.
const SETTLING_MS = 100

export function isSettled([, , , modifiedAt, changedAt]: Stamp, now: Date): boolean {
  return now.getTime() - Math.max(modifiedAt, changedAt) > SETTLING_MS
}

/** The state of some files together, as the part of a key that follows from its sources. Take it before reading them. */
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

/** Undefined when nothing is there. */
export function stampAt(path: string): Stamp | undefined {
  const stat = statOrNothing(path)
  return stat && stampOf(stat)
}

function statOrNothing(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export interface Codec<T> {
  /** Undefined: this value is not to be stored. */
  encode(value: T): Uint8Array | undefined
  /** Undefined or an error: a miss. */
  decode(bytes: Uint8Array): T | undefined
}

/** A value that JSON can hold. The check keeps what another program or version wrote from being believed. */
export function jsonCodec<T>(isValid: (json: unknown) => json is T): Codec<T> {
  return {
    encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
    decode(bytes) {
      const json: unknown = JSON.parse(new TextDecoder().decode(bytes))
      return isValid(json) ? json : undefined
    },
  }
}

/** The stored value, or a new one, which is then stored. */
export function cached<T>(machine: Machine, key: CacheKey, codec: Codec<T>, build: () => T): T {
  const known = readCached(machine, key, codec.decode)
  if (known !== undefined) return known
  const value = build()
  const bytes = codec.encode(value)
  if (bytes !== undefined) writeCached(machine, key, bytes)
  return value
}

/** What the stored bytes decode to. */
export function readCached<T>(
  machine: Machine,
  key: CacheKey,
  decode: (bytes: Uint8Array) => T | undefined,
): T | undefined {
  const opened = openCached(machine, key)
  if (opened === undefined) return undefined
  try {
    const bytes = opened.read(0, opened.size)
    return sumOf(bytes) === opened.sum ? decode(bytes) : undefined
  } catch {
    return undefined
  } finally {
    opened.close()
  }
}

export interface OpenedValue {
  size: number
  sum: number
  /** Fewer bytes than asked for where the value ends. They start on a boundary that arrays of numbers can use. */
  read(from: number, length: number): Uint8Array
  close(): void
}

/** For a value of which only parts are read. Its content is not checked: whoever decodes it must. */
export function openCached(machine: Machine, key: CacheKey): OpenedValue | undefined {
  let file: number | undefined
  try {
    // Never waits for the writer of a pipe.
    file = openSync(pathOf(machine, key), constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    const opened = stat.isFile() ? openValue(file, stat.size, headOf(key)) : undefined
    if (opened === undefined) closeSync(file)
    return opened
  } catch {
    if (file !== undefined) closeSync(file)
    return undefined
  }
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

/** A small value is read at once, and its file is closed. */
const SMALL = 64 * 1024
/** Where the largest numbers of arrays may start. */
const BOUNDARY = 8

function inMemory(bytes: Buffer, sum: number, file: number): OpenedValue {
  closeSync(file)
  const read = (from: number, length: number) => {
    const part = bytes.subarray(from, from + length)
    return part.byteOffset % BOUNDARY === 0 ? part : new Uint8Array(part)
  }
  return { size: bytes.length, sum, read, close: () => {} }
}

/** Files of values that nobody closed: a server opens one for every question. */
const forgotten = new FinalizationRegistry<number>((file) => closeSync(file))

function readAt(file: number, from: number, length: number): Buffer {
  // Not from the pool of buffers: its places are on no boundary.
  const bytes = Buffer.from(new ArrayBuffer(length))
  return bytes.subarray(0, readSync(file, bytes, 0, length, from))
}

const ONLY_THE_USER = { folder: 0o700, file: 0o600 }

/**
 * Keeps a value for later processes. A reader finds the old one or the new one. `sum`: of the part that its reader checks,
 * if that is not all.
 */
export function writeCached(machine: Machine, key: CacheKey, bytes: Uint8Array, sum = sumOf(bytes)): void {
  if (key.isSettled === false) return
  const path = pathOf(machine, key)
  const stage = `${ownedName(path)}.tmp`
  try {
    makeFolders(dirname(path), ONLY_THE_USER.folder)
    // Not flushed: what a power cut tears off is a miss.
    const content = Buffer.concat([headOf(key), Buffer.from(hex(bytes.length) + hex(sum)), bytes])
    writeFileSync(stage, content, { flag: 'wx', mode: ONLY_THE_USER.file })
    move(stage, path)
    sweep(dirname(path))
  } catch {
    removeQuietly(stage)
  }
}

/** A value that is made piece by piece, and read while it is made: it need not fit into memory. */
export interface GrowingValue {
  /** Adds bytes at the end. False: there is no room, and the value will not be kept. */
  append(bytes: Uint8Array): boolean
  /** From here on, readers find it instead of the old value. It has no sum: whoever decodes it must check it. */
  keep(): void
  /** As of an opened value. What was not kept is gone afterwards. */
  read: OpenedValue['read']
  close(): void
}

/** Undefined where nothing can be written. */
export function growCached(machine: Machine, key: CacheKey): GrowingValue | undefined {
  const path = pathOf(machine, key)
  const stage = `${ownedName(path)}.tmp`
  try {
    makeFolders(dirname(path), ONLY_THE_USER.folder)
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
    return growInto(path, stage, openSync(stage, flags, ONLY_THE_USER.file), headOf(key))
  } catch {
    removeQuietly(stage)
    return undefined
  }
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

/** The system may write less than it was asked to. */
function writeAt(file: number, from: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, from + at)
}

/** Kinds whose values hold words that were learned from tasks. */
export const LEARNING_CACHES = ['skill-rankers-here', 'rankers-here', 'hook-catalogs'] as const

/** Removes all values of some kinds: they can be made again, and what they were made from is to be forgotten. */
export function forgetCached(machine: Machine, kinds: readonly string[]): void {
  for (const kind of kinds) {
    try {
      rmSync(join(cacheFolder(machine), kind), { recursive: true, force: true })
    } catch {
      // A folder that cannot be changed was not written by us either.
    }
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It lies in a folder that does not exist or cannot be written.
  }
}

const MOST_FILES = 256
const MOST_BYTES = 256 * 1024 * 1024

/** Removes what killed writers left, and the oldest values of a kind beyond its limits. */
function sweep(folder: string): void {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => ({ path: join(folder, name), stat: statOrNothing(join(folder, name)) }))
    .sort((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0))
  let [count, bytes] = [0, 0]
  for (const { path, stat } of files) {
    const isLeftover = isOrphaned(basename(path))
    count++
    bytes += stat?.size ?? 0
    // The value that was just written stays, however large it is.
    if (isLeftover || count > MOST_FILES || (count > 1 && bytes > MOST_BYTES)) removeQuietly(path)
  }
}

function pathOf(machine: Machine, { kind, name }: CacheKey): string {
  return join(cacheFolder(machine), kind, hex(hashText(JSON.stringify(name))))
}

const FORMAT = 'loadout cache 1'

function headOf({ kind, version, name, state }: CacheKey): Buffer {
  return Buffer.from(`${FORMAT}\n${JSON.stringify([kind, version, name, state])}\n`)
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}

/** Tells damaged bytes. */
export function sumOf(bytes: Uint8Array): number {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const words = new Uint32Array(buffer, byteOffset, bytes.length >> 2)
  let sum = 0x811c9dc5
  for (let at = 0; at < words.length; at++) sum = Math.imul(sum ^ words[at]!, 0x01000193)
  for (let at = words.length * 4; at < bytes.length; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193)
  return sum >>> 0
}
