import { rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { asLoadoutError, exists, isFolder, makeFolders, removeLeftovers } from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import { gitFolder, removeDeadLocks } from '../../machine/git-folder.ts'
import { refuseLinkOut } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { undoFastForward } from './fast-forward.ts'
import {
  type Intent,
  intentPath,
  intentText,
  type PlannedChange,
  readIntent,
  removeIntent,
  writeIntent,
} from './intent.ts'
import { commitPaths } from './library-commit.ts'
import { dropMerge, hasMerge } from './pending-merge.ts'
import { SKILLS_FOLDER } from './registry.ts'
import { hashFile, hashTree, listTree } from './tree.ts'
import {
  discard,
  interruptedIn,
  isAtWork,
  stagePath,
  type Waiting,
  type WorkFolder,
  wasKilledAtWork,
  withWorkFolder,
} from './work-folder.ts'

/** Changes of skills and other files of the library, their commit, and what ends with it. */
export interface LibraryChange extends Pick<Intent, 'merge' | 'copies'> {
  changes: readonly PathChange[]
  /** The commit message; undefined to change the files without a commit. */
  message: string | undefined
  signal?: AbortSignal
  onProgress?: (done: number, total: number, what: string) => void
}

interface PathChange {
  /** `skills/<folder>`, or a file. */
  path: string
  /** Writes the new content to a new path; absent to remove it. */
  write?: (stage: string) => void
}

/** Inside git's own folder: not part of the content, and on the same file system. */
function libraryWork(library: string): WorkFolder {
  return { path: join(gitFolder(library), 'loadout-work'), home: join(library, SKILLS_FOLDER) }
}

/** Whether a killed command left something to finish, to undo or to clean up. */
export function isUnfinished(library: string): boolean {
  const work = libraryWork(library)
  if (wasKilledAtWork(work)) return true
  const intent = intentText(library)
  const isForgotten = intent !== undefined && !isAtWork(work) && intentText(library) === intent
  return isForgotten || interruptedIn(work).length > 0
}

/** Also true for the empty lock of a command that was killed while it released the lock: it is free, and only looks like work. */
export function hasLeftovers(library: string): boolean {
  const work = libraryWork(library)
  return isUnfinished(library) || (isFolder(work.path) && !isAtWork(work))
}

/** Runs a function as the only writer of the library, after repairing what a killed writer left. */
export async function withLibrary<T>(
  machine: Machine,
  library: string,
  purpose: string,
  run: (recovered: Finding[]) => Promise<T>,
  waiting: Waiting = {},
): Promise<T> {
  const finished: Finding[] = []
  const first = async () => void finished.push(...(await finishIntent(machine, library)))
  const cleanUp = (since: number) => removeDeadLocks(library, since)
  const work = libraryWork(library)
  return withWorkFolder(work, purpose, (undone) => run([...finished, ...undone]), { first, cleanUp, ...waiting })
}

/**
 * Makes all changes, their commit and what ends with it, or nothing. The caller must have locked the library. Returns the
 * commit, if there is one. If the process is killed, the next command makes all of it or nothing. With `copies`, the
 * caller refreshes the installed copies, then calls `removeIntent`.
 */
export async function changeLibrary(
  machine: Machine,
  library: string,
  { changes, signal, onProgress, ...rest }: LibraryChange,
): Promise<string | undefined> {
  const work = libraryWork(library)
  const staged: PlannedChange[] = []
  try {
    for (const [at, { path, write }] of changes.entries()) {
      signal?.throwIfAborted()
      onProgress?.(at, changes.length, basename(path))
      // In a cloned library, a folder may be a link to anywhere.
      refuseLinkOut(library, dirname(path))
      const stage = stagePath(work, relative(work.home, join(library, path)))
      staged.push({ path, stage: basename(stage), hash: null, was: hashOf(join(library, path)) })
      if (write === undefined) continue
      write(stage)
      await flushAll(stage)
      staged[at]!.hash = hashOf(stage)
    }
    onProgress?.(changes.length, changes.length, '')
    writeIntent(library, { changes: staged, ...rest })
  } catch (error) {
    removeIntent(library)
    for (const { stage } of staged) rmSync(join(work.path, stage), { recursive: true, force: true })
    throw asLoadoutError(error, join(library, staged.at(-1)?.path ?? ''), 'write')
  }
  return carryOutIntent(machine, library, { changes: staged, ...rest })
}

async function flushAll(path: string): Promise<void> {
  if (!isFolder(path)) return flushFiles(dirname(path), [basename(path)])
  const { files, marker } = listTree(path)
  const written = marker === undefined ? files : [...files, marker]
  await flushFiles(
    path,
    written.map((file) => file.path),
  )
}

/** Null if there is nothing. */
function hashOf(path: string): string | null {
  if (!exists(path)) return null
  try {
    return isFolder(path)
      ? hashTree(path, listTree(path).files)
      : hashFile(dirname(path), { path: basename(path), kind: 'file' })
  } catch {
    return 'unreadable'
  }
}

/** Can be repeated after a kill at any point. If the commit fails, puts everything back and throws. */
async function carryOutIntent(machine: Machine, library: string, intent: Intent): Promise<string | undefined> {
  const { changes, message, merge, copies, isCommitted } = intent
  let commit: string | undefined
  try {
    if (!isCommitted) {
      for (const change of changes) putInPlace(library, change)
      const paths = changes.map(({ path }) => path)
      commit = message === undefined ? undefined : await commitPaths(machine, library, paths, message)
    }
  } catch (error) {
    putBack(library, changes)
    throw error
  }
  // From here on nothing is put back: the last version of some may be gone.
  if (!isCommitted) noteCommit(library, intent)
  try {
    if (merge !== undefined && hasMerge(machine, merge)) dropMerge(machine, merge, true)
    for (const { old } of changes.map((change) => placesOf(library, change))) if (exists(old)) discard(old)
  } catch (error) {
    // The intent stays: the next command goes on here.
    throw asLoadoutError(error, library, 'write')
  }
  if (copies === undefined) removeIntent(library)
  return commit
}

/** Without this note the next command would look for something to commit, and find nothing. */
function noteCommit(library: string, intent: Intent): void {
  try {
    writeIntent(library, { ...intent, isCommitted: true })
  } catch {
    // The disk is full: the change is done all the same.
  }
}

/** `old` holds the previous content until the change is complete. */
function placesOf(library: string, { path, stage }: PlannedChange) {
  const made = join(libraryWork(library).path, stage)
  return { target: join(library, path), stage: made, old: made.replace(/\.new$/, '.old') }
}

function putInPlace(library: string, change: PlannedChange): void {
  const { target, stage, old } = placesOf(library, change)
  try {
    if (exists(target) && (change.hash === null || exists(stage))) move(target, old)
    if (!exists(stage)) return
    // Git does not store empty folders: a clone without skills lacks the folder for them.
    makeFolders(dirname(target))
    move(stage, target)
  } catch (error) {
    throw asLoadoutError(error, target, 'write')
  }
}

/** Leaves what a user has changed since. */
function putBack(library: string, changes: readonly PlannedChange[]): void {
  for (const change of [...changes].reverse()) {
    const { target, stage, old } = placesOf(library, change)
    const isBegun = exists(old) || change.was === null
    if (isBegun && change.hash !== null && !exists(stage) && hashOf(target) === change.hash) move(target, stage)
    if (exists(old) && !exists(target)) move(old, target)
  }
  removeIntent(library)
  for (const change of changes) rmSync(placesOf(library, change).stage, { recursive: true, force: true })
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
async function finishIntent(machine: Machine, library: string): Promise<Finding[]> {
  removeLeftovers(intentPath(library))
  const intent = readIntent(library)
  if (intent === undefined) {
    removeIntent(library)
    return []
  }
  // The lock of the killed command may be gone, if an earlier version took it over.
  if (!removeDeadLocks(library, statSync(intentPath(library)).mtimeMs)) throw gitIsAtWork(library)
  if ('to' in intent) {
    await undoFastForward(machine, library, intent)
    removeIntent(library)
    return [recovered(`${library}: an interrupted update from the remote was undone; loadout sync repeats it`, library)]
  }
  // Only about installs and settings, which the caller must lock first.
  if ('agent' in intent) return []
  const what = intent.message?.split('\n')[0] ?? intent.changes.map(({ path }) => path).join(', ')
  if (!intent.isCommitted && !intent.changes.every((change) => canGoOn(library, change))) {
    putBack(library, intent.changes)
    return [recovered(`${library}: an interrupted change was undone: ${what}`, what)]
  }
  try {
    await carryOutIntent(machine, library, intent)
    return [recovered(`${library}: an interrupted change was finished: ${what}`, what)]
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return [recovered(`${library}: an interrupted change was undone: ${what} (${error.message})`, what)]
  }
}

/** Whether both versions are as the killed command left them. */
function canGoOn(library: string, change: PlannedChange): boolean {
  const { target, stage, old } = placesOf(library, change)
  const now = hashOf(target)
  if (change.hash !== null && !exists(stage)) return now === change.hash
  const isNewWhole = change.hash === null || hashOf(stage) === change.hash
  return isNewWhole && (now === change.was || (now === null && exists(old)))
}

function recovered(message: string, subject: string): Finding {
  return { severity: 'info', code: 'RECOVERED', message, subject }
}

function gitIsAtWork(library: string): LoadoutError {
  return new LoadoutError('LOCKED', `${library} is locked: a change was interrupted, and its git is still running`, {
    hint: 'wait until git has finished, or end it; the next command then finishes the interrupted change',
  })
}
