import { isSettled, type Stamp, stampAt } from './cache.ts'

/** Values that a process keeps, so that a server need not read them again: those that were used last. */
export class Kept<T> {
  private readonly values = new Map<string, T>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  get(name: string): T | undefined {
    const value = this.values.get(name)
    if (value === undefined) return undefined
    // The order of a map is that of its insertions.
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

/** What a process made from files, each while its file stays as it is: a server reads the same files for many questions. */
export class KeptFiles<T> {
  private readonly values = new Map<string, { stamp: Stamp; value: T; bytes: number }>()
  private readonly most: number
  private bytes = 0

  /** `most`: bytes of all files together. */
  constructor(most: number) {
    this.most = most
  }

  /** What `make` gives for a file, or gave when it was as it is. `name`: tells values of one file apart. */
  of(path: string, make: () => T, name = path): T {
    const stamp = stampAt(path)
    const known = this.values.get(name)
    if (known !== undefined && stamp?.every((number, at) => number === known.stamp[at])) return this.keep(name, known)
    // Of the real time, whatever time a question is about: it is compared with times of files.
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

/** What a value takes, however small its file. */
const EACH = 1024
