import { lstatSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exists } from '../../machine/files.ts'
import { staysInside } from '../../machine/inside.ts'
import type { Repository } from '../../machine/repository.ts'
import { withScratch } from '../../machine/scratch.ts'
import type { FastForward, RepoState } from '../rules/sync-decision.ts'
import { isUnder, readChanges } from './library-commit.ts'
import { isLockable, libraryLog, type Move } from './library-log.ts'

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
  if (!arriving.every((path) => isFree(repo.path, path))) return false
  const paths = [...arriving, ...changed]
  const isKnown = paths.every((path) => path.startsWith('skills/'))
  const edits = isKnown ? uncommitted : (await readChanges(repo, [])).map(({ path }) => path)
  return !paths.some((path) => edits.some((edit) => isUnder(path, edit) || isUnder(edit, path)))
}

/** Whether nothing exists at a path, and all its parents are folders or missing. */
function isFree(repo: string, path: string): boolean {
  const parts = path.split('/')
  return parts.every((_, at) => {
    const stat = lstatSync(join(repo, ...parts.slice(0, at + 1)), { throwIfNoEntry: false })
    return stat === undefined || (at < parts.length - 1 && stat.isDirectory())
  })
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
export async function undoFastForward(repo: Repository, { from, to }: Move): Promise<void> {
  if ((await repo.head()) !== from) return
  const [before, after] = [await listCommit(repo, from), await listCommit(repo, to)]
  const index = rowsOf((await repo.git(['ls-files', '--stage', '-z'])).stdout)
  const waiting = changedPaths(before, after).filter((path) => index.get(path) === before.get(path))
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
    for (const path of written.filter((each) => !before.has(each))) removeWithFolders(repo.path, path)
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

function removeWithFolders(repo: string, path: string): void {
  rmSync(join(repo, path), { force: true })
  try {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) rmdirSync(join(repo, folder))
  } catch {
    // It is not empty, or already gone.
  }
}

function changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}

async function listCommit(repo: Repository, commit: string | undefined): Promise<Map<string, string>> {
  return commit === undefined ? new Map() : rowsOf((await repo.git(['ls-tree', '-r', '-z', commit])).stdout)
}

/** Mode and content id of each file, by path. Without nested repositories: git does not check them out. */
function rowsOf(list: string): Map<string, string> {
  const rows = [...list.matchAll(/(\d{6}) (?:[a-z]+ )?([0-9a-f]{40,64})(?: \d)?\t([^\0]+)\0/g)]
  return new Map(rows.flatMap(([, mode, id, path = '']) => (mode === '160000' ? [] : [[path, `${mode} ${id}`]])))
}
