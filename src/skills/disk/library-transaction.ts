import { rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asLoadoutError, exists, makeFolders, removeLeftovers } from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import { gitFolder, removeDeadLocks } from '../../machine/git-folder.ts'
import { refuseLinkOut } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { undoFastForward } from './fast-forward.ts'
import { type Intent, intentPath, intentText, type Move, readIntent, removeIntent, writeIntent } from './intent.ts'
import { commitPaths } from './library-commit.ts'
import { SKILLS_FOLDER } from './registry.ts'
import { hashTree, listTree } from './tree.ts'
import {
  discard,
  interruptedIn,
  isAtWork,
  leftoversIn,
  stagePath,
  type Waiting,
  type WorkFolder,
  wasKilledAtWork,
  withWorkFolder,
} from './work-folder.ts'

/** Changes of skill folders in the library, and their commit. */
export interface LibraryChange {
  changes: readonly FolderChange[]
  /** The commit message; undefined to change the files without a commit. */
  message: string | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number, what: string) => void) | undefined
}

interface FolderChange {
  /** `skills/<folder>`. */
  folder: string
  /** Writes the new content into a new folder; absent to remove the skill. */
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

/** Runs a function as the only writer of the library, after repairing what a killed writer left. */
export async function withLibrary<T>(
  machine: Machine,
  library: string,
  purpose: string,
  run: (recovered: Finding[]) => Promise<T>,
  waiting: Waiting = {},
): Promise<T> {
  const removed: Finding[] = []
  const first = async () => void removed.push(...(await finishRemoval(machine, library)))
  const finishAndRun = async (undone: Finding[]) =>
    run([...removed, ...undone, ...(await commitIntent(machine, library))])
  const cleanUp = (since: number) => removeDeadLocks(library, since)
  return withWorkFolder(libraryWork(library), purpose, finishAndRun, { first, cleanUp, ...waiting })
}

/** Repairs what a killed command left, unless a writer or git is running, or the library is read-only. */
export async function recoverLibrary(machine: Machine, library: string): Promise<Finding[]> {
  if (!isUnfinished(library)) return []
  try {
    return await withLibrary(machine, library, 'recovery', async (recovered) => recovered, { waitMs: 0 })
  } catch (error) {
    if (error instanceof LoadoutError && ['LOCKED', 'WRITE_FAILED'].includes(error.code)) return []
    throw error
  }
}

/**
 * Makes all changes and their commit, or none. The caller must have locked the library. Returns the commit, if there is
 * one. If the process is killed, every skill is intact, and the next command commits the changes that are in place.
 */
export async function changeLibrary(
  machine: Machine,
  library: string,
  { changes, message, signal, onProgress }: LibraryChange,
): Promise<string | undefined> {
  // In a cloned library, the folder of skills may be a link to anywhere.
  for (const { folder } of changes) refuseLinkOut(library, dirname(folder))
  const staged: Staged[] = []
  try {
    for (const [at, change] of changes.entries()) {
      signal?.throwIfAborted()
      onProgress?.(at, changes.length, basename(change.folder))
      staged.push(await stageChange(library, change))
    }
    onProgress?.(changes.length, changes.length, '')
  } catch (error) {
    for (const { stage } of staged) rmSync(stage, { recursive: true, force: true })
    throw error
  }
  if (message !== undefined) recordChange(library, staged, message)
  const undone: (() => void)[] = []
  const undo = () => {
    for (const each of undone.reverse()) each()
    for (const { stage } of staged) rmSync(stage, { recursive: true, force: true })
  }
  try {
    for (const each of staged) undone.push(replace(each))
    const folders = staged.map(({ folder }) => folder)
    return message === undefined ? undefined : await commitPaths(machine, library, folders, message)
  } catch (error) {
    undo()
    throw error
  } finally {
    for (const { old } of staged) if (exists(old)) discard(old)
    if (message !== undefined) removeIntent(library)
  }
}

// A commit message is one argument of git, whose length is limited.
const MOST_NAMED = 500

/** `Delete skill a`, or `Delete 2 skills` with their names below; `from` ends the subject of several. */
export function messageAbout(verb: string, names: readonly string[], from = ''): string {
  if (names.length === 1) return `${verb} skill ${names[0]}`
  const more = names.length > MOST_NAMED ? `\nand ${names.length - MOST_NAMED} more` : ''
  return `${verb} ${names.length} skills${from}\n\n${names.slice(0, MOST_NAMED).join('\n')}${more}\n`
}

interface Staged {
  folder: string
  target: string
  stage: string
  /** Holds the previous folder until the change is complete. */
  old: string
  hasNew: boolean
}

async function stageChange(library: string, { folder, write }: FolderChange): Promise<Staged> {
  const target = join(library, folder)
  const stage = stagePath(libraryWork(library), basename(folder))
  if (write !== undefined) await writeStage(stage, write, target)
  return { folder, target, stage, old: stage.replace(/\.new$/, '.old'), hasNew: write !== undefined }
}

function recordChange(library: string, staged: readonly Staged[], message: string): void {
  const folders = staged.map(({ folder, stage, hasNew }) => ({ folder, hash: hasNew ? hashFolder(stage) : null }))
  writeIntent(library, { folders, message })
}

async function writeStage(stage: string, write: (stage: string) => void, target: string): Promise<void> {
  try {
    write(stage)
    const { files, marker } = listTree(stage)
    const written = marker === undefined ? files : [...files, marker]
    await flushFiles(
      stage,
      written.map(({ path }) => path),
    )
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw asLoadoutError(error, target, 'write')
  }
}

/** Swaps in the new folder, or removes the old one. Returns a function that undoes it. */
function replace({ target, stage, old, hasNew }: Staged): () => void {
  const isReplacing = exists(target)
  const undo = () => {
    if (hasNew && exists(target) && !exists(stage)) move(target, stage)
    if (isReplacing && exists(old)) move(old, target)
    rmSync(stage, { recursive: true, force: true })
  }
  try {
    if (isReplacing) move(target, old)
    // Git does not store empty folders: a clone without skills lacks the folder for them.
    if (hasNew) makeFolders(dirname(target))
    if (hasNew) move(stage, target)
    return undo
  } catch (error) {
    undo()
    throw asLoadoutError(error, target, 'write')
  }
}

/** Commits an interrupted removal. If git fails, the folder is restored later. */
async function finishRemoval(machine: Machine, library: string): Promise<Finding[]> {
  removeLeftovers(intentPath(library))
  const intent = readIntent(library)
  if (intent === undefined) return []
  // The lock of the killed command may be gone, if an earlier version took it over.
  if (!removeDeadLocks(library, statSync(intentPath(library)).mtimeMs)) throw gitIsAtWork(library)
  if ('to' in intent) return undoMove(machine, library, intent)
  const removed = intent.folders.filter(({ folder, hash }) => hash === null && !exists(join(library, folder)))
  if (removed.length === 0) return []
  const folders = removed.map(({ folder }) => folder)
  try {
    await commitPaths(machine, library, folders, messageFor(intent, folders.length))
  } catch (error) {
    if (error instanceof LoadoutError) return []
    throw error
  }
  const { path } = libraryWork(library)
  const starts = folders.map((folder) => `${basename(folder)}.`)
  for (const name of leftoversIn(libraryWork(library))) {
    if (name.endsWith('.old') && starts.some((start) => name.startsWith(start))) discard(join(path, name))
  }
  return folders.map((folder) => recovered(`${folder}: an interrupted removal was finished`))
}

/** The message must not claim more than the commit contains. */
function messageFor({ message, folders }: Intent, count: number): string {
  return count === folders.length ? message : `${message} (interrupted: ${count} of ${folders.length})`
}

function recovered(message: string): Finding {
  return { severity: 'info', code: 'RECOVERED', message }
}

async function undoMove(machine: Machine, library: string, move: Move): Promise<Finding[]> {
  await undoFastForward(machine, library, move)
  const message = `${library}: an interrupted update from the remote was undone; loadout sync repeats it`
  return [recovered(message)]
}

function gitIsAtWork(library: string): LoadoutError {
  return new LoadoutError('LOCKED', `${library} is locked: a change was interrupted, and its git is still running`, {
    hint: 'wait until git has finished, or end it; the next command then finishes the interrupted change',
  })
}

/** Commits new content that a killed command has put in place but not committed. */
async function commitIntent(machine: Machine, library: string): Promise<Finding[]> {
  const intent = readIntent(library)
  const findings = intent === undefined || 'to' in intent ? [] : await commitNew(machine, library, intent)
  // Not earlier: if this process is killed, the next one still needs it.
  removeIntent(library)
  return findings
}

async function commitNew(machine: Machine, library: string, intent: Intent): Promise<Finding[]> {
  const inPlace = intent.folders.filter(({ folder, hash }) => {
    const path = join(library, folder)
    return hash !== null && exists(path) && hashFolder(path) === hash
  })
  if (inPlace.length === 0) return []
  const folders = inPlace.map(({ folder }) => folder)
  const what = folders.length === 1 ? `${folders[0]}: an interrupted change` : `${folders.length} interrupted changes`
  const [was, is] = folders.length === 1 ? ['was', 'is'] : ['were', 'are']
  try {
    const commit = await commitPaths(machine, library, folders, messageFor(intent, folders.length))
    return commit === undefined ? [] : [recovered(`${what} ${was} committed`)]
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `${what} ${is} in the library, but not committed: ${error.message}`
    return [{ severity: 'warning', code: 'UNCOMMITTED', message, hint: error.hint ?? 'commit it with git' }]
  }
}

function hashFolder(path: string): string {
  return hashTree(path, listTree(path).files)
}
