import { join } from 'node:path'
import { exists } from '../../machine/files.ts'
import { HOOKS_MS } from '../../machine/git.ts'
import type { Repository } from '../../machine/repository.ts'
import { shellWord } from '../../text/printable.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'

/** Commits exactly these paths; other staged changes stay staged. Undefined if nothing has changed. */
export async function commitPaths(
  repo: Repository,
  paths: readonly string[],
  message: string,
): Promise<string | undefined> {
  await repo.settings()
  await repo.branch()
  const changes = await readChanges(repo, paths, '--ignored=matching')
  await refuseIgnored(repo, paths, changes)
  const changed = pathsWith(paths, changes, /^(?!!!)/)
  if (changed.length === 0) return undefined
  const before = await readIndex(repo, changed)
  refuseNested(repo.path, changes, before)
  const head = await repo.head()
  try {
    // Without removals that are already staged: git add would not find these paths.
    const unstaged = pathsWith(changed, changes, /^(?:\?\?|.[^ !?])$/)
    if (unstaged.length > 0) await repo.git(['add', '--all', '--', ...unstaged.map(literal)])
    const staged = pathsWith(changed, await readChanges(repo, changed), /^[^ ?]/)
    if (staged.length > 0) await commitOnly(repo, staged, message)
    return staged.length > 0 ? repo.head() : undefined
  } catch (error) {
    const committed = await commitSince(repo, head, changed)
    if (committed !== undefined) return committed
    await restoreIndex(repo, changed, before)
    throw error
  }
}

/** The new commit, if git was killed only after it had made it. */
async function commitSince(repo: Repository, before: string | undefined, paths: readonly string[]) {
  try {
    const head = await repo.head()
    const isDone = head !== before && (await readChanges(repo, paths)).length === 0
    return isDone ? head : undefined
  } catch {
    return undefined
  }
}

/** The paths at or under which something changed. A lookup instead of a search, because there may be many of both. */
function pathsWith(paths: readonly string[], changes: readonly Change[], status: RegExp): string[] {
  const touched = new Set<string>()
  for (const change of changes)
    if (status.test(change.status)) for (const each of withParents(change.path)) touched.add(each)
  return paths.filter((path) => touched.has(path.replace(/\/+$/, '')))
}

/** `a/b/c`, `a/b`, `a` */
function withParents(path: string): string[] {
  const whole = path.replace(/\/+$/, '')
  const found = [whole]
  for (let at = whole.lastIndexOf('/'); at > 0; at = whole.lastIndexOf('/', at - 1)) found.push(whole.slice(0, at))
  return found
}

export function isUnder(path: string, folder: string): boolean {
  const [inner, outer] = [path, folder].map((text) => text.replace(/\/+$/, ''))
  return inner === outer || path.startsWith(`${outer}/`)
}

async function commitOnly(repo: Repository, paths: readonly string[], message: string): Promise<void> {
  const flags = ['--quiet', '--cleanup=whitespace', `--message=${message}`, '--only']
  const settings = await missingIdentity(repo)
  const options = { allowHooks: true, timeoutMs: HOOKS_MS, settings }
  await repo.git(['commit', ...flags, '--', ...paths.map(literal)], options)
}

/** Throws for a path that git ignores. */
async function refuseIgnored(repo: Repository, paths: readonly string[], changes: readonly Change[]) {
  const ignored = changes.filter(({ status }) => status === '!!').map(({ path }) => path)
  if (ignored.length === 0) return
  const seen = new Set(pathsWith(paths, changes, /^(?!!!)/))
  for (const path of paths.filter((each) => !seen.has(each))) {
    const own = ignored.find((each) => isUnder(each, path) || isUnder(path, each))
    if (own === undefined || (await readIndex(repo, [path])).length > 0) continue
    const rule = await ignoreRule(repo, own)
    throw new LoadoutError('GIT_FAILED', `${path} cannot be committed: git ignores it${rule && ` (${rule})`}`, {
      hint: 'change that rule, or turn the automatic commit off',
    })
  }
}

/** Throws for a nested repository: git would record only its commit, and run programs from its settings for that. */
function refuseNested(repo: string, changes: readonly Change[], index: readonly string[]): void {
  const added = changes.filter(({ status, path }) => status === '??' && path.endsWith('/')).map(({ path }) => path)
  const known = index.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1))
  const path = [...added, ...known].find((name) => exists(join(repo, name)))
  if (path === undefined) return
  throw new LoadoutError('GIT_FAILED', `${path} cannot be committed: it is a repository of its own`, {
    hint: `remove ${shellWord(join(repo, path, '.git'))} to keep its files here`,
  })
}

async function ignoreRule(repo: Repository, path: string): Promise<string> {
  const ask = ['check-ignore', '--verbose', '-z', '--stdin']
  const { stdout } = await repo.git(ask, { input: `${path}\0`, okCodes: [0, 1] })
  const [file, line, pattern] = stdout.split('\0')
  return pattern === undefined ? '' : `${file}:${line}: ${pattern}`
}

/** A name and an email address, if git has none configured: without them a commit fails. */
async function missingIdentity(repo: Repository): Promise<string[]> {
  const has = async (key: string) => (await repo.git(['config', key], { okCodes: [0, 1] })).code === 0
  const [name, email] = await Promise.all([has('user.name'), has('user.email')])
  return [
    ...(name ? [] : ['user.name=loadout']),
    ...(email || repo.machine.env.EMAIL ? [] : ['user.email=loadout@localhost']),
  ]
}

/** `mode object stage<TAB>path` for each file of the index at or under these paths. */
async function readIndex(repo: Repository, paths: readonly string[]): Promise<string[]> {
  const { stdout } = await repo.git(['ls-files', '--stage', '-z', '--', ...paths.map(literal)])
  return stdout.split('\0').filter((line) => line !== '')
}

async function restoreIndex(repo: Repository, paths: readonly string[], before: readonly string[]) {
  try {
    const now = await readIndex(repo, paths)
    const removals = now.map((line) => line.replace(/^\d+ ([0-9a-f]+) \d/, (_, id) => `0 ${'0'.repeat(id.length)} 0`))
    const input = [...removals, ...before].map((line) => `${line}\0`).join('')
    await repo.git(['update-index', '-z', '--index-info'], { input })
  } catch {
    // The caller throws the error that made the commit fail.
  }
}

interface Change {
  /** The two letters of git's short status: the index, then the file. */
  status: string
  path: string
}

/** Without rename detection: lists both names of a renamed file. */
export async function readChanges(repo: Repository, paths: readonly string[], ...flags: readonly string[]) {
  const all = ['--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all', ...flags]
  const { stdout } = await repo.git(['status', ...all, '--', ...paths.map(literal)])
  const items = stdout.split('\0').filter((item) => item !== '')
  return items.map((item): Change => ({ status: item.slice(0, 2), path: item.slice(3) }))
}

/** Paths that differ from the last commit, staged or not, including new files. */
export async function uncommittedPaths(repo: Repository, under = 'skills'): Promise<string[]> {
  await repo.settings()
  const changes = await readChanges(repo, under === '' ? [] : [under])
  return changes.map(({ path }) => path).sort(compareText)
}

/** A git pathspec in which no character is special. */
export function literal(path: string): string {
  return `:(literal)${path}`
}
