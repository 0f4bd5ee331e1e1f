import { randomBytes } from 'node:crypto'
import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
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
import { acquireLock, isAbandoned, isHeld, type LockOptions, type Release, tryLock } from '../machine/lock.ts'
import { move } from '../machine/platform.ts'
import { Walk } from '../machine/walk.ts'
import { parseJson } from '../text/json.ts'
import { type Finding, report } from '../text/trouble.ts'
import { attempt, isRecord, isTextList } from '../text/values.ts'

/** New content for a file or a folder below the root. */
export interface PathChange extends Pick<PlannedChange, 'path' | 'project' | 'mode' | 'folders'> {
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
  /** The project that an edited file must stay inside. */
  project?: string
  /** The mode of an edited file. */
  mode?: number
  /** Folders that go with a removed file if they are empty then, the outermost first. */
  folders?: readonly string[]
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
    return exists(this.log) ? attempt(() => readText(this.log), '') : undefined
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
      for (const [at, { path, write, project, mode, folders }] of changes.entries()) {
        signal?.throwIfAborted()
        onProgress?.(at, changes.length, basename(path))
        // A folder on the way may be a link to anywhere.
        refuseLinkOut(this.root, dirname(path))
        const target = resolve(this.root, path)
        const stage = this.newStage(target)
        staged.push({ path, stage: basename(stage), hash: null, was: this.hashOf(target), project, mode, folders })
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
      throw asLoadoutError(error, resolve(this.root, staged.at(-1)?.path ?? ''), 'write')
    }
  }

  /** Can be repeated after a kill at any point. Keeps the previous content until `discardOld`. */
  putInPlace(changes: readonly PlannedChange[]): void {
    for (const change of changes) {
      const places = this.placesOf(change)
      try {
        this.put(change, places)
      } catch (error) {
        throw asLoadoutError(error, places.target, 'write')
      }
    }
  }

  /** Restores the previous content, except for what a user has changed since. */
  putBack(changes: readonly PlannedChange[]): void {
    for (const change of changes.toReversed()) this.takeBack(change, this.placesOf(change))
    this.end()
    for (const change of changes) rmSync(this.placesOf(change).stage, { recursive: true, force: true })
  }

  /** After this the change cannot be put back. */
  discardOld(changes: readonly PlannedChange[]): void {
    for (const change of changes) this.drop(change, this.placesOf(change))
  }

  /** Whether both versions of each path are as a killed process left them. */
  canGoOn(changes: readonly PlannedChange[]): boolean {
    return changes.every((change) => this.isAsLeft(change, this.placesOf(change)))
  }

  protected newStage(target: string): string {
    return stagePath(this.work, relative(this.work.home, target))
  }

  protected put({ hash }: PlannedChange, { target, stage, old }: ChangePlaces): void {
    if (exists(target) && (hash === null || exists(stage))) move(target, old)
    if (!exists(stage)) return
    makeFolders(dirname(target))
    move(stage, target)
  }

  protected takeBack({ hash, was }: PlannedChange, { target, stage, old }: ChangePlaces): void {
    const isBegun = exists(old) || was === null
    if (isBegun && hash !== null && !exists(stage) && this.hashOf(target) === hash) move(target, stage)
    if (exists(old) && !exists(target)) move(old, target)
  }

  protected drop(_: PlannedChange, { old }: ChangePlaces): void {
    if (exists(old)) discard(old)
  }

  protected isAsLeft({ hash, was }: PlannedChange, { target, stage, old }: ChangePlaces): boolean {
    const now = this.hashOf(target)
    if (hash !== null && !exists(stage)) return now === hash
    const isNewWhole = hash === null || this.hashOf(stage) === hash
    return isNewWhole && (now === was || (now === null && exists(old)))
  }

  /** The changes in a log; undefined if they are not in the form that `stage` writes. */
  plannedIn(entry: Record<string, unknown>): PlannedChange[] | undefined {
    if (!Array.isArray(entry.changes)) return undefined
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
    const planned = entry.changes.flatMap((row: unknown): PlannedChange[] => {
      if (!isRecord(row) || typeof row.path !== 'string' || typeof row.stage !== 'string') return []
      const { hash, was, project, mode, folders } = row
      return [
        {
          ...{ path: row.path, stage: row.stage, hash: textOf(hash), was: textOf(was) },
          project: textOf(project) ?? undefined,
          mode: typeof mode === 'number' ? mode : undefined,
          folders: isTextList(folders) ? folders : undefined,
        },
      ]
    })
    return planned.length < entry.changes.length ? undefined : planned
  }

  private placesOf({ path, stage }: PlannedChange): ChangePlaces {
    const made = join(this.work.path, stage)
    return { target: resolve(this.root, path), stage: made, old: made.replace(/\.new$/, '.old') }
  }

  /** Null if there is nothing. */
  protected hashOf(path: string): string | null {
    if (!exists(path)) return null
    return attempt(() => this.hash(path), 'unreadable')
  }
}

