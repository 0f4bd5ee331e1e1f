import { mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { exists, isFile, readJson, readText } from '../../machine/files.ts'
import { gitFolder, needsLogin } from '../../machine/git-process.ts'
import { type GitOptions, HOOKS_MS, type Patience, type Repository, type Setting } from '../../machine/repository.ts'
import { shellWord } from '../../text/printable.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { type LibraryState, stateFrom } from '../rules/reconcile.ts'
import { formatSkill, parseSkill, SKILL_FILE, type Skill, withoutSource } from '../rules/skill.ts'
import type { Fetched, Push, RepoState, Upstream } from '../rules/sync-decision.ts'
import type { SkillContent } from './foreign-skill.ts'
import { copyTree, type HashRow, hashContent, hashFile, hashPath, hashRows, listTree } from './tree.ts'

/** The state of the repository as of the last fetch. Does not use the network. */
export async function readRepoState(repo: Repository): Promise<RepoState> {
  const config = await repo.settings()
  const { branch, head, uncommitted, distance } = await readStatus(repo)
  const followed = branch === undefined ? undefined : followedBranch(config, branch)
  const remote = chooseRemote(config, followed)
  const prefixes = ['refs/heads/', 'refs/remotes/', ...(followed ? [followed.trackingRef] : [])]
  // Refs below some prefixes. The value is the target of a symbolic ref, empty for any other.
  const { stdout } = await repo.git(['for-each-ref', '--format=%(refname) %(symref)', '--', ...prefixes])
  const rows = stdout.split('\n').filter((line) => line !== '')
  const refs = new Map(rows.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
  const upstream = followed && { ...followed, exists: refs.has(followed.trackingRef) }
  const isTold = upstream?.exists && distance?.upstream === upstream.trackingRef.replace(/^refs\/remotes\//, '')
  const { ahead, behind } = isTold ? distance : await countCommits(repo, head, upstream, remote)
  const { names: branches } = branchesIn(refs, 'refs/heads/')
  const { names: remoteBranches, head: remoteHead } =
    remote === undefined ? { names: [], head: undefined } : branchesIn(refs, `refs/remotes/${remote}/`)
  const remotes = remoteNames(config)
  return { branch, head, branches, remotes, remote, upstream, ahead, behind, remoteBranches, remoteHead, uncommitted }
}

interface Status extends Pick<RepoState, 'branch' | 'head' | 'uncommitted'> {
  /** How many commits the branch and its upstream are apart, if git knows. */
  distance: { upstream: string; ahead: number; behind: number } | undefined
}

/** The parts of the state that decide about installs. */
export async function readLibraryState(repo: Repository): Promise<LibraryState> {
  const [head, paths] = await Promise.all([repo.head(), uncommittedPaths(repo)])
  return stateFrom(head, paths)
}

/** One call of git instead of four. */
async function readStatus(repo: Repository): Promise<Status> {
  const flags = ['--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all']
  const { stdout } = await repo.git(['status', ...flags, '--', literal('skills')])
  const items = stdout.split('\0').filter((item) => item !== '')
  const header = (key: string) => items.find((item) => item.startsWith(`# ${key} `))?.slice(key.length + 3)
  const [branch, head, upstream] = [header('branch.head'), header('branch.oid'), header('branch.upstream')]
  if (branch !== undefined) repo.refuseOption(branch)
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(header('branch.ab') ?? '') ?? []
  const distance = upstream && ahead && behind ? { upstream, ahead: Number(ahead), behind: Number(behind) } : undefined
  return {
    // A branch may be called "(detached)".
    branch: branch === '(detached)' ? await repo.branch() : branch,
    head: head === '(initial)' ? undefined : head,
    uncommitted: items.flatMap((item) => ENTRY.exec(item)?.[1] ?? []).sort(compareText),
    distance,
  }
}

/** Captures the path of a changed, a conflicting, or a new file. */
const ENTRY = /^(?:1(?: \S+){7}|u(?: \S+){9}|\?) (.+)$/s

/** The remote that sync talks to. */
export async function readRemote(repo: Repository): Promise<string | undefined> {
  const config = await repo.settings()
  const branch = await repo.branch()
  return chooseRemote(config, branch === undefined ? undefined : followedBranch(config, branch))
}

type Followed = Omit<Upstream, 'exists'>

function chooseRemote(config: readonly Setting[], followed: Followed | undefined): string | undefined {
  const remotes = remoteNames(config)
  return followed?.remote ?? (remotes.length === 1 ? remotes[0] : remotes.find((name) => name === 'origin'))
}

/** Only remotes with a URL: the user's own settings may mention remotes that this repository does not have. */
function remoteNames(config: readonly Setting[]): string[] {
  const given = config.filter(({ value }) => value !== undefined)
  return [...new Set(given.flatMap(({ key }) => /^remote\.(.+)\.(?:url|pushurl)$/s.exec(key)?.[1] ?? []))]
}

/** Undefined unless the branch follows a branch of a named remote. */
function followedBranch(config: readonly Setting[], branch: string): Followed | undefined {
  const all = (wanted: string) => config.flatMap(({ key, value }) => (key === wanted ? (value ?? []) : []))
  const [remote, mergeRef] = [all(`branch.${branch}.remote`).at(-1), all(`branch.${branch}.merge`).at(-1)]
  if (remote === undefined || mergeRef === undefined || !remoteNames(config).includes(remote)) return undefined
  const mapped = all(`remote.${remote}.fetch`).map((refspec) => {
    // The local ref that a refspec fetches a remote branch into; undefined if it does not fetch it.
    const [from = '', to = ''] = refspec.replace(/^\+/, '').split(':')
    if (from === mergeRef && to !== '') return to
    const [start = '', end] = from.split('*')
    if (end === undefined || !to.includes('*') || mergeRef.length < start.length + end.length) return undefined
    if (!mergeRef.startsWith(start) || !mergeRef.endsWith(end)) return undefined
    return to.replace('*', () => mergeRef.slice(start.length, mergeRef.length - end.length))
  })
  const byDefault = mergeRef.replace(/^refs\/heads\//, `refs/remotes/${remote}/`)
  return { remote, mergeRef, trackingRef: mapped.find((ref) => ref !== undefined) ?? byDefault }
}

/** The branches with this prefix, and the one that its HEAD names. */
function branchesIn(refs: ReadonlyMap<string, string>, prefix: string) {
  const own = [...refs].filter(([ref, target]) => ref.startsWith(prefix) && target === '')
  const head = refs.get(`${prefix}HEAD`)
  return {
    names: own.map(([ref]) => ref.slice(prefix.length)).sort(compareText),
    head: head?.startsWith(prefix) ? head.slice(prefix.length) : undefined,
  }
}

async function countCommits(
  repo: Repository,
  head: string | undefined,
  upstream: Upstream | undefined,
  remote: string | undefined,
): Promise<{ ahead: number; behind: number }> {
  const count = async (...range: string[]) =>
    (await repo.git(['rev-list', '--count', ...range, '--'])).stdout.trim().split('\t').map(Number)
  const tracking = upstream?.exists ? upstream.trackingRef : undefined
  const [ahead = 0, behind = 0] =
    head === undefined
      ? [0, ...(tracking === undefined ? [] : await count(tracking))]
      : tracking === undefined
        ? await count('HEAD', '--not', ...(remote === undefined ? [] : [`--remotes=${remote}`]))
        : await count('--left-right', `HEAD...${tracking}`)
  return { ahead, behind }
}

/** The number of commits since `fromCommit` that changed a path; undefined if the repository lacks that commit. */
export async function commitsBehind(repo: Repository, fromCommit: string, path: string): Promise<number | undefined> {
  if (!/^[0-9a-f]{7,64}$/.test(fromCommit)) return undefined
  await repo.settings()
  const count = ['rev-list', '--count', `${fromCommit}..HEAD`, '--', literal(path)]
  const { stdout, code } = await repo.git(count, { okCodes: [0, 128] })
  return code === 0 ? Number(stdout) : undefined
}

/** Returns why a remote did not answer. Throws if git is missing, the repository unsafe, or the fetch cancelled. */
export async function fetchRemote(
  repo: Repository,
  remote: string,
  { timeoutMs = 120_000, signal }: Patience = {},
): Promise<Exclude<Fetched, 'no remote'>> {
  const config = await repo.settings()
  repo.refuseOption(remote)
  const hasSshCommand = config.some(({ key }) => key === 'core.sshcommand')
  const options = { timeoutMs, hasSshCommand, signal }
  try {
    await fetchOnce(repo, remote, options).catch((error: unknown) => {
      // Another fetch moved the same branch meanwhile: a second try succeeds.
      if (!(error instanceof LoadoutError) || !/cannot lock ref|unable to update/.test(error.message)) throw error
      return fetchOnce(repo, remote, options)
    })
    // Before the first commit: ask the remote for its default branch.
    // Whether the branch has a commit, read from git's files without running git. False if it cannot tell.
    const folder = gitFolder(repo.path)
    const [, ref] = /^ref: (refs\/heads\/.+)\n$/.exec(readText(join(folder, 'HEAD'))) ?? []
    const isUnborn = !(ref !== undefined && isFile(join(folder, ref))) && (await repo.head()) === undefined
    if (isUnborn) await repo.git(['remote', 'set-head', remote, '--auto'], { ...options, okCodes: [0, 1, 2, 128] })
    return 'ok'
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'GIT_FAILED' || signal?.aborted) throw error
    const reason = error.message.replace(`git fetch failed in ${repo.path}: `, '')
    if (!needsLogin(reason)) return { failed: reason }
    return { failed: 'asks for a login: it is private now, or gone', hint: error.hint }
  }
}

function fetchOnce(repo: Repository, remote: string, options: GitOptions) {
  return repo.git(['fetch', '--quiet', '--prune', '--no-recurse-submodules', '--', remote], options)
}

/** The time of the last successful fetch: git empties FETCH_HEAD before a fetch and writes it afterwards. */
export function lastAsked(repo: string): Date | undefined {
  const stat = statSync(join(gitFolder(repo), 'FETCH_HEAD'), { throwIfNoEntry: false })
  return stat === undefined || stat.size === 0 ? undefined : stat.mtime
}

/** Pushes one branch, without force. */
export async function pushBranch(
  repo: Repository,
  { kind, remote, branch, mergeRef }: Omit<Push, 'commits'>,
  { timeoutMs = HOOKS_MS, signal }: Patience = {},
): Promise<void> {
  await repo.settings()
  repo.refuseOption(remote)
  const flags = ['--quiet', '--no-follow-tags', '--recurse-submodules=no', ...(kind === 'publish' ? ['-u'] : [])]
  const refspec = `refs/heads/${branch}:${mergeRef}`
  const options = { allowHooks: true, timeoutMs, signal }
  await repo.git(['push', ...flags, '--', remote, refspec], options)
}

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
    if (staged.length > 0) {
      const flags = ['--quiet', '--cleanup=whitespace', `--message=${message}`, '--only']
      // A name and an email address, if git has none configured: without them a commit fails.
      const has = async (key: string) => (await repo.git(['config', key], { okCodes: [0, 1] })).code === 0
      const [name, email] = await Promise.all([has('user.name'), has('user.email')])
      const settings = [
        ...(name ? [] : ['user.name=loadout']),
        ...(email || repo.machine.env.EMAIL ? [] : ['user.email=loadout@localhost']),
      ]
      const options = { allowHooks: true, timeoutMs: HOOKS_MS, settings }
      await repo.git(['commit', ...flags, '--', ...staged.map(literal)], options)
    }
    return staged.length > 0 ? repo.head() : undefined
  } catch (error) {
    const committed = await commitSince(repo, head, changed)
    if (committed !== undefined) return committed
    try {
      const now = await readIndex(repo, changed)
      const removals = now.map((line) => line.replace(/^\d+ ([0-9a-f]+) \d/, (_, id) => `0 ${'0'.repeat(id.length)} 0`))
      const input = [...removals, ...before].map((line) => `${line}\0`).join('')
      await repo.git(['update-index', '-z', '--index-info'], { input })
    } catch {
      // The caller throws the error that made the commit fail.
    }
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
    if (status.test(change.status)) {
      // `a/b/c`, `a/b`, `a`
      const whole = change.path.replace(/\/+$/, '')
      const found = [whole]
      for (let at = whole.lastIndexOf('/'); at > 0; at = whole.lastIndexOf('/', at - 1)) found.push(whole.slice(0, at))
      for (const each of found) touched.add(each)
    }
  return paths.filter((path) => touched.has(path.replace(/\/+$/, '')))
}

export function isUnder(path: string, folder: string): boolean {
  const [inner, outer] = [path, folder].map((text) => text.replace(/\/+$/, ''))
  return inner === outer || path.startsWith(`${outer}/`)
}

/** Throws for a path that git ignores. */
async function refuseIgnored(repo: Repository, paths: readonly string[], changes: readonly Change[]) {
  const ignored = changes.filter(({ status }) => status === '!!').map(({ path }) => path)
  if (ignored.length === 0) return
  const seen = new Set(pathsWith(paths, changes, /^(?!!!)/))
  for (const path of paths.filter((each) => !seen.has(each))) {
    const own = ignored.find((each) => isUnder(each, path) || isUnder(path, each))
    if (own === undefined || (await readIndex(repo, [path])).length > 0) continue
    const ask = ['check-ignore', '--verbose', '-z', '--stdin']
    const { stdout } = await repo.git(ask, { input: `${own}\0`, okCodes: [0, 1] })
    const [file, line, pattern] = stdout.split('\0')
    const rule = pattern === undefined ? '' : `${file}:${line}: ${pattern}`
    throw failWith('GIT_FAILED/ignored', { path, rule: rule && ` (${rule})` })
  }
}

/** Throws for a nested repository: git would record only its commit, and run programs from its settings for that. */
function refuseNested(repo: string, changes: readonly Change[], index: readonly string[]): void {
  const added = changes.filter(({ status, path }) => status === '??' && path.endsWith('/')).map(({ path }) => path)
  const known = index.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1))
  const path = [...added, ...known].find((name) => exists(join(repo, name)))
  if (path === undefined) return
  throw failWith('GIT_FAILED/nested', { path, repo: shellWord(join(repo, path, '.git')) })
}

