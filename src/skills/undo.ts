import { basename, join } from 'node:path'
import { exists, isFolder } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Repository } from '../machine/repository.ts'
import { type Finding, failWith } from '../text/trouble.ts'
import { checkOutSnapshot } from './disk/git-folders.ts'
import { changeLibrary, type LibraryChange } from './disk/library-transaction.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { copyTree, hashTree, listTree } from './disk/tree.ts'
import { type Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, type RunOptions, refreshInstalls, UNDO } from './observe.ts'
import type { Operation } from './rules/operations.ts'

export interface UndoRequest extends Pick<ScopeRequest, 'verdicts'>, RunOptions {
  /** A commit of the library; default: the last one. */
  commit?: string
}

export interface Undone {
  /** The undone commit, and its subject. */
  undone: string
  subject: string
  /** The restored skills. */
  names: string[]
  /** Unified diff of the library. */
  diff: string
  /** The new commit. */
  commit?: string
  /** The changes of installed copies. */
  operations: Operation[]
  isDryRun: boolean
}

/**
 * Reverts the changes of a commit to skills, in a new commit, and refreshes their copies; copies of skills that it added
 * are removed. Throws if one of these skills has changed since, so that no later change is lost.
 */
export const undoCommit = withInstalls(async (installs, request: UndoRequest): Promise<Undone> => {
  await installs.repo.require()
  const roots = installs.roots.filter(({ path }) => isFolder(path))
  const isDryRun = request.dryRun ?? false
  const run = (recovered: Finding[]) =>
    withScratch(async (scratch): Promise<Undone> => {
      const done = await finishedUndo(installs, recovered)
      const finished = done?.undone.startsWith(request.commit ?? '') ? done : undefined
      const { commit: undone, subject } = await findCommit(installs, finished?.undone ?? request.commit)
      const folders = await changedFolders(installs, undone)
      const changes: LibraryChange['changes'][number][] = []
      const before = new Map<string, string>()
      for (const [at, folder] of finished ? [] : folders.entries()) {
        await requireUnchanged(installs, undone, folder, scratch, `${at}-after`)
        const source = await checkOutSnapshot(
          { repo: installs.repo, commit: `${undone}^`, folder },
          scratch,
          `${at}-before`,
        )
        changes.push(
          source === undefined ? { path: folder } : { path: folder, write: (stage) => copyTree(source, stage) },
        )
        if (source !== undefined) before.set(basename(folder), source)
      }
      const { stdout: diff } = await installs.repo.git([
        'diff',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
        undone,
        `${undone}^`,
      ])
      const names = folders.map((folder) => folder.slice(SKILLS_FOLDER.length + 1))
      const value = { undone, subject, names, diff, operations: [], isDryRun }
      if (finished) {
        return { ...value, commit: finished.commit }
      }
      const message = `${UNDO}${subject}\n\nTakes back ${undone}.\n`
      const commit = isDryRun ? undefined : await changeLibrary(installs.repo, { changes, message, copies: names })
      const how = { folders: before, isUndo: true }
      const refreshed = await refreshInstalls(installs, roots, new Set(names), request, how)
      return { ...value, commit, ...refreshed }
    })
  return isDryRun ? run([]) : asWriter(installs, roots, 'undo', run, request.signal)
})

/** The undo that a killed command had begun, and that was finished just now: repeating the command must not take it back. */
async function finishedUndo({ repo }: Installs, recovered: readonly Finding[]) {
  if (recovered.length === 0) return undefined
  const { stdout } = await repo.git(['log', '-1', '--format=%H%n%B'])
  const [commit = '', subject, , takesBack = ''] = stdout.split('\n')
  const undone = /^Takes back ([0-9a-f]+)\.$/.exec(takesBack)?.[1]
  return undone !== undefined && recovered.some((each) => each.subject === subject) ? { commit, undone } : undefined
}

async function findCommit(
  { library, repo }: Installs,
  asked: string | undefined,
): Promise<{ commit: string; subject: string }> {
  const named = asked ?? 'HEAD'
  const unknown = failWith('ENTRY_NOT_FOUND/commit', { named: JSON.stringify(named), library })
  if (!/^(?:HEAD|[0-9a-f]{7,64})$/.test(named)) throw unknown
  const before = ['merge-base', '--is-ancestor', named, 'HEAD']
  if ((await repo.git(before, { okCodes: [0, 1, 128] })).code !== 0) throw unknown
  const { stdout } = await repo.git(['log', '-1', '--format=%H %P%n%s', named])
  const [ids = '', subject = ''] = stdout.split('\n')
  const [commit = '', ...parents] = ids.split(' ').filter((id) => id !== '')
  if (asked === undefined) await requireOwn(repo, commit, subject)
  if (parents.length === 1) return { commit, subject }
  const what = parents.length === 0 ? 'is the first commit of the library' : 'is a merge'
  throw failWith('ENTRY_NOT_FOUND/not-undone', { commit: commit.slice(0, 7), what, library })
}

/** Throws if another machine made the commit: the remote has it, and git recorded no commit of it here. */
async function requireOwn(repo: Repository, commit: string, subject: string): Promise<void> {
  const shared = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes']
  if ((await repo.git(shared)).stdout === '') return
  const moves = await repo.git(['log', '--walk-reflogs', '--format=%H %gs', 'HEAD'], {
    okCodes: [0, 128],
  })
  const isOwn = moves.stdout.split('\n').some((line) => line.startsWith(`${commit} commit`))
  if (isOwn) return
  const short = commit.slice(0, 7)
  throw failWith('ENTRY_NOT_FOUND/from-remote', { short, subject: JSON.stringify(subject), path: repo.path })
}

/** The folders of the skills that a commit changed. Throws when it changed anything else. */
async function changedFolders({ library, repo }: Installs, commit: string): Promise<string[]> {
  const list = ['diff-tree', '--no-commit-id', '--name-only', '--no-renames', '-r', '-z', commit]
  const paths = (await repo.git(list)).stdout.split('\0').filter((path) => path !== '')
  const folders = paths.map((path) => /^([^/]+\/[^/]+)\//.exec(path)?.[1] ?? path)
  const other = folders.find((folder) => !folder.startsWith(`${SKILLS_FOLDER}/`))
  if (paths.length > 0 && other === undefined) return [...new Set(folders)].sort()
  const what = other === undefined ? 'changes nothing' : `also changes ${other}, which is not a skill`
  throw failWith('ENTRY_NOT_FOUND/not-skills', { commit: commit.slice(0, 7), what, library })
}

async function requireUnchanged(installs: Installs, commit: string, folder: string, scratch: string, name: string) {
  const { library, repo } = installs
  const then = await checkOutSnapshot({ repo, commit, folder }, scratch, name)
  const now = join(library, folder)
  const hashOf = (place: string | undefined) =>
    place !== undefined && exists(place) ? hashTree(place, listTree(place).files) : undefined
  if (hashOf(then) === hashOf(now)) return
  throw failWith('MERGE_CONFLICT/later', { folder, commit: commit.slice(0, 7), library })
}
