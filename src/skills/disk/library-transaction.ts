import { lstatSync, readFileSync, readlinkSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  interruptedIn,
  isAtWork,
  type OnProgress,
  type PathChange,
  type PlannedChange,
  Transaction,
  type Waiting,
  wasKilledAtWork,
  withWorkFolder,
} from '../../change/transaction.ts'
import { asLoadoutError, exists, isFolder, isWritable, removeLeftovers } from '../../machine/files.ts'
import { gitFolder, removeDeadLocks } from '../../machine/git-process.ts'
import { staysInside } from '../../machine/inside.ts'
import { withScratch } from '../../machine/leftovers.ts'
import type { Repository } from '../../machine/repository.ts'
import { type Finding, failWith, LoadoutError, report } from '../../text/trouble.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import type { Operation } from '../rules/operations.ts'
import type { FastForward, RepoState } from '../rules/sync-decision.ts'
import { commitPaths, isUnder, readChanges } from './library-git.ts'
import { Merges } from './pending-merge.ts'
import { SKILLS_FOLDER } from './registry.ts'
import { hashPath } from './tree.ts'

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
  const { changes, message, merge, copies, operations, isCommitted } = logged
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
    // Without this note the next command would look for something to commit, and find nothing.
    log.commit(logged)
  }
  try {
    if (merge !== undefined && new Merges(machine).has(merge)) new Merges(machine).remove(merge, true)
    log.discardOld(changes)
  } catch (error) {
    // The log stays: the next command goes on here.
    throw asLoadoutError(error, library, 'write')
  }
  if (copies === undefined && operations === undefined) log.end()
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
    throw failWith('LOCKED/library', { library })
  }
  const recovered = (message: string, subject: string): Finding[] => [
    report('RECOVERED/library', { library, message }, { subject }),
  ]
  if ('to' in logged) {
    await undoFastForward(repo, logged)
    log.end()
    return recovered('update from the remote was undone; loadout sync repeats it', library)
  }
  const what = logged.message?.split('\n')[0] ?? logged.changes.map(({ path }) => path).join(', ')
  if (!logged.isCommitted && !log.canGoOn(logged.changes)) {
    log.putBack(logged.changes)
    return recovered(`change was undone: ${what}`, what)
  }
  try {
    await carryOutLogged(repo, logged)
    return logged.operations ? [] : recovered(`change was finished: ${what}`, what)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return recovered(`change was undone: ${what} (${error.message})`, what)
  }
}

/** A change of skills and other files of the library, with its commit and what ends with it. */
export interface LoggedChange {
  changes: PlannedChange[]
  /** The commit message; undefined for a change without a commit. */
  message?: string
  /** The skill whose open merge ends with this change. */
  merge?: string
  /** The skills whose installed copies are refreshed afterwards. */
  copies?: string[]
  /** What is done to installed copies, if that is all: each is swapped by itself, and the log makes all of them happen. */
  operations?: Operation[]
  /** The library has the change and its commit: only the rest is left to do. */
  isCommitted?: boolean
}

/** A fast-forward of the branch: git changes the files first, then the branch. `from` is undefined before the first commit. */
export interface Move {
  from: string | undefined
  to: string
}

/** Whether Loadout can write into git's folder, as locks and the log need. */
export function isLockable(library: string): boolean {
  return isWritable(gitFolder(library))
}

const LOG_FILE = 'loadout-intent.json'

/** The log of the library is inside git's own folder: not part of the content, and on the same file system. */
export function libraryLog(library: string): Transaction {
  const folder = gitFolder(library)
  const work = { path: join(folder, 'loadout-work'), home: join(library, SKILLS_FOLDER) }
  return new Transaction(library, work, join(folder, LOG_FILE), hashPath)
}

/** Undefined if nothing is logged, or by another version of Loadout. */
export function readLogged(log: Transaction): LoggedChange | Move | undefined {
  const json = log.read() ?? {}
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const { message, merge, copies, operations, isCommitted, from, to } = json
  if (typeof to === 'string') return { from: text(from), to }
  const changes = log.plannedIn(json)
  return (
    changes && {
      changes,
      message: text(message),
      merge: text(merge),
      copies: isTextList(copies) ? copies : undefined,
      operations: Array.isArray(operations) && operations.every(isOperation) ? operations : undefined,
      isCommitted: isCommitted === true,
    }
  )
}

function isOperation(json: unknown): json is Operation {
  return isRecord(json) && isTextList([json.kind, json.skill, json.agent, json.scope, json.root])
}

/** Fast-forwards the library to a branch of its remote, and returns the new commit. Restores the files if git fails. */
export async function fastForwardLibrary(
  repo: Repository,
  step: FastForward,
  { head: from, uncommitted }: Pick<RepoState, 'head' | 'uncommitted'>,
): Promise<string> {
  const move = { from, to: await repo.commitOf(step.trackingRef) }
  if (!isLockable(repo.path) || !(await isClear(repo, move, uncommitted))) {
    await fastForward(repo, step, from)
    return move.to
  }
  const log = libraryLog(repo.path)
  log.write(move)
  try {
    await fastForward(repo, step, from)
    return move.to
  } catch (error) {
    await undoFastForward(repo, move)
    throw error
  } finally {
    log.end()
  }
}

