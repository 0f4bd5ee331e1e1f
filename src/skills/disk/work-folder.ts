import { randomBytes } from 'node:crypto'
import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asLoadoutError, exists, isFolder, makeFolders } from '../../machine/files.ts'
import { acquireLock, isHeld, type LockOptions, type Release, tryLock } from '../../machine/lock.ts'
import { move } from '../../machine/platform.ts'
import type { Finding } from '../../text/trouble.ts'

/**
 * Where folders are made ready before they take their place, on the same file system. A name tells what is in it:
 * `<skill>.<id>.new` is being made, `.old` was replaced and comes back if its successor does not, `.gone` is to be
 * deleted. One writer at a time; whatever a killed one left is put right by the next.
 */
export interface WorkFolder {
  path: string
  /** Where the finished folders stand. */
  home: string
}

/** In a target root. Agents do not look into hidden folders. */
export function workFolderIn(root: string): WorkFolder {
  return { path: join(root, '.loadout-work'), home: root }
}

/** A new place for something in the making. The work folder must be locked, so it is there. */
export function stagePath({ path }: WorkFolder, skill: string, kind: 'new' | 'gone' | 'marker' = 'new'): string {
  unique = ((unique ?? randomBytes(4).readUInt32LE()) + 1) >>> 0
  return `${path}/${skill}.${process.pid}-${unique.toString(16).padStart(8, '0')}.${kind}`
}

// Begins anywhere, because another machine that shares the folder may have the same process number.
let unique: number | undefined

/** Moves a finished folder into place and removes the previous one. `shown`: the place in messages. */
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

/** Removes a folder: it is gone at once, however long deleting its files takes. */
export function swapOut(work: WorkFolder, skill: string, target: string, shown = target): void {
  try {
    const gone = stagePath(work, skill, 'gone')
    move(target, gone)
    remove(gone)
  } catch (error) {
    throw asLoadoutError(error, shown, 'write')
  }
}

/** From here on it will not come back, even if deleting stops half-way. */
export function discard(old: string): void {
  const gone = old.replace(/\.old$/, '.gone')
  move(old, gone)
  remove(gone)
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The next writer tries again.
  }
}

/** How long to wait for another writer. */
export type Waiting = Omit<LockOptions, 'purpose'>

/** Runs a function as the only writer, after repairing what an earlier one left; `first` may prepare that. */
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
    // Also the folders that only the lock needed: a command that did nothing leaves nothing.
    for (const folder of [work.path, ...missing]) removeIfEmpty(folder)
  }
}

/** Repairs what a killed writer left, unless one is running. Costs nothing when there is nothing. */
export function recover(work: WorkFolder, purpose: string): Finding[] {
  if (!isFolder(work.path) || isAtWork(work)) return []
  const isWork = interruptedIn(work).length > 0
  const release = isWork ? tryLock(lockPath(work), purpose) : lockOrNothing(work, purpose)
  if (release === undefined) return []
  try {
    return recoverLocked(work)
  } finally {
    release()
    removeIfEmpty(work.path)
  }
}

/**
 * A reader may also find a work folder that is only empty, or holds only a dead lock; it need not be able to remove it.
 */
function lockOrNothing(work: WorkFolder, purpose: string): Release | undefined {
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

/** What stands in a work folder besides a lock: names of skills whose change was interrupted, or is under way. */
export function leftoversIn(work: WorkFolder): string[] {
  return namesIn(work).filter((name) => LEFTOVER.test(name))
}

/** A writer that has finished meanwhile may remove the folder. */
function namesIn({ path }: WorkFolder): string[] {
  try {
    return isFolder(path) ? readdirSync(path) : []
  } catch (error) {
    if (!isFolder(path)) return []
    throw asLoadoutError(error, path, 'read')
  }
}

/** What a killed writer left. What writers make that are at work now, or take turns meanwhile, is none of it. */
export function interruptedIn(work: WorkFolder): string[] {
  const before = leftoversIn(work)
  if (before.length === 0 || isAtWork(work)) return []
  const after = new Set(leftoversIn(work))
  return before.filter((name) => after.has(name))
}

/** Whether a writer was killed while it held the lock. */
export function isAbandoned(work: WorkFolder): boolean {
  return exists(lockPath(work)) && !isAtWork(work) && exists(lockPath(work))
}

export function isAtWork(work: WorkFolder): boolean {
  return isHeld(lockPath(work))
}

function recoverLocked(work: WorkFolder): Finding[] {
  const findings: Finding[] = []
  for (const name of leftoversIn(work).sort()) {
    const path = join(work.path, name)
    const [, skill = '', , kind] = LEFTOVER.exec(name) ?? []
    const target = join(work.home, skill)
    if (kind === 'old' && !exists(target)) {
      move(path, target)
      findings.push(recovered(skill, `${target}: an interrupted change was undone; the old version is back`))
    } else if (kind === 'old') {
      discard(path)
      findings.push(recovered(skill, `${target}: an interrupted change was finished`))
    } else {
      remove(path)
      if (kind === 'new') findings.push(recovered(skill, `${target}: an unfinished change was discarded`))
    }
  }
  return findings
}

function recovered(skill: string, message: string): Finding {
  return { severity: 'info', code: 'RECOVERED', message, subject: skill }
}

/** A folder and those around it, as far as they are not there yet; the innermost first. */
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