/** Where a change takes place. `old` has the previous content until the change is complete. */
export interface ChangePlaces {
  target: string
  stage: string
  old: string
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

/**
 * Holds new folders until they are moved into place, on the same file system. `<skill>.<id>.new` is not finished, `.old`
 * was replaced and is restored if its successor is missing, `.gone` is to be deleted. It has one writer at a time, which
 * first repairs what a killed writer left.
 */
export interface WorkFolder {
  path: string
  /** The folder that the finished folders are moved to. */
  home: string
}

/** The work folder of a target root. It is hidden, because agents skip hidden folders. */
export function workFolderIn(root: string): WorkFolder {
  return { path: join(root, '.loadout-work'), home: root }
}

/** A new path in the work folder, which the caller must have locked. `skill` may be any path from the work folder's home. */
export function stagePath({ path }: WorkFolder, skill: string, kind: 'new' | 'gone' | 'marker' = 'new'): string {
  unique = ((unique ?? randomBytes(4).readUInt32LE()) + 1) >>> 0
  return `${path}/${encodeURIComponent(skill)}.${process.pid}-${unique.toString(16).padStart(8, '0')}.${kind}`
}

// Starts at a random number, because another machine that shares the folder may use the same process id.
let unique: number | undefined

/** Moves a finished folder into place and removes the previous one. `shown`: the path for messages. */
export function swapIn(stage: string, target: string, shown = target): void {
  const old = stage.replace(/\.new$/, '.old')
  try {
    const isReplacing = exists(target)
    if (isReplacing) move(target, old)
    try {
      makeFolders(dirname(target))
      move(stage, target)
    } catch (error) {
      if (isReplacing) move(old, target)
      throw error
    }
    if (isReplacing) discard(old)
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw asLoadoutError(error, shown, 'write')
  }
}

/** Removes a folder: moves it away first, because deleting its files may take long. */
export function swapOut(work: WorkFolder, skill: string, target: string, shown = target): void {
  try {
    const gone = stagePath(work, skill, 'gone')
    move(target, gone)
    remove(gone)
  } catch (error) {
    throw asLoadoutError(error, shown, 'write')
  }
}

/** Deletes a replaced folder. It is renamed first, so that a kill while deleting does not restore it. */
function discard(old: string): void {
  const gone = old.replace(/\.old$/, '.gone')
  move(old, gone)
  remove(gone)
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The next writer tries again to delete it.
  }
}

/** How to wait for another writer. */
export type Waiting = Omit<LockOptions, 'purpose'>

/** Runs a function as the only writer, after repairing what a killed writer left. `first` runs before the repair. */
export async function withWorkFolder<T>(
  work: WorkFolder,
  purpose: string,
  run: (recovered: Finding[]) => T | Promise<T>,
  { first = async () => {}, ...waiting }: Waiting & { first?: () => Promise<void> } = {},
): Promise<T> {
  const missing = missingFolders(work.home)
  const release = await acquireLock(lockPath(work), { purpose, ...waiting })
  try {
    await first()
    return await run(recoverLocked(work))
  } finally {
    release()
    // Also removes folders that only the lock needed, so that a command without changes leaves nothing.
    for (const folder of [work.path, ...missing]) removeIfEmpty(folder)
  }
}

/** Repairs what a killed writer left, unless a writer is running. Fast if there is nothing to repair. */
export function recover(work: WorkFolder, purpose: string): Finding[] {
  if (!isFolder(work.path) || isAtWork(work)) return []
  const isWork = interruptedIn(work).length > 0
  const release = isWork ? tryLock(lockPath(work), purpose) : lockIfPossible(work, purpose)
  if (release === undefined) return []
  try {
    return recoverLocked(work)
  } finally {
    release()
    removeIfEmpty(work.path)
  }
}

/** For a work folder that is empty or has only a dead lock: a reader may lack the permission to remove it. */
function lockIfPossible(work: WorkFolder, purpose: string): Release | undefined {
  return attempt(() => tryLock(lockPath(work), purpose), undefined)
}

function lockPath({ path }: WorkFolder): string {
  return join(path, 'lock')
}

const LEFTOVER = /^(.+)\.(\d+)-[0-9a-f]{8}\.(new|old|gone|marker)$/

/** The entries of a work folder besides the lock: changes that were interrupted, or are running. */
export function leftoversIn(work: WorkFolder): string[] {
  return namesIn(work).filter((name) => LEFTOVER.test(name))
}

/** Empty if a writer has finished meanwhile and removed the folder. */
function namesIn({ path }: WorkFolder): string[] {
  try {
    return isFolder(path) ? readdirSync(path) : []
  } catch (error) {
    if (!isFolder(path)) return []
    throw asLoadoutError(error, path, 'read')
  }
}

/** What a killed writer left, without the entries of running writers. */
export function interruptedIn(work: WorkFolder): string[] {
  const before = leftoversIn(work)
  if (before.length === 0 || isAtWork(work)) return []
  const after = new Set(leftoversIn(work))
  return before.filter((name) => after.has(name))
}

/** Whether a writer was killed while it held the lock. */
export function wasKilledAtWork(work: WorkFolder): boolean {
  return isAbandoned(lockPath(work))
}

export function isAtWork(work: WorkFolder): boolean {
  return isHeld(lockPath(work))
}

function recoverLocked(work: WorkFolder): Finding[] {
  const findings: Finding[] = []
  for (const name of leftoversIn(work).sort()) {
    const path = join(work.path, name)
    const [, encoded = '', , kind] = LEFTOVER.exec(name) ?? []
    const skill = /%(?![0-9A-F]{2})/.test(encoded) ? encoded : decodeURIComponent(encoded)
    const target = join(work.home, skill)
    if (kind === 'old' && !exists(target)) {
      move(path, target)
      findings.push(report('RECOVERED/undone', { target }, { subject: skill }))
    } else if (kind === 'old') {
      discard(path)
      findings.push(report('RECOVERED/finished', { target }, { subject: skill }))
    } else {
      remove(path)
      if (kind === 'new') findings.push(report('RECOVERED/discarded', { target }, { subject: skill }))
    }
  }
  return findings
}

/** A folder and its parents that do not exist yet, the innermost first. */
function missingFolders(path: string): string[] {
  return exists(path) || dirname(path) === path ? [] : [path, ...missingFolders(dirname(path))]
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Not empty, or not there: both are fine.
  }
}
