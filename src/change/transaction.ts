import { rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import {
  asLoadoutError,
  exists,
  flushFiles,
  isFolder,
  makeFolders,
  readText,
  removeFile,
  writeAtomically,
} from '../machine/files.ts'
import { refuseLinkOut } from '../machine/inside.ts'
import { move } from '../machine/platform.ts'
import { Walk } from '../machine/walk.ts'
import { parseJson } from '../text/json.ts'
import { isRecord } from '../text/values.ts'
import { discard, stagePath, type WorkFolder, withWorkFolder } from './work-folder.ts'

/** New content for a file or a folder below the root. */
export interface PathChange {
  path: string
  /** Writes the new content to a new path; absent to remove what is there. */
  write?: (stage: string) => void
}

export interface PlannedChange {
  path: string
  /** The name of the new content in the work folder. */
  stage: string
  /** The hashes of the new and of the present content; null if there is none. */
  hash: string | null
  was: string | null
}

/** Reports the progress of a long change. */
export type OnProgress = (done: number, total: number, what: string) => void

/**
 * Changes of several paths below one root that happen together, or not at all. The log is written when everything new is
 * complete beside its place, and removed when everything is done. So the next process can finish all of it, or undo all
 * of it. The work folder must be locked.
 */
export class Transaction {
  readonly root: string
  readonly work: WorkFolder
  private readonly log: string
  private readonly hash: (path: string) => string

  /** `log`: the path of the log. `hash`: the hash of an existing file or folder. */
  constructor(root: string, work: WorkFolder, log: string, hash: (path: string) => string) {
    this.root = root
    this.work = work
    this.log = log
    this.hash = hash
  }

  /** The text of the log; empty if it cannot be read, undefined if there is none. */
  text(): string | undefined {
    try {
      return readText(this.log)
    } catch {
      return exists(this.log) ? '' : undefined
    }
  }

  /** Undefined if there is no log, or one of another version of Loadout. */
  read(): Record<string, unknown> | undefined {
    const { value } = parseJson(this.text() ?? '')
    return isRecord(value) ? value : undefined
  }

  write(entry: object): void {
    writeAtomically(this.log, JSON.stringify(entry))
  }

  /** Notes that all new content is in place: from here on nothing is put back, because the old content goes. */
  commit(entry: object): void {
    try {
      this.write({ ...entry, isCommitted: true })
    } catch {
      // The disk is full: the change is done all the same.
    }
  }

  /** Call it when everything about the change is done. */
  end(): void {
    removeFile(this.log)
  }

  /** Runs a function as the only writer below the root, after finishing or undoing what a killed process had begun. */
  asOnlyWriter<T>(purpose: string, run: () => Promise<T>): Promise<T> {
    const recover = async () => {
      const entry = this.read() ?? {}
      const planned = this.plannedIn(entry)
      if (planned === undefined) this.end()
      else if (entry.isCommitted === true || this.canGoOn(planned)) this.finish(planned, entry.isCommitted === true)
      else this.putBack(planned)
    }
    return withWorkFolder(this.work, purpose, run, { first: recover })
  }

  /** Makes all changes, or none. */
  async change(changes: readonly PathChange[]): Promise<void> {
    this.finish(await this.stage(changes))
  }

  private finish(staged: readonly PlannedChange[], isCommitted = false): void {
    if (!isCommitted) {
      try {
        this.putInPlace(staged)
      } catch (error) {
        this.putBack(staged)
        throw error
      }
      this.commit({ changes: staged })
    }
    this.discardOld(staged)
    this.end()
  }

  /** Writes everything new beside its place, then the log with `rest`. */
  async stage(
    changes: readonly PathChange[],
    rest: object = {},
    { signal, onProgress }: { signal?: AbortSignal; onProgress?: OnProgress | undefined } = {},
  ): Promise<PlannedChange[]> {
    const staged: PlannedChange[] = []
    try {
      for (const [at, { path, write }] of changes.entries()) {
        signal?.throwIfAborted()
        onProgress?.(at, changes.length, basename(path))
        // A folder on the way may be a link to anywhere.
        refuseLinkOut(this.root, dirname(path))
        const stage = stagePath(this.work, relative(this.work.home, join(this.root, path)))
        staged.push({ path, stage: basename(stage), hash: null, was: this.hashOf(join(this.root, path)) })
        if (write === undefined) continue
        write(stage)
        await flush(stage)
        staged[at]!.hash = this.hashOf(stage)
      }
      onProgress?.(changes.length, changes.length, '')
      this.write({ changes: staged, ...rest })
      return staged
    } catch (error) {
      this.end()
      for (const { stage } of staged) rmSync(join(this.work.path, stage), { recursive: true, force: true })
      throw asLoadoutError(error, join(this.root, staged.at(-1)?.path ?? ''), 'write')
    }
  }

  /** Can be repeated after a kill at any point. Keeps the previous content until `discardOld`. */
  putInPlace(changes: readonly PlannedChange[]): void {
    for (const change of changes) {
      const { target, stage, old } = this.placesOf(change)
      try {
        if (exists(target) && (change.hash === null || exists(stage))) move(target, old)
        if (!exists(stage)) continue
        makeFolders(dirname(target))
        move(stage, target)
      } catch (error) {
        throw asLoadoutError(error, target, 'write')
      }
    }
  }

  /** Restores the previous content, except for what a user has changed since. */
  putBack(changes: readonly PlannedChange[]): void {
    for (const change of [...changes].reverse()) {
      const { target, stage, old } = this.placesOf(change)
      const isBegun = exists(old) || change.was === null
      if (isBegun && change.hash !== null && !exists(stage) && this.hashOf(target) === change.hash) move(target, stage)
      if (exists(old) && !exists(target)) move(old, target)
    }
    this.end()
    for (const change of changes) rmSync(this.placesOf(change).stage, { recursive: true, force: true })
  }

  /** After this the change cannot be put back. */
  discardOld(changes: readonly PlannedChange[]): void {
    for (const { old } of changes.map((change) => this.placesOf(change))) if (exists(old)) discard(old)
  }

  /** Whether both versions of each path are as a killed process left them. */
  canGoOn(changes: readonly PlannedChange[]): boolean {
    return changes.every((change) => {
      const { target, stage, old } = this.placesOf(change)
      const now = this.hashOf(target)
      if (change.hash !== null && !exists(stage)) return now === change.hash
      const isNewWhole = change.hash === null || this.hashOf(stage) === change.hash
      return isNewWhole && (now === change.was || (now === null && exists(old)))
    })
  }

  /** The changes in a log; undefined if they are not in the form that `stage` writes. */
  plannedIn(entry: Record<string, unknown>): PlannedChange[] | undefined {
    if (!Array.isArray(entry.changes)) return undefined
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
    const planned = entry.changes.flatMap((row: unknown): PlannedChange[] => {
      if (!isRecord(row) || typeof row.path !== 'string' || typeof row.stage !== 'string') return []
      return [{ path: row.path, stage: row.stage, hash: textOf(row.hash), was: textOf(row.was) }]
    })
    return planned.length < entry.changes.length ? undefined : planned
  }

  /** `old` has the previous content until the change is complete. */
  private placesOf({ path, stage }: PlannedChange) {
    const made = join(this.work.path, stage)
    return { target: join(this.root, path), stage: made, old: made.replace(/\.new$/, '.old') }
  }

  /** Null if there is nothing. */
  private hashOf(path: string): string | null {
    if (!exists(path)) return null
    try {
      return this.hash(path)
    } catch {
      return 'unreadable'
    }
  }
}

async function flush(path: string): Promise<void> {
  if (!isFolder(path)) return flushFiles(dirname(path), [basename(path)])
  const files: string[] = []
  for (const { inside, entries, enter } of new Walk(path).folders()) {
    for (const { name, kind } of entries) {
      if (kind === 'folder') enter(name)
      else if (kind === 'file') files.push(inside === '' ? name : `${inside}/${name}`)
    }
  }
  await flushFiles(path, files)
}