/** Fast-forwards the branch. Throws if an uncommitted file, even an ignored one, would be overwritten. */
export async function fastForward(
  repo: Repository,
  { trackingRef, track }: FastForward,
  from: string | undefined,
): Promise<void> {
  await repo.settings()
  if (from === undefined) {
    const branch = await repo.branch()
    return startBranch(repo, track?.branch ?? branch ?? 'main', trackingRef)
  }
  const flags = ['--quiet', '--ff-only', '--no-squash', '--commit', '--no-overwrite-ignore', '--no-stat']
  await repo.git(['merge', ...flags, '--', trackingRef])
}

/** Before the first commit a branch is only a name, which may change. Not `git merge`: it overwrites ignored files. */
async function startBranch(repo: Repository, branch: string, trackingRef: string): Promise<void> {
  repo.refuseOption(branch)
  const flags = ['--quiet', '--no-overwrite-ignore', '--no-recurse-submodules', '--track']
  await repo.git(['checkout', ...flags, '-b', branch, trackingRef, '--'])
}

/**
 * Whether no file that the move changes has uncommitted changes; otherwise git refuses to move. `uncommitted` covers
 * only the folder of skills.
 */
async function isClear(repo: Repository, move: Move, uncommitted: readonly string[]): Promise<boolean> {
  const { arriving, changed } = await pathsOf(repo, move)
  if (
    !arriving.every((path) => {
      // Whether nothing exists at a path, and all its parents are folders or missing.
      const parts = path.split('/')
      return parts.every((_, at) => {
        const stat = lstatSync(join(repo.path, ...parts.slice(0, at + 1)), { throwIfNoEntry: false })
        return stat === undefined || (at < parts.length - 1 && stat.isDirectory())
      })
    })
  )
    return false
  const paths = [...arriving, ...changed]
  const isKnown = paths.every((path) => path.startsWith('skills/'))
  const edits = isKnown ? uncommitted : (await readChanges(repo, [])).map(({ path }) => path)
  return !paths.some((path) => edits.some((edit) => isUnder(path, edit) || isUnder(edit, path)))
}

/** Files that a move adds, and files that it changes or removes, without nested repositories. */
async function pathsOf(repo: Repository, { from, to }: Move) {
  if (from === undefined) return { arriving: [...(await listCommit(repo, to)).keys()], changed: [] }
  const { stdout } = await repo.git(['diff-tree', '-r', '-z', '--no-renames', from, to, '--'])
  const rows = [...stdout.matchAll(/:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ [A-Z]\0([^\0]+)\0/g)].map(
    ([, before = '', after = '', path = '']) => ({ had: isFileMode(before), has: isFileMode(after), path }),
  )
  const paths = (isMeant: (row: (typeof rows)[number]) => boolean) => rows.filter(isMeant).map(({ path }) => path)
  return { arriving: paths(({ had, has }) => !had && has), changed: paths(({ had }) => had) }
}

function isFileMode(mode: string): boolean {
  return mode !== '000000' && mode !== '160000'
}

/**
 * Removes what a killed git had checked out, so that sync can repeat it. Git changes files, then its index, then the
 * branch: while the index is old, git has written a file that contains the new version, or its beginning. A file with
 * any other content was edited since, and stays.
 */
async function undoFastForward(repo: Repository, { from, to }: Move): Promise<void> {
  if ((await repo.head()) !== from) return
  const [before, after] = [await listCommit(repo, from), await listCommit(repo, to)]
  const index = rowsOf((await repo.git(['ls-files', '--stage', '-z'])).stdout)
  const waiting = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .filter((path) => index.get(path) === before.get(path))
  await withScratch(async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') }
    const checkOut = (paths: readonly string[], flags: readonly string[], more = {}) => {
      const input = paths.map((path) => `${path}\0`).join('')
      return repo.git(['checkout-index', '--force', '-z', '--stdin', ...flags], { ...more, input })
    }
    await repo.git(['read-tree', to], { env })
    const arriving = waiting.filter((path) => after.has(path))
    await checkOut(arriving, [`--prefix=${scratch}/new/`], { env })
    const inside = waiting.filter((path) => staysInside(repo.path, dirname(path)))
    const written = inside.filter((path) => isBeginning(join(repo.path, path), join(scratch, 'new', path)))
    for (const path of written.filter((each) => !before.has(each))) {
      rmSync(join(repo.path, path), { force: true })
      try {
        for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) rmdirSync(join(repo.path, folder))
      } catch {
        // It is not empty, or already gone.
      }
    }
    const replaced = written.filter((path) => before.has(path))
    await checkOut(replaced, [])
  })
}

/** Whether a file is missing, or contains the beginning of `whole`. */
function isBeginning(path: string, whole: string): boolean {
  if (!exists(path)) return true
  if (!exists(whole) || lstatSync(path).isDirectory()) return false
  const part = contentOf(path)
  return contentOf(whole).subarray(0, part.length).equals(part)
}

function contentOf(path: string): Buffer {
  return lstatSync(path).isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readFileSync(path)
}

async function listCommit(repo: Repository, commit: string | undefined): Promise<Map<string, string>> {
  return commit === undefined ? new Map() : rowsOf((await repo.git(['ls-tree', '-r', '-z', commit])).stdout)
}

/** Mode and content id of each file, by path. Without nested repositories: git does not check them out. */
function rowsOf(list: string): Map<string, string> {
  const rows = [...list.matchAll(/(\d{6}) (?:[a-z]+ )?([0-9a-f]{40,64})(?: \d)?\t([^\0]+)\0/g)]
  return new Map(rows.flatMap(([, mode, id, path = '']) => (mode === '160000' ? [] : [[path, `${mode} ${id}`]])))
}
