import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { OnProgress, PathChange } from '../../change/transaction.ts'
import { interruptedIn, isAtWork, type Waiting, wasKilledAtWork, withWorkFolder } from '../../change/work-folder.ts'
import { asLoadoutError, isFolder, removeLeftovers } from '../../machine/files.ts'
import { gitFolder, removeDeadLocks } from '../../machine/git-folder.ts'
import type { Repository } from '../../machine/repository.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { undoFastForward } from './fast-forward.ts'
import { commitPaths } from './library-commit.ts'
import { LOG_FILE, type LoggedChange, libraryLog, readLogged } from './library-log.ts'
import { dropMerge, hasMerge } from './pending-merge.ts'

/** Changes of skills and other files of the library, their commit, and what ends with it. */
export interface LibraryChange extends Pick<LoggedChange, 'merge' | 'copies'> {
  changes: readonly PathChange[]
  /** The commit message; undefined to change the files without a commit. */
  message: string | undefined
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** Whether a killed command left something to finish, to undo or to clean up. */
export function isUnfinished(library: string): boolean {
  const log = libraryLog(library)
  if (wasKilledAtWork(log.work)) return true
  const text = log.text()
  const isForgotten = text !== undefined && !isAtWork(log.work) && log.text() === text
  return isForgotten || interruptedIn(log.work).length > 0
}

/** Also true for the empty lock of a command that was killed while it released the lock: it is free, and only looks like work. */
export function hasLeftovers(library: string): boolean {
  const { work } = libraryLog(library)
  return isUnfinished(library) || (isFolder(work.path) && !isAtWork(work))
}

/** Runs a function as the only writer of the library, after repairing what a killed writer left. */
export async function withLibrary<T>(
  repo: Repository,
  purpose: string,
  run: (recovered: Finding[]) => Promise<T>,
  waiting: Waiting = {},
): Promise<T> {
  const finished: Finding[] = []
  const first = async () => void finished.push(...(await finishLogged(repo)))
  const cleanUp = (since: number) => removeDeadLocks(repo.path, since)
  const { work } = libraryLog(repo.path)
  return withWorkFolder(work, purpose, (undone) => run([...finished, ...undone]), { first, cleanUp, ...waiting })
}

/**
 * Makes all changes, their commit and what ends with it, or nothing. The caller must have locked the library. Returns the
 * commit, if there is one. If the process is killed, the next command makes all of it or nothing. With `copies`, the
 * caller refreshes the installed copies, then ends the log.
 */
export async function changeLibrary(
  repo: Repository,
  { changes, signal, onProgress, ...rest }: LibraryChange,
): Promise<string | undefined> {
  const staged = await libraryLog(repo.path).stage(changes, rest, { signal, onProgress })
  return carryOutLogged(repo, { changes: staged, ...rest })
}

/** Can be repeated after a kill at any point. If the commit fails, puts everything back and throws. */
async function carryOutLogged(repo: Repository, logged: LoggedChange): Promise<string | undefined> {
  const { changes, message, merge, copies, isCommitted } = logged
  const { machine, path: library } = repo
  const log = libraryLog(library)
  let commit: string | undefined
  if (!isCommitted) {
    try {
      log.putInPlace(changes)
      const paths = changes.map(({ path }) => path)
      commit = message === undefined ? undefined : await commitPaths(repo, paths, message)
    } catch (error) {
      log.putBack(changes)
      throw error
    }
    // From here on nothing is put back: the last version of some may be gone.
    try {
      // Without this note the next command would look for something to commit, and find nothing.
      log.write({ ...logged, isCommitted: true })
    } catch {
      // The disk is full: the change is done all the same.
    }
  }
  try {
    if (merge !== undefined && hasMerge(machine, merge)) dropMerge(machine, merge, true)
    log.discardOld(changes)
  } catch (error) {
    // The log stays: the next command goes on here.
    throw asLoadoutError(error, library, 'write')
  }
  if (copies === undefined) log.end()
  return commit
}

// A commit message is one argument of git, whose length is limited.
const MOST_NAMED = 500

/** `Delete skill a`, or `Delete 2 skills` with their names below; `from` ends the subject of several. */
export function messageAbout(verb: string, names: readonly string[], from = ''): string {
  if (names.length === 1) return `${verb} skill ${names[0]}`
  const more = names.length > MOST_NAMED ? `\nand ${names.length - MOST_NAMED} more` : ''
  return `${verb} ${names.length} skills${from}\n\n${names.slice(0, MOST_NAMED).join('\n')}${more}\n`
}

/** Finishes what a killed command had begun to put in place, or undoes it if that cannot be done. */
async function finishLogged(repo: Repository): Promise<Finding[]> {
  const { path: library } = repo
  const log = libraryLog(library)
  const place = join(gitFolder(library), LOG_FILE)
  removeLeftovers(place)
  const logged = readLogged(log)
  if (logged === undefined) {
    log.end()
    return []
  }
  // The lock of the killed command may be gone, if an earlier version took it over.
  if (!removeDeadLocks(library, statSync(place).mtimeMs)) {
    throw new LoadoutError('LOCKED', `${library} is locked: a change was interrupted, and its git is still running`, {
      hint: 'wait until git has finished, or end it; the next command then finishes the interrupted change',
    })
  }
  const recovered = (message: string, subject: string): Finding[] => [
    { severity: 'info', code: 'RECOVERED', message: `${library}: an interrupted ${message}`, subject },
  ]
  if ('to' in logged) {
    await undoFastForward(repo, logged)
    log.end()
    return recovered('update from the remote was undone; loadout sync repeats it', library)
  }
  // Only about installs and settings, which the caller must lock first.
  if ('agent' in logged) return []
  const what = logged.message?.split('\n')[0] ?? logged.changes.map(({ path }) => path).join(', ')
  if (!logged.isCommitted && !log.canGoOn(logged.changes)) {
    log.putBack(logged.changes)
    return recovered(`change was undone: ${what}`, what)
  }
  try {
    await carryOutLogged(repo, logged)
    return recovered(`change was finished: ${what}`, what)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return recovered(`change was undone: ${what} (${error.message})`, what)
  }
}
