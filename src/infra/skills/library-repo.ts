import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { compareText } from '../../domain/shared/order.ts'
import {
  type FastForward,
  type Fetched,
  type Push,
  type RepoState,
  shellWord,
  type Upstream,
} from '../../domain/skills/sync-decision.ts'
import { asLoadoutError, exists, isFolder, readText } from '../files.ts'
import { type GitOptions, isUnsafeUrl, refuseUnsafeConfig, runGit, withoutPassword } from '../git.ts'
import type { Machine } from '../machine.ts'

/** What can be said about a call that may take long. */
export type Patience = Pick<GitOptions, 'signal' | 'timeoutMs'>

const NETWORK_MS = 120_000
const CLONE_MS = 30 * 60_000
const HOOKS_MS = 10 * 60_000

/** The folder itself must be the root of a repository with files; one that merely lies inside another is refused. */
export async function requireRepository(machine: Machine, folder: string): Promise<void> {
  gitFolder(folder)
  await refuseUnsafeConfig(machine, folder)
  const top = await workingRoot(machine, folder)
  if (realpathSync(top) !== realpathSync(folder)) throw notARepository(folder, `its files are in ${top}`)
}

async function workingRoot(machine: Machine, folder: string): Promise<string> {
  try {
    return (await runGit(machine, folder, ['rev-parse', '--show-toplevel'])).stdout.replace(/\n$/, '')
  } catch (error) {
    const message = error instanceof LoadoutError ? error.message : ''
    if (message.includes('must be run in a work tree'))
      throw notARepository(folder, 'it has no files of its own (bare)')
    if (message.includes('not a git repository')) throw notARepository(folder, 'its .git is incomplete')
    throw error
  }
}

/** Where git keeps its own files: `.git`, or what a `.git` file of a worktree leads to. */
export function gitFolder(repo: string): string {
  if (!isFolder(repo)) throw notARepository(repo, 'there is no such folder')
  const path = join(repo, '.git')
  if (!exists(path)) throw notARepository(repo, 'it has no .git')
  if (isFolder(path)) return path
  const target = /^gitdir: (.+)$/m.exec(readText(path, 65_536))?.[1]
  const folder = target === undefined ? undefined : resolve(repo, target)
  if (folder === undefined || !isFolder(folder)) throw notARepository(repo, 'its .git leads nowhere')
  return folder
}

function notARepository(folder: string, problem: string): LoadoutError {
  return new LoadoutError('REPO_NOT_FOUND', `${folder} is not a git repository: ${problem}`, {
    hint: 'loadout init --repo <folder>, --clone <url> or --new <folder> chooses the library',
  })
}

/** Undefined before the first commit. */
export async function headCommit(machine: Machine, repo: string): Promise<string | undefined> {
  return resolveRef(machine, repo, 'HEAD')
}

async function resolveRef(machine: Machine, repo: string, ref: string): Promise<string | undefined> {
  const { stdout } = await runGit(machine, repo, ['rev-parse', '--quiet', '--verify', ref], { okCodes: [0, 1] })
  return stdout.trim() || undefined
}

export async function initRepository(machine: Machine, folder: string): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw asLoadoutError(error, folder, 'write')
  }
  await runGit(machine, folder, ['init', '--quiet', '--template=', '--initial-branch=main'])
}

export interface CloneOptions extends Patience {
  depth?: number
  /** Each line of git's progress. */
  onProgress?: (line: string) => void
}

/** All or nothing: when it fails, the folder is as it was. The remote may be empty. */
export async function cloneRepository(
  machine: Machine,
  url: string,
  folder: string,
  options: CloneOptions = {},
): Promise<void> {
  const { depth, onProgress, signal, timeoutMs = CLONE_MS } = options
  const source = cloneSource(machine, url)
  const target = resolve(machine.cwd, folder)
  const wasThere = exists(target)
  if (wasThere && (!isFolder(target) || readdirSync(target).length > 0)) {
    throw new LoadoutError('FILE_EXISTS', `${target} exists already and is not empty`, { hint: 'name a new folder' })
  }
  const flags = ['--template=', '--no-recurse-submodules', '--no-local', onProgress ? '--progress' : '--quiet']
  if (depth !== undefined) flags.push(`--depth=${depth}`)
  try {
    mkdirSync(dirname(target), { recursive: true })
    await runGit(machine, dirname(target), ['clone', ...flags, '--', source, target], {
      timeoutMs,
      ...(signal && { signal }),
      ...(onProgress && { onLine: onProgress }),
    })
  } catch (error) {
    for (const name of isFolder(target) ? readdirSync(target) : []) {
      rmSync(join(target, name), { recursive: true, force: true })
    }
    if (!wasThere) rmSync(target, { recursive: true, force: true })
    throw asLoadoutError(error, target, 'write')
  }
}

