import { randomBytes } from 'node:crypto'
import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asLoadoutError, exists, isFolder, makeFolders } from '../machine/files.ts'
import { acquireLock, isAbandoned, isHeld, type LockOptions, type Release, tryLock } from '../machine/lock.ts'
import { move } from '../machine/platform.ts'
import { type Finding, report } from '../text/trouble.ts'

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
export function discard(old: string): void {
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
  try {
    return tryLock(lockPath(work), purpose)
  } catch {
    return undefined
  }
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
