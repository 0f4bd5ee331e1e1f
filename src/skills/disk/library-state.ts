import { statSync } from 'node:fs'
import { join } from 'node:path'
import { HOOKS_MS, type Patience, runGit } from '../../machine/git.ts'
import { readSafeConfig, refuseUnsafeConfig, type Setting } from '../../machine/git-config.ts'
import { gitFolder } from '../../machine/git-folder.ts'
import type { Machine } from '../../machine/machine.ts'
import { currentBranch, headCommit, refuseOption } from '../../machine/repository.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import type { FastForward, Fetched, Push, RepoState, Upstream } from '../rules/sync-decision.ts'
import { changedPaths, literal } from './library-commit.ts'

/** Offline: what the last fetch brought. */
export async function readRepoState(machine: Machine, repo: string): Promise<RepoState> {
  const config = await readSafeConfig(machine, repo)
  const [branch, head] = await Promise.all([currentBranch(machine, repo), headCommit(machine, repo)])
  const followed = branch === undefined ? undefined : followedBranch(config, branch)
  const remote = chooseRemote(config, followed)
  const [refs, uncommitted] = await Promise.all([
    readRefs(machine, repo, ['refs/heads/', 'refs/remotes/', ...(followed ? [followed.trackingRef] : [])]),
    changedPaths(machine, repo),
  ])
  const upstream = followed && { ...followed, exists: refs.has(followed.trackingRef) }
  const { ahead, behind } = await countCommits(machine, repo, head, upstream, remote)
  const { names: branches } = branchesIn(refs, 'refs/heads/')
  const { names: remoteBranches, head: remoteHead } =
    remote === undefined ? { names: [], head: undefined } : branchesIn(refs, `refs/remotes/${remote}/`)
  const remotes = remoteNames(config)
  return { branch, head, branches, remotes, remote, upstream, ahead, behind, remoteBranches, remoteHead, uncommitted }
}

/** The remote that sync talks to. */
export async function readRemote(machine: Machine, repo: string): Promise<string | undefined> {
  const config = await readSafeConfig(machine, repo)
  const branch = await currentBranch(machine, repo)
  return chooseRemote(config, branch === undefined ? undefined : followedBranch(config, branch))
}

type Followed = Omit<Upstream, 'exists'>

function chooseRemote(config: readonly Setting[], followed: Followed | undefined): string | undefined {
  const remotes = remoteNames(config)
  return followed?.remote ?? (remotes.length === 1 ? remotes[0] : remotes.find((name) => name === 'origin'))
}

/** Only those with an address: the user's own settings may mention remotes this repository does not have. */
function remoteNames(config: readonly Setting[]): string[] {
  const given = config.filter(({ value }) => value !== undefined)
  return [...new Set(given.flatMap(({ key }) => /^remote\.(.+)\.(?:url|pushurl)$/s.exec(key)?.[1] ?? []))]
}

/** Undefined unless the branch follows a branch of a remote that has a name. */
function followedBranch(config: readonly Setting[], branch: string): Followed | undefined {
  const all = (wanted: string) => config.flatMap(({ key, value }) => (key === wanted ? (value ?? []) : []))
  const [remote, mergeRef] = [all(`branch.${branch}.remote`).at(-1), all(`branch.${branch}.merge`).at(-1)]
  if (remote === undefined || mergeRef === undefined || !remoteNames(config).includes(remote)) return undefined
  const mapped = all(`remote.${remote}.fetch`).map((refspec) => mapRef(refspec, mergeRef))
  const byDefault = mergeRef.replace(/^refs\/heads\//, `refs/remotes/${remote}/`)
  return { remote, mergeRef, trackingRef: mapped.find((ref) => ref !== undefined) ?? byDefault }
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

/** Refs below some prefixes, with the ref that each stands for, if it is only another name. */
async function readRefs(machine: Machine, repo: string, prefixes: readonly string[]): Promise<Map<string, string>> {
  const { stdout } = await runGit(machine, repo, ['for-each-ref', '--format=%(refname) %(symref)', '--', ...prefixes])
  const rows = stdout.split('\n').filter((line) => line !== '')
  return new Map(rows.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
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

const NETWORK_MS = 120_000

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
    await fetchOnce(machine, repo, remote, options).catch((error: unknown) => {
      // Another fetch moved the same branch meanwhile; with what it brought, this one succeeds.
      if (!(error instanceof LoadoutError) || !/cannot lock ref|unable to update/.test(error.message)) throw error
      return fetchOnce(machine, repo, remote, options)
    })
    // Which of several branches to start from: the remote knows.
    const isUnborn = (await headCommit(machine, repo)) === undefined
    if (isUnborn) await runGit(machine, repo, ['remote', 'set-head', remote, '--auto'], { ...options, okCodes: ANY })
    return 'ok'
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'GIT_FAILED' || signal?.aborted) throw error
    return { failed: error.message.replace(`git fetch failed in ${repo}: `, '') }
  }
}

function fetchOnce(machine: Machine, repo: string, remote: string, options: Patience) {
  return runGit(machine, repo, ['fetch', '--quiet', '--prune', '--no-recurse-submodules', '--', remote], options)
}

const ANY = [0, 1, 2, 128]

/** When a fetch last succeeded: git writes what it brought, and empties that file before it asks. */
export function lastAsked(repo: string): Date | undefined {
  const stat = statSync(join(gitFolder(repo), 'FETCH_HEAD'), { throwIfNoEntry: false })
  return stat === undefined || stat.size === 0 ? undefined : stat.mtime
}

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