/** A relative path is seen from the working folder, as it was typed there. */
function cloneSource(machine: Machine, url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  const isKnown = scheme === undefined || /^(?:file|git|https?|ssh|git\+ssh|ssh\+git)$/.test(scheme)
  if (url === '' || isUnsafeUrl(url) || !isKnown) {
    throw new LoadoutError('GIT_UNSAFE', `${withoutPassword(url) || 'an empty URL'} is no address to clone from`, {
      hint: 'use a path, or a URL with https or ssh',
    })
  }
  const isRemote = scheme !== undefined || /^[^/]+:/.test(url)
  return isRemote || isAbsolute(url) ? url : resolve(machine.cwd, url)
}

/** Offline: what the last fetch brought. */
export async function readRepoState(machine: Machine, repo: string): Promise<RepoState> {
  await refuseUnsafeConfig(machine, repo)
  const config = await readBranchConfig(machine, repo)
  const remotes = remoteNames(config)
  const [branch, head, { names: branches }] = await Promise.all([
    currentBranch(machine, repo),
    headCommit(machine, repo),
    readBranches(machine, repo, 'refs/heads/'),
  ])
  const upstream = branch === undefined ? undefined : await readUpstream(machine, repo, config, branch)
  const remote = upstream?.remote ?? (remotes.length === 1 ? remotes[0] : remotes.find((name) => name === 'origin'))
  const [remoteOnes, counts, uncommitted] = await Promise.all([
    remote === undefined ? { names: [], head: undefined } : readBranches(machine, repo, `refs/remotes/${remote}/`),
    countCommits(machine, repo, head, upstream, remote),
    uncommittedPaths(machine, repo),
  ])
  const { names: remoteBranches, head: remoteHead } = remoteOnes
  return { branch, head, branches, remotes, remote, upstream, ...counts, remoteBranches, remoteHead, uncommitted }
}

async function currentBranch(machine: Machine, repo: string): Promise<string | undefined> {
  const { stdout } = await runGit(machine, repo, ['symbolic-ref', '--quiet', 'HEAD'], { okCodes: [0, 1] })
  const branch = /^refs\/heads\/(.+)\n$/.exec(stdout)?.[1]
  if (branch !== undefined) refuseOption(repo, branch)
  return branch
}

function refuseOption(repo: string, name: string): void {
  if (!name.startsWith('-')) return
  throw new LoadoutError('GIT_UNSAFE', `the name ${name} in ${repo} would be read as an option`, {
    hint: 'give the branch or the remote another name',
  })
}

type BranchConfig = readonly (readonly [key: string, value: string])[]

async function readBranchConfig(machine: Machine, repo: string): Promise<BranchConfig> {
  const pattern = '^(remote\\..*\\.(url|pushurl|fetch)|branch\\..*\\.(remote|merge))$'
  const { stdout } = await runGit(machine, repo, ['config', '-z', '--get-regexp', pattern], { okCodes: [0, 1] })
  return stdout.split('\0').flatMap((item) => {
    const end = item.indexOf('\n')
    return end < 0 ? [] : [[item.slice(0, end), item.slice(end + 1)] as const]
  })
}

/** Only those with an address: the user's own settings may mention remotes this repository does not have. */
function remoteNames(config: BranchConfig): string[] {
  const names = config.flatMap(([key]) => /^remote\.(.+)\.(?:url|pushurl)$/s.exec(key)?.[1] ?? [])
  return [...new Set(names)]
}

