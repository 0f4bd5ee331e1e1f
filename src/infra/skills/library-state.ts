import { compareText } from '../../domain/shared/order.ts'
import type { RepoState, Upstream } from '../../domain/skills/sync-decision.ts'
import { runGit } from '../git.ts'
import { refuseUnsafeConfig } from '../git-config.ts'
import type { Machine } from '../machine.ts'
import { literal, uncommittedPaths } from './library-changes.ts'
import { currentBranch, headCommit, resolveRef } from './library-repo.ts'

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