/** `mode object stage<TAB>path` for each file of the index at or under these paths. */
async function readIndex(repo: Repository, paths: readonly string[]): Promise<string[]> {
  const { stdout } = await repo.git(['ls-files', '--stage', '-z', '--', ...paths.map(literal)])
  return stdout.split('\0').filter((line) => line !== '')
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

/** The last commit of each file of a folder: its id, author, day and subject. */
export async function lastCommits(repo: Repository, folder: string): Promise<Map<string, string>> {
  const format = '--format=%x00%h by %an, %as: %s'
  const list = ['log', format, '--name-only', '--no-renames', '--max-count=1000', '--', literal(folder)]
  const { stdout } = await repo.git(list, { okCodes: [0, 128] })
  const found = new Map<string, string>()
  for (const part of stdout.split('\0').slice(1)) {
    const [said = '', ...paths] = part.split('\n').filter((line) => line !== '')
    for (const path of paths) {
      const inside = path.slice(folder.length + 1)
      if (!found.has(inside)) found.set(inside, said)
    }
  }
  return found
}

/** Without filters and other settings of the user: git neither changes a foreign file nor a byte of a diff. */
const NO_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_SYSTEM: undefined,
}

/** A folder of a repository at a commit. An empty `folder` is the whole repository. */
export interface Snapshot {
  repo: Repository
  /** A commit id, its parent (`<id>^`), or `HEAD`. */
  commit: string
  folder: string
  /** A foreign repository without a work tree. */
  isForeign?: boolean
}