/** Undefined unless the branch follows a branch of a remote that has a name. */
async function readUpstream(
  machine: Machine,
  repo: string,
  config: BranchConfig,
  branch: string,
): Promise<Upstream | undefined> {
  const last = (wanted: string) => config.findLast(([key]) => key === wanted)?.[1]
  const [remote, mergeRef] = [last(`branch.${branch}.remote`), last(`branch.${branch}.merge`)]
  if (remote === undefined || mergeRef === undefined || !remoteNames(config).includes(remote)) return undefined
  const refspecs = config.filter(([key]) => key === `remote.${remote}.fetch`).map(([, value]) => value)
  const trackingRef =
    refspecs.map((refspec) => mapRef(refspec, mergeRef)).find((ref) => ref !== undefined) ??
    mergeRef.replace(/^refs\/heads\//, `refs/remotes/${remote}/`)
  return { remote, mergeRef, trackingRef, exists: (await resolveRef(machine, repo, trackingRef)) !== undefined }
}

/** Where a refspec puts a branch of the remote, if it fetches it. */
function mapRef(refspec: string, ref: string): string | undefined {
  const [from = '', to = ''] = refspec.replace(/^\+/, '').split(':')
  if (from === ref && to !== '') return to
  const [start = '', end] = from.split('*')
  if (end === undefined || !to.includes('*') || ref.length < start.length + end.length) return undefined
  if (!ref.startsWith(start) || !ref.endsWith(end)) return undefined
  return to.replace('*', () => ref.slice(start.length, ref.length - end.length))
}

/** The branches with this prefix, and the one that its HEAD names. */
async function readBranches(machine: Machine, repo: string, prefix: string) {
  const { stdout } = await runGit(machine, repo, ['for-each-ref', '--format=%(refname) %(symref)', '--', prefix])
  const rows = stdout.split('\n').map((line) => line.split(' '))
  const refs = rows.flatMap(([ref = '', target]) => (ref.startsWith(prefix) && !target ? [ref] : []))
  const head = rows.find(([ref]) => ref === `${prefix}HEAD`)?.[1]
  return {
    names: refs.map((ref) => ref.slice(prefix.length)).sort(compareText),
    head: head?.startsWith(prefix) ? head.slice(prefix.length) : undefined,
  }
}

async function countCommits(
  machine: Machine,
  repo: string,
  head: string | undefined,
  upstream: Upstream | undefined,
  remote: string | undefined,
): Promise<{ ahead: number; behind: number }> {
  const count = async (...range: string[]) =>
    (await runGit(machine, repo, ['rev-list', '--count', ...range, '--'])).stdout.trim().split('\t').map(Number)
  const tracking = upstream?.exists ? upstream.trackingRef : undefined
  const [ahead = 0, behind = 0] =
    head === undefined
      ? [0, ...(tracking === undefined ? [] : await count(tracking))]
      : tracking === undefined
        ? await count('HEAD', '--not', ...(remote === undefined ? [] : [`--remotes=${remote}`]))
        : await count('--left-right', `HEAD...${tracking}`)
  return { ahead, behind }
}

/** A remote that does not answer is an answer. A missing git, an unsafe repository or a cancellation is not. */
export async function fetchRemote(
  machine: Machine,
  repo: string,
  remote: string,
  { timeoutMs = NETWORK_MS, signal }: Patience = {},
): Promise<Exclude<Fetched, 'no remote'>> {
  await refuseUnsafeConfig(machine, repo)
  refuseOption(repo, remote)
  const options = { timeoutMs, ...(signal && { signal }) }
  try {
    await runGit(machine, repo, ['fetch', '--quiet', '--prune', '--no-recurse-submodules', '--', remote], options)
    // Which of several branches to start from: the remote knows.
    const isUnborn = (await headCommit(machine, repo)) === undefined
    if (isUnborn) await runGit(machine, repo, ['remote', 'set-head', remote, '--auto'], { ...options, okCodes: ANY })
    return 'ok'
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'GIT_FAILED' || signal?.aborted) throw error
    return { failed: error.message.replace(`git fetch failed in ${repo}: `, '') }
  }
}

const ANY = [0, 1, 2, 128]

/** Moves the branch forward and never aside. Files that are in the way, even ignored ones, stop it. */
export async function fastForward(machine: Machine, repo: string, { trackingRef, track }: FastForward): Promise<void> {
  await refuseUnsafeConfig(machine, repo)
  const branch = await currentBranch(machine, repo)
  if ((await headCommit(machine, repo)) === undefined) {
    return startBranch(machine, repo, track?.branch ?? branch ?? 'main', trackingRef)
  }
  const flags = ['--quiet', '--ff-only', '--no-squash', '--commit', '--no-overwrite-ignore', '--no-stat']
  await runGit(machine, repo, ['merge', ...flags, '--', trackingRef])
}

