import { isSettled, type Stamp, stampAt } from './cache.ts'

/** Keeps the most recently used values of a process, so that a server does not read them again. */
export class Kept<T> {
  private readonly values = new Map<string, T>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
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
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.most) return
      this.values.delete(oldest)
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
