import { type Cache, type CacheKey, isSettled, jsonCodec, type Stamp, stampAt } from './cache.ts'

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