/** Before the first commit a branch is only a name, which may change. Not with git merge: it overwrites ignored files. */
async function startBranch(machine: Machine, repo: string, branch: string, trackingRef: string): Promise<void> {
  refuseOption(repo, branch)
  const flags = ['--quiet', '--no-overwrite-ignore', '--no-recurse-submodules', '--track']
  await runGit(machine, repo, ['checkout', ...flags, '-b', branch, trackingRef, '--'])
}

/** A plain push of one branch; the remote decides, and nothing is forced. */
export async function pushBranch(
  machine: Machine,
  repo: string,
  { kind, remote, branch, mergeRef }: Omit<Push, 'commits'>,
  { timeoutMs = HOOKS_MS, signal }: Patience = {},
): Promise<void> {
  await refuseUnsafeConfig(machine, repo)
  refuseOption(repo, remote)
  const flags = ['--quiet', '--no-follow-tags', '--recurse-submodules=no', ...(kind === 'publish' ? ['-u'] : [])]
  const refspec = `refs/heads/${branch}:${mergeRef}`
  const options = { allowHooks: true, timeoutMs, ...(signal && { signal }) }
  await runGit(machine, repo, ['push', ...flags, '--', remote, refspec], options)
}

interface Change {
  /** Of the index, then of the file, as git's short status has them. */
  status: string
  path: string
}

/** Without rename detection: both names of a renamed file are listed. */
async function readChanges(machine: Machine, repo: string, paths: readonly string[], ...flags: readonly string[]) {
  const all = ['--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all', ...flags]
  const { stdout } = await runGit(machine, repo, ['status', ...all, '--', ...paths.map(literal)])
  const items = stdout.split('\0').filter((item) => item !== '')
  return items.map((item): Change => ({ status: item.slice(0, 2), path: item.slice(3) }))
}

/** What differs from the last commit, staged or not, new files included. */
export async function uncommittedPaths(machine: Machine, repo: string, under = 'skills'): Promise<string[]> {
  await refuseUnsafeConfig(machine, repo)
  const changes = await readChanges(machine, repo, under === '' ? [] : [under])
  return changes.map(({ path }) => path).sort(compareText)
}

/** Odd characters in a path are part of its name. */
function literal(path: string): string {
  return `:(literal)${path}`
}

function isUnder(path: string, folder: string): boolean {
  const [inner, outer] = [path, folder].map((text) => text.replace(/\/+$/, ''))
  return inner === outer || path.startsWith(`${outer}/`)
}

/** Commits these paths as they are on disk and nothing else; what else is staged stays so. Undefined: no change. */
export async function commitPaths(
  machine: Machine,
  repo: string,
  paths: readonly string[],
  message: string,
): Promise<string | undefined> {
  await refuseUnsafeConfig(machine, repo)
  await currentBranch(machine, repo)
  const changes = await readChanges(machine, repo, paths, '--ignored=matching')
  await refuseIgnored(machine, repo, paths, changes)
  const changed = pathsWith(paths, changes, /^(?!!!)/)
  if (changed.length === 0) return undefined
  const before = await readIndex(machine, repo, changed)
  refuseNested(repo, changes, before)
  try {
    // Not those whose removal is staged already: git add would not find them.
    const unstaged = pathsWith(changed, changes, /^(?:\?\?|.[^ !?])$/)
    if (unstaged.length > 0) await runGit(machine, repo, ['add', '--all', '--', ...unstaged.map(literal)])
    const staged = pathsWith(changed, await readChanges(machine, repo, changed), /^[^ ?]/)
    if (staged.length > 0) await commitOnly(machine, repo, staged, message)
    return staged.length > 0 ? headCommit(machine, repo) : undefined
  } catch (error) {
    await restoreIndex(machine, repo, changed, before)
    throw error
  }
}

function pathsWith(paths: readonly string[], changes: readonly Change[], status: RegExp): string[] {
  const found = changes.filter((change) => status.test(change.status))
  return paths.filter((path) => found.some((change) => isUnder(change.path, path)))
}

async function commitOnly(machine: Machine, repo: string, paths: readonly string[], message: string): Promise<void> {
  const flags = ['--quiet', '--cleanup=whitespace', `--message=${message}`, '--only']
  const settings = await missingIdentity(machine, repo)
  const options = { allowHooks: true, timeoutMs: HOOKS_MS, settings }
  await runGit(machine, repo, ['commit', ...flags, '--', ...paths.map(literal)], options)
}