/**
 * Writes a snapshot below `scratch`, a temporary folder of the caller, and returns its path. Does not change the index
 * or the files of the repository. Undefined if the commit or the folder does not exist.
 */
export async function checkOutSnapshot(
  { repo, commit, folder, isForeign = false }: Snapshot,
  scratch: string,
  name: string,
): Promise<string | undefined> {
  if (!/^(?:HEAD|[0-9a-f]{7,64}\^?)$/.test(commit)) return undefined
  const target = join(scratch, name)
  mkdirSync(target)
  const foreign = { ...NO_SETTINGS, GIT_DIR: repo.path, GIT_WORK_TREE: target, GIT_ATTR_NOSYSTEM: '1' }
  const env = { GIT_INDEX_FILE: join(scratch, `${name}.index`), ...(isForeign ? foreign : {}) }
  const settings = isForeign ? ['core.attributesFile=/dev/null', 'core.autocrlf=false'] : []
  const git = (args: readonly string[], okCodes = [0]) => repo.git(args, { env, settings, okCodes })
  if ((await git(['read-tree', commit], [0, 128])).code !== 0) {
    if ((await git(['cat-file', '-e', `${commit}^{tree}`], [0, 1, 128])).code !== 0) return undefined
    // It is there: the error says what else is wrong, for example a full disk.
    await git(['read-tree', commit])
  }
  const paths = folder === '' ? [] : [literal(folder)]
  const { stdout } = await git(['ls-files', '-z', '--', ...paths])
  if (stdout === '') return undefined
  const write = ['checkout-index', '--force', '-z', '--stdin', `--prefix=${target}/`]
  await repo.git(write, { env, settings, input: stdout })
  return join(target, folder)
}

