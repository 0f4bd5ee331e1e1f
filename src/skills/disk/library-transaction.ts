import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  asLoadoutError,
  exists,
  isWritable,
  readJson,
  readText,
  removeFile,
  removeLeftovers,
  writeAtomically,
} from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import { gitFolder, removeDeadLocks } from '../../machine/git-folder.ts'
import type { Machine } from '../../machine/machine.ts'
import { commitOf, headCommit } from '../../machine/repository.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import type { FastForward } from '../rules/sync-decision.ts'
import { commitPaths } from './library-commit.ts'
import { fastForward } from './library-state.ts'
import { SKILLS_FOLDER } from './registry.ts'
import { hashTree, listTree } from './tree.ts'
import { isClear, type Move, undoFastForward } from './undo-fast-forward.ts'
import {
  discard,
  interruptedIn,
  isAbandoned,
  isAtWork,
  leftoversIn,
  stagePath,
  swapIn,
  swapOut,
  type Waiting,
  type WorkFolder,
  withWorkFolder,
} from './work-folder.ts'

/** A change of one skill's folder in the library, with the commit that belongs to it. */
export interface LibraryChange {
  /** `skills/<folder>`. */
  folder: string
  /** Writes the new content into a folder that is not there yet; absent when the skill is to be removed. */
  write?: (stage: string) => void
  /** The commit's message; absent when nothing is to be committed. */
  message: string | undefined
}

/** What a change is about to commit, for whoever finds it unfinished. */
interface Intent {
  folder: string
  /** Of the new content; null for a removal. */
  hash: string | null
  message: string
}

/** Or that the branch is about to move, which changes files before the branch. */
type Unfinished = Intent | Move

/** Beside git's own files: never part of the content, and on the same file system. */
function libraryWork(library: string): WorkFolder {
  return { path: join(gitFolder(library), 'loadout-work'), home: join(library, SKILLS_FOLDER) }
}

function intentPath(library: string): string {
  return join(gitFolder(library), 'loadout-intent.json')
}

/** Whether a killed command left something to finish, to undo or to clean up. */
export function isUnfinished(library: string): boolean {
  const work = libraryWork(library)
  if (isAbandoned(work)) return true
  const intent = textOrNothing(intentPath(library))
  const isForgotten = intent !== undefined && !isAtWork(work) && textOrNothing(intentPath(library)) === intent
  return isForgotten || interruptedIn(work).length > 0
}

function textOrNothing(path: string): string | undefined {
  try {
    return readText(path)
  } catch {
    return exists(path) ? '' : undefined
  }
}

/** Runs something as the only writer of the library, after putting right what an earlier one left. */
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

/** Puts right what a killed command left, unless a writer or a git is at work, or the library is read-only. */
export async function recoverLibrary(machine: Machine, library: string): Promise<Finding[]> {
  if (!isUnfinished(library)) return []
  try {
    return await withLibrary(machine, library, 'recovery', async (recovered) => recovered, { waitMs: 0 })
  } catch (error) {
    if (error instanceof LoadoutError && ['LOCKED', 'WRITE_FAILED'].includes(error.code)) return []
    throw error
  }
}

/** Makes a change and its commit, or neither. The library must be locked. Gives the commit, if there is one. */
export async function changeLibrary(
  machine: Machine,
  library: string,
  { folder, write, message }: LibraryChange,
): Promise<string | undefined> {
  const work = libraryWork(library)
  const target = join(library, folder)
  const stage = stagePath(work, basename(folder))
  if (write !== undefined) await writeStage(stage, write, target)
  if (message === undefined) {
    if (write === undefined) swapOut(work, basename(folder), target)
    else swapIn(stage, target)
    return undefined
  }
  const hash = write === undefined ? null : hashFolder(stage)
  writeAtomically(intentPath(library), JSON.stringify({ folder, hash, message } satisfies Intent))
  const old = stage.replace(/\.new$/, '.old')
  const undo = replace(stage, target, old, write !== undefined)
  try {
    return await commitPaths(machine, library, [folder], message)
  } catch (error) {
    undo()
    throw error
  } finally {
    if (exists(old)) discard(old)
    removeFile(intentPath(library))
  }
}