/** A path that is there, but that git was told not to see. */
async function refuseIgnored(machine: Machine, repo: string, paths: readonly string[], changes: readonly Change[]) {
  for (const path of paths) {
    const own = changes.filter((change) => isUnder(change.path, path) || isUnder(path, change.path))
    const [ignored] = own
    if (ignored === undefined || own.some(({ status }) => status !== '!!')) continue
    if ((await readIndex(machine, repo, [path])).length > 0) continue
    const rule = await ignoreRule(machine, repo, ignored.path)
    throw new LoadoutError('GIT_FAILED', `${path} cannot be committed: git ignores it${rule && ` (${rule})`}`, {
      hint: 'change that rule, or turn the automatic commit off',
    })
  }
}

/** Git would record only which commit it is at, and would run what its settings name to find out. */
function refuseNested(repo: string, changes: readonly Change[], index: readonly string[]): void {
  const added = changes.filter(({ status, path }) => status === '??' && path.endsWith('/')).map(({ path }) => path)
  const known = index.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1))
  const path = [...added, ...known].find((name) => exists(join(repo, name)))
  if (path === undefined) return
  throw new LoadoutError('GIT_FAILED', `${path} cannot be committed: it is a repository of its own`, {
    hint: `remove ${shellWord(join(repo, path, '.git'))} to keep its files here`,
  })
}

async function ignoreRule(machine: Machine, repo: string, path: string): Promise<string> {
  const ask = ['check-ignore', '--verbose', '-z', '--stdin']
  const { stdout } = await runGit(machine, repo, ask, { input: `${path}\0`, okCodes: [0, 1] })
  const [file, line, pattern] = stdout.split('\0')
  return pattern === undefined ? '' : `${file}:${line}: ${pattern}`
}

/** Names that git has nowhere, so that a commit does not fail for want of them. */
async function missingIdentity(machine: Machine, repo: string): Promise<string[]> {
  const has = async (key: string) => (await runGit(machine, repo, ['config', key], { okCodes: [0, 1] })).code === 0
  const [name, email] = await Promise.all([has('user.name'), has('user.email')])
  return [
    ...(name ? [] : ['user.name=loadout']),
    ...(email || machine.env.EMAIL ? [] : ['user.email=loadout@localhost']),
  ]
}

/** `mode object stage<TAB>path` for each file the index has there. */
async function readIndex(machine: Machine, repo: string, paths: readonly string[]): Promise<string[]> {
  const { stdout } = await runGit(machine, repo, ['ls-files', '--stage', '-z', '--', ...paths.map(literal)])
  return stdout.split('\0').filter((line) => line !== '')
}

async function restoreIndex(machine: Machine, repo: string, paths: readonly string[], before: readonly string[]) {
  try {
    const now = await readIndex(machine, repo, paths)
    const removals = now.map((line) => line.replace(/^\d+ ([0-9a-f]+) \d/, (_, id) => `0 ${'0'.repeat(id.length)} 0`))
    const input = [...removals, ...before].map((line) => `${line}\0`).join('')
    await runGit(machine, repo, ['update-index', '-z', '--index-info'], { input })
  } catch {
    // What made the commit fail is what the user has to know.
  }
}

/** How many commits since then touched a path. Undefined when the repository does not know that commit. */
export async function commitsBehind(
  machine: Machine,
  repo: string,
  fromCommit: string,
  path: string,
): Promise<number | undefined> {
  if (!/^[0-9a-f]{7,64}$/.test(fromCommit)) return undefined
  await refuseUnsafeConfig(machine, repo)
  const count = ['rev-list', '--count', `${fromCommit}..HEAD`, '--', literal(path)]
  const { stdout, code } = await runGit(machine, repo, count, { okCodes: [0, 128] })
  return code === 0 ? Number(stdout) : undefined
}

// Nobody's settings may change a byte of it.
const NO_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_SYSTEM: undefined,
}

/** The difference between two folders beside each other, under their own names. `parent` lies in no repository. */
export async function diffFolders(machine: Machine, parent: string, a: string, b: string): Promise<string> {
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-prefix', '--no-renames']
  const { stdout } = await runGit(machine, parent, ['diff', ...flags, '--', a, b], {
    okCodes: [0, 1],
    env: NO_SETTINGS,
    settings: ['core.attributesFile=/dev/null'],
  })
  return stdout
}

/** `2.39.5` */
export async function gitVersion(machine: Machine): Promise<string> {
  const { stdout } = await runGit(machine, '/', ['version'])
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
}
