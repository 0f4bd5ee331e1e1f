import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { failWith, type LoadoutError } from '../text/trouble.ts'
import { attempt, isRecord } from '../text/values.ts'
import { asLoadoutError, codeOf, makeFolders, READING, readWhole, withFile } from './files.ts'
import { isAlive, namesIn, ownedName, removeOrphans } from './leftovers.ts'
import { isTaken } from './platform.ts'

/** Releases the lock. */
export type Release = () => void

export interface LockOptions {
  /** What the holder does, shown to a waiting process: `equip`. */
  purpose: string
  /** How long to wait for another holder. */
  waitMs?: number
  /** Stops waiting. */
  signal?: AbortSignal
  /** Cleans up after a holder that died, which had the lock since then. False: the lock cannot be taken over yet. */
  cleanUp?: (since: number) => boolean
}

interface Owner {
  pid: number
  /** From the system: a new process may get the number of a dead one. */
  started: string
  host: string
  purpose: string
}
const OWNER_FILE = 'owner.json'

/**
 * One writer at a time. A lock is a folder that is renamed into place with its owner's name inside, so a lock always
 * has an owner. The lock of a dead process is taken over.
 */
export async function acquireLock(path: string, options: LockOptions): Promise<Release> {
  const { purpose, waitMs = 20_000, signal, cleanUp } = options
  const deadline = Date.now() + waitMs
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 100)) {
    const release = tryLock(path, purpose, cleanUp)
    if (release !== undefined) return release
    signal?.throwIfAborted()
    if (Date.now() > deadline) throw lockedBy(path, readOwner(path))
    await new Promise((wake) => setTimeout(wake, pause * (0.5 + Math.random())))
  }
}

/** Takes the lock if it is free. */
export function tryLock(path: string, purpose: string, cleanUp?: LockOptions['cleanUp']): Release | undefined {
  try {
    const owner = readOwner(path)
    if (owner !== undefined && isDead(owner)) removeStale(path, owner, purpose, cleanUp)
    if (!place(path, purpose)) return undefined
    // Removes the leftovers of killed processes beside a lock: unfinished locks, and takeover locks.
    const folder = dirname(path)
    removeOrphans(folder)
    for (const name of namesIn(folder).filter((each) => each.endsWith('.break'))) {
      const owner = readOwner(join(folder, name))
      if (owner === undefined) removeEmpty(join(folder, name))
      else if (isDead(owner)) release(join(folder, name))
    }
    return () => release(path)
  } catch (error) {
    throw asLoadoutError(error, dirname(dirname(path)), 'write')
  }
}

/** A lock without an owner was being released. If another process took it meanwhile, it is not empty. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // It is taken, or gone.
  }
}

/** Whether a live process has the lock. */
export function isHeld(path: string): boolean {
  const owner = readOwner(path)
  return owner !== undefined && !isDead(owner)
}

/** Whether a process died with the lock. Reads it again, because a process may release it and end in between. */
export function isAbandoned(path: string): boolean {
  const owner = readOwner(path)
  return owner !== undefined && isDead(owner) && isSame(readOwner(path), owner)
}

function isSame(owner: Owner | undefined, other: Owner): boolean {
  return owner !== undefined && owner.pid === other.pid && owner.started === other.started
}

function place(path: string, purpose: string): boolean {
  const stage = ownedName(path)
  const owner: Owner = { pid: process.pid, started: startOf(process.pid), host: hostname(), purpose }
  makeFolders(dirname(path), 0o700)
  try {
    mkdirSync(stage)
    writeFileSync(join(stage, OWNER_FILE), JSON.stringify(owner))
    renameSync(stage, path)
    return true
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    // Taken; or a holder that has finished removed the folder around it.
    if (isTaken(error) || codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Under a separate lock: two processes that find the same dead owner must not remove each other's new lock. */
function removeStale(path: string, stale: Owner, purpose: string, cleanUp: LockOptions['cleanUp'] = () => true): void {
  const releaseBreaker = tryLock(`${path}.break`, purpose)
  if (releaseBreaker === undefined) return
  try {
    if (!isSame(readOwner(path), stale)) return
    // Before removing the lock: if this process is killed too, the next one still finds it.
    if (cleanUp(statSync(join(path, OWNER_FILE)).mtimeMs)) release(path)
  } finally {
    releaseBreaker()
  }
}

function release(path: string): void {
  try {
    rmSync(join(path, OWNER_FILE), { force: true })
    rmdirSync(path)
    rmdirSync(dirname(path))
  } catch {
    // An empty lock is free, and another process may hold it already.
  }
}

function readOwner(path: string): Owner | undefined {
  try {
    // A free lock is the usual case, and its error would have to be worded.
    if (!existsSync(join(path, OWNER_FILE))) return undefined
    const json = parsedOrNothing(ownerText(join(path, OWNER_FILE)))
    // A lock is renamed into place with its owner inside: only a power cut leaves an unreadable owner.
    if (!isRecord(json)) return { pid: 0, started: NEVER, host: hostname(), purpose: 'a command' }
    const { pid, started, host, purpose } = json
    return { pid: Number(pid), started: String(started), host: String(host), purpose: String(purpose) }
  } catch {
    return undefined
  }
}

/** Never waits, whatever the file is. */
function ownerText(path: string): string {
  return withFile(path, path, READING, (file, stat) => readWhole(file, stat, path, 64 * 1024).toString('utf8'))
}

const NEVER = 'never'

function parsedOrNothing(text: string): unknown {
  return attempt(() => JSON.parse(text), undefined)
}

/** A holder on another machine cannot be checked; it counts as alive. */
function isDead({ pid, started, host }: Owner): boolean {
  if (host !== hostname()) return false
  return started === NEVER || !isAlive(pid) || startOf(pid) !== started
}

/** When a process began, if the system reports it; otherwise the same constant for every process. */
function startOf(pid: number): string {
  return attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in brackets that may contain anything; the state is the third, the start the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A dead process keeps its number until its parent collects it, which in a container may be never.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '')
  }, '')
}

function lockedBy(path: string, owner: Owner | undefined): LoadoutError {
  if (owner !== undefined && isDead(owner)) {
    const git = `loadout ${owner.purpose} was interrupted, and its git is still running`
    return failWith('LOCKED/git', { folder: dirname(dirname(path)), git })
  }
  const holder =
    owner === undefined ? 'another process' : `loadout ${owner.purpose} (process ${owner.pid} on ${owner.host})`
  return failWith('LOCKED', { folder: dirname(dirname(path)), holder, path })
}