/** Brings the library up to a branch of its remote. If git stops half-way, its files are as they were before. */
export async function fastForwardLibrary(machine: Machine, library: string, step: FastForward): Promise<void> {
  const move = { from: await headCommit(machine, library), to: await commitOf(machine, library, step.trackingRef) }
  if (!isWritable(gitFolder(library)) || !(await isClear(machine, library, move))) {
    return fastForward(machine, library, step)
  }
  writeAtomically(intentPath(library), JSON.stringify(move satisfies Unfinished))
  try {
    await fastForward(machine, library, step)
  } catch (error) {
    await undoFastForward(machine, library, move)
    throw error
  } finally {
    removeFile(intentPath(library))
  }
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

/** Puts the new folder, if any, where the old one was, if any; what it gives back takes that back. */
function replace(stage: string, target: string, old: string, hasNew: boolean): () => void {
  const isReplacing = exists(target)
  const undo = () => {
    if (hasNew && exists(target) && !exists(stage)) renameSync(target, stage)
    if (isReplacing && exists(old)) renameSync(old, target)
    rmSync(stage, { recursive: true, force: true })
  }
  try {
    if (isReplacing) renameSync(target, old)
    // Git keeps no empty folder: a clone without skills has no place for them yet.
    if (hasNew) mkdirSync(dirname(target), { recursive: true })
    if (hasNew) renameSync(stage, target)
    return undo
  } catch (error) {
    undo()
    throw asLoadoutError(error, target, 'write')
  }
}

/** A removal that had begun goes on to its commit; if git refuses that, the folder comes back. */
async function finishRemoval(machine: Machine, library: string): Promise<Finding[]> {
  removeLeftovers(intentPath(library))
  const intent = readIntent(library)
  if (intent === undefined) return []
  // The lock of the killed command may be gone already, if an earlier version took it over.
  if (!removeDeadLocks(library, statSync(intentPath(library)).mtimeMs)) throw gitIsAtWork(library)
  if ('to' in intent) return undoMove(machine, library, intent)
  const { folder, hash, message } = intent
  if (hash !== null || exists(join(library, folder))) return []
  try {
    await commitPaths(machine, library, [folder], message)
  } catch (error) {
    if (error instanceof LoadoutError) return []
    throw error
  }
  const { path } = libraryWork(library)
  for (const name of leftoversIn(libraryWork(library))) {
    if (name.startsWith(`${basename(folder)}.`) && name.endsWith('.old')) discard(join(path, name))
  }
  return [{ severity: 'info', code: 'RECOVERED', message: `${folder}: an interrupted removal was finished` }]
}

async function undoMove(machine: Machine, library: string, move: Move): Promise<Finding[]> {
  await undoFastForward(machine, library, move)
  const message = `${library}: an interrupted update from the remote was undone; loadout sync repeats it`
  return [{ severity: 'info', code: 'RECOVERED', message }]
}

function gitIsAtWork(library: string): LoadoutError {
  return new LoadoutError('LOCKED', `${library} is locked: a change was interrupted, and git is still at work in it`, {
    hint: 'wait until git has finished, or end it; the next command then finishes the interrupted change',
  })
}

/** New content that is in its place, but not in a commit yet, is committed now. */
async function commitIntent(machine: Machine, library: string): Promise<Finding[]> {
  const intent = readIntent(library)
  const findings = intent === undefined || 'to' in intent ? [] : await commitNew(machine, library, intent)
  // Not before: whoever is killed meanwhile leaves it to the next.
  removeFile(intentPath(library))
  return findings
}

async function commitNew(machine: Machine, library: string, { folder, hash, message }: Intent): Promise<Finding[]> {
  const path = join(library, folder)
  if (hash === null || !exists(path) || hashFolder(path) !== hash) return []
  try {
    const commit = await commitPaths(machine, library, [folder], message)
    if (commit === undefined) return []
    return [{ severity: 'info', code: 'RECOVERED', message: `${folder}: an interrupted change was committed` }]
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const text = `${folder}: an interrupted change is in the library, but not committed: ${error.message}`
    return [{ severity: 'warning', code: 'UNCOMMITTED', message: text, hint: error.hint ?? 'commit it with git' }]
  }
}

function readIntent(library: string): Unfinished | undefined {
  if (!exists(intentPath(library))) return undefined
  const json = readJson(intentPath(library))
  if (!isRecord(json)) return undefined
  const { folder, hash, message, from, to } = json
  if (typeof to === 'string') return { from: typeof from === 'string' ? from : undefined, to }
  if (typeof folder !== 'string' || typeof message !== 'string') return undefined
  return { folder, hash: typeof hash === 'string' ? hash : null, message }
}

function hashFolder(path: string): string {
  return hashTree(path, listTree(path).files)
}