/** The diff of two folders in `parent`, below the name of their skill. `parent` is a folder outside of any repository. */
export async function diffFolders(
  parent: Repository,
  a: string,
  b: string,
  skill?: string,
  more: readonly string[] = [],
): Promise<string> {
  const names = skill === undefined ? ['--no-prefix'] : [`--src-prefix=${skill}/`, `--dst-prefix=${skill}/`]
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', ...names, '--no-renames', ...more]
  const { stdout } = await parent.git(['diff', ...flags, '--', a, b], {
    okCodes: [0, 1],
    env: NO_SETTINGS,
    settings: ['core.attributesFile=/dev/null'],
  })
  return stdout
}

/** The diff of two versions of a skill, under its name. A missing version counts as empty. */
export async function diffSkillFolders(
  scratch: Repository,
  skill: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  for (const [side, folder] of [['before', before] as const, ['after', after] as const]) {
    const target = join(scratch.path, side, skill)
    if (folder === undefined) mkdirSync(target, { recursive: true })
    else copyTree(folder, target)
  }
  return diffFolders(scratch, 'before', 'after')
}

/** What turns one folder into another, for `applyPatch`; an absent folder is empty. `scratch` is outside of any repository. */
export async function patchBetween(
  scratch: Repository,
  skill: string,
  before: string | undefined,
  after: string,
): Promise<string> {
  const [a, b] = ['before', 'after'].map((name) => join(scratch.path, name)) as [string, string]
  if (before === undefined) mkdirSync(a)
  else copyTree(before, a)
  copyTree(after, b)
  return diffFolders(scratch, 'before', 'after', skill, ['--binary', '--full-index'])
}

/** Applies a patch of another machine to the files of a folder; false if it does not fit. Git refuses paths that leave it. */
export async function applyPatch(folder: Repository, patch: string): Promise<boolean> {
  const env = { ...NO_SETTINGS, GIT_CEILING_DIRECTORIES: dirname(folder.path) }
  const { code } = await folder.git(['apply', '-p2', '--whitespace=nowarn', '-'], {
    env,
    input: patch,
    okCodes: [0, 1, 128],
  })
  return code === 0
}

/** The hash of a skill in its form for the library, without the record of its source. */
export function libraryHash({ skill, document, files }: SkillContent): string {
  const copied = files.map(({ path, folder, isExecutable }): HashRow => {
    return [path, isExecutable, hashFile(folder, { path, kind: 'file' })]
  })
  return hashRows([...copied, [DOCUMENT_FILE, false, hashContent(document)], skillRow(skill)])
}

/** The `libraryHash` of a folder; undefined unless it is a skill. */
export function libraryHashOf(folder: string, name: string): string | undefined {
  const { files } = listTree(folder)
  if (!files.some(({ path }) => path === SKILL_FILE)) return undefined
  const { skill } = parseSkill(readJson(join(folder, SKILL_FILE)), name)
  if (skill === undefined) return undefined
  const rows = files.flatMap((file): HashRow[] =>
    file.path === SKILL_FILE ? [] : [[file.path, file.isExecutable, hashFile(folder, file)]],
  )
  return hashRows([...rows, skillRow(skill)])
}

function skillRow(skill: Skill): HashRow {
  return [SKILL_FILE, false, hashContent(formatSkill(withoutSource(skill)))]
}

/** What to look for in the history of a library's folder. */
export interface Wanted {
  /** Tried first. */
  commit?: string
  /** The hash of the folder: `sourceHash` of a marker, or `libraryHash`. */
  hash: string
  kind: 'source' | 'library'
}

/**
 * Finds the version of a folder with a given hash, and writes it below `scratch`; undefined if no commit has it. The
 * recorded commit alone is not enough: files may have been installed or imported before they were committed.
 */
export async function findInHistory(
  repo: Repository,
  folder: string,
  wanted: Wanted,
  scratch: string,
): Promise<string | undefined> {
  await repo.settings()
  // Enough history for any merge. Each commit costs a call of git.
  const list = ['log', '--format=%H', '--max-count=200', '--', literal(folder)]
  const { stdout, code } = await repo.git(list, { okCodes: [0, 128] })
  const commits = code === 0 ? stdout.split('\n').filter((line) => line !== '') : []
  const hashOf = (path: string) => (wanted.kind === 'library' ? libraryHashOf(path, basename(folder)) : hashPath(path))
  for (const [at, commit] of new Set([...(wanted.commit ? [wanted.commit] : []), ...commits]).entries()) {
    const found = await checkOutSnapshot({ repo, commit, folder }, scratch, `history-${at}`)
    if (found !== undefined && hashOf(found) === wanted.hash) return found
  }
  return undefined
}
