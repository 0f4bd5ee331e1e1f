import { listed } from '../../text/count.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, report } from '../../text/trouble.ts'
import type { EditOutcome } from './skill.ts'

/** The upstream of the current branch. */
export interface Upstream {
  remote: string
  /** The branch in the remote: `refs/heads/main`. */
  mergeRef: string
  /** The ref of its last known state: `refs/remotes/origin/main`. */
  trackingRef: string
  /** False when the remote lacks the branch, or it was never fetched. */
  exists: boolean
}

/** The state of the library's repository for sync, read after the fetch. */
export interface RepoState {
  /** Undefined when HEAD is detached. */
  branch: string | undefined
  /** Undefined before the first commit. */
  head: string | undefined
  /** The local branches. */
  branches: string[]
  remotes: string[]
  /** The remote for sync: of the upstream, else the only one, else `origin`. */
  remote: string | undefined
  upstream: Upstream | undefined
  /** Commits that the upstream lacks; without one, commits that no branch of the remote has. */
  ahead: number
  behind: number
  /** Branches of `remote`, by their short names. */
  remoteBranches: string[]
  /** The remote's default branch, if known. */
  remoteHead: string | undefined
  /** Paths under `skills` that differ from the last commit. */
  uncommitted: string[]
}

/** Why a remote did not answer; with a hint, `failed` completes a sentence about the remote. */
interface Failed {
  failed: string
  hint?: string
}

export type Fetched = 'no remote' | 'ok' | Failed

export interface FastForward {
  kind: 'fast-forward'
  trackingRef: string
  /** Unknown if the branch did not follow this one before. */
  commits?: number
  /** Before the first commit: the branch to use, which then follows the same branch of this remote. */
  track?: { branch: string; remote: string }
}

/** `publish` creates the branch on the remote and makes it the upstream. */
export interface Push {
  kind: 'push' | 'publish'
  remote: string
  branch: string
  mergeRef: string
  commits: number
}

export type SyncStep = FastForward | Push

export interface SyncDecision {
  steps: SyncStep[]
  findings: Finding[]
}

/** Decides what sync does with the repository. Sync refreshes the installs afterwards in any case. */
export function decideSync(
  repo: string,
  state: RepoState,
  fetched: Fetched,
  { push }: { push: boolean },
): SyncDecision {
  const { steps, findings } = decideBranch(repo, state, fetched, push)
  return { steps, findings: [...findings, ...uncommittedFinding(repo, state.uncommitted)] }
}

function decideBranch(repo: string, state: RepoState, fetched: Fetched, push: boolean): SyncDecision {
  const { branch, head, upstream } = state
  const findings: Finding[] = []
  if (branch === undefined) {
    const { branches, remoteHead } = state
    const known = [remoteHead, 'main', 'master', branches[0]].find((name) => name && branches.includes(name))
    const hint = known ? git(repo, 'switch', known) : git(repo, 'switch', '--create', 'main')
    findings.push(report('UPSTREAM_MISSING/detached', { hint }))
  }
  if (typeof fetched === 'object') {
    const { remote = 'the remote' } = state
    const { failed, hint } = fetched
    findings.push(
      report(hint === undefined ? 'UNREACHABLE/sync' : 'UNREACHABLE/known', {
        remote,
        failed,
        hint: hint ?? `try ${git(repo, 'fetch', remote)}`,
      }),
    )
  }
  if (findings.length > 0 || branch === undefined || state.remotes.length === 0) return { steps: [], findings }
  if (head === undefined) {
    // There is no local commit yet, so everything on the remote can be taken unchanged.
    const { remote, remoteBranches, remoteHead, upstream, behind } = state
    if (upstream?.exists) {
      return { steps: [{ kind: 'fast-forward', trackingRef: upstream.trackingRef, commits: behind }], findings: [] }
    }
    if (remote === undefined) return { steps: [], findings: [upstreamFinding(repo, state, branch)] }
    if (remoteBranches.length === 0) return { steps: [], findings: [] }
    const only = remoteBranches.length === 1 ? remoteBranches[0] : undefined
    const found = [branch, remoteHead, only].find((name) => name !== undefined && remoteBranches.includes(name))
    if (found === undefined) return { steps: [], findings: [upstreamFinding(repo, state, branch)] }
    const trackingRef = `refs/remotes/${remote}/${found}`
    return {
      steps: [{ kind: 'fast-forward', trackingRef, track: { branch: found, remote } }],
      findings: [],
    }
  }
  if (upstream?.exists) {
    const { ahead, behind } = state
    const { remote, mergeRef, trackingRef } = upstream
    if (ahead > 0 && behind > 0) {
      const other = shortRef(trackingRef)
      return {
        steps: [],
        findings: [
          report('DIVERGED/branch', {
            branch,
            other,
            ahead: commits(ahead),
            behind: commits(behind),
            repo: git(repo, 'rebase', other),
            repo2: git(repo, 'merge', other),
          }),
        ],
      }
    }
    if (behind > 0) return { steps: [{ kind: 'fast-forward', trackingRef, commits: behind }], findings: [] }
    if (ahead === 0) return { steps: [], findings: [] }
    const step: Push = { kind: 'push', remote, branch, mergeRef, commits: ahead }
    return push ? { steps: [step], findings: [] } : { steps: [], findings: [waitingFinding(repo, step)] }
  }
  if (state.remote !== undefined && state.remoteBranches.length === 0) {
    const mergeRef = upstream?.mergeRef ?? `refs/heads/${branch}`
    const step: Push = { kind: 'publish', remote: state.remote, branch, mergeRef, commits: state.ahead }
    return push ? { steps: [step], findings } : { steps: [], findings: [waitingFinding(repo, step)] }
  }
  return { steps: [], findings: [upstreamFinding(repo, state, branch)] }
}

function waitingFinding(repo: string, { kind, remote, branch, mergeRef, commits: count }: Push): Finding {
  const name = shortRef(mergeRef)
  const refspec = name === branch ? branch : `${branch}:${name}`
  const command = git(repo, 'push', ...(kind === 'publish' ? ['--set-upstream'] : []), remote, refspec)
  return report('UNCOMMITTED/commits', {
    count: commits(count),
    branch,
    what: count === 1 ? 'waits' : 'wait',
    remote,
    command,
  })
}

function upstreamFinding(repo: string, state: RepoState, branch: string): Finding {
  const { upstream, remotes, remoteBranches, remoteHead, head } = state
  const remote = state.remote ?? remotes[0] ?? 'origin'
  const other = [branch, remoteHead, remoteBranches[0]].find((name) => name && remoteBranches.includes(name))
  const follow = git(repo, 'branch', `--set-upstream-to=${remote}/${other}`, branch)
  const publish = git(repo, 'push', '--set-upstream', remote, branch)
  const born = other === branch ? follow : other === undefined ? publish : `${publish}, or ${follow}`
  const unborn = other === undefined ? git(repo, 'fetch', remote) : git(repo, 'switch', other)
  const hint = head === undefined ? unborn : born
  if (upstream) {
    return report('UPSTREAM_MISSING/gone', { branch, other: shortRef(upstream.trackingRef), remote, hint })
  }
  if (state.remote === undefined) {
    return report('UPSTREAM_MISSING/several', { branch, remotes: remotes.join(', '), hint })
  }
  return report('UPSTREAM_MISSING/none', { branch, remote, hint })
}

function uncommittedFinding(repo: string, paths: readonly string[]): Finding[] {
  if (paths.length === 0) return []
  return [
    report('UNCOMMITTED/files', {
      paths: listed(paths, 3),
      repo: git(repo, 'add', '--all', 'skills'),
      repo2: git(repo, 'commit'),
    }),
  ]
}

function commits(count: number): string {
  return count === 1 ? '1 commit' : `${count} commits`
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|remotes)\//, '')
}

function git(repo: string, ...args: readonly string[]): string {
  return ['git', '-C', repo, ...args].map(shellWord).join(' ')
}

/** The state of the library relative to its remote, and the age of that knowledge. */
export interface RemoteState {
  branch?: string
  remote?: string
  /** What is wrong with the upstream branch; undefined if it exists. */
  upstream?: 'none' | 'missing'
  /** Files under `skills` that differ from the last commit. */
  dirty: number
  ahead: number
  behind: number
  /** When the remote was last contacted, an ISO time; undefined if not since the library was made or cloned. */
  askedAt?: string
}

/** The state of the library, and what needs a sync or a decision. */
export interface SyncState extends RemoteState {
  library: string
  /** How many skills it has. */
  skills: number
  /** Skills with a managed install. */
  equipped: string[]
  /** Installed copies that differ from the library, without those whose edit stays as it is. */
  drift: number
  /** Copies that were edited by hand, and what the next sync does with them. */
  edited: { skill: string; path: string; edit: EditOutcome; reason: string }[]
  /** Skills with an open merge. */
  merges: string[]
  /** Skills that can act, and that the user has neither allowed nor denied. */
  waiting: string[]
}

export function remoteStateOf(state: RepoState, askedAt: Date | undefined): RemoteState {
  const { branch, remote, ahead, behind, uncommitted, upstream } = state
  const lacks = upstream === undefined ? 'none' : upstream.exists ? undefined : 'missing'
  return {
    branch,
    remote,
    upstream: remote !== undefined && lacks ? lacks : undefined,
    dirty: uncommitted.length,
    ahead: remote === undefined ? 0 : ahead,
    behind,
    askedAt: askedAt?.toISOString(),
  }
}

/** One sentence, which claims only what Loadout has checked. */
export function describeRemote({ branch, remote, upstream, behind, askedAt }: RemoteState, now: Date): string {
  if (remote === undefined) return 'no remote: this machine only'
  if (upstream === 'none')
    return `${branch ?? 'no branch'} follows no branch of ${remote}; loadout sync says what to do`
  const follows = `${branch ?? 'no branch'} follows ${remote}`
  if (askedAt === undefined) return `${follows}; ${remote} was not asked for news yet`
  const when = ago(new Date(askedAt), now)
  if (upstream === 'missing') return `${follows}, which did not have that branch ${when}`
  if (behind > 0) return `${follows}, and was ${behind === 1 ? '1 commit' : `${behind} commits`} behind ${when}`
  return `${follows}, and had all of its commits ${when}`
}

const UNITS: readonly (readonly [seconds: number, one: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** `5 minutes ago` */
export function ago(then: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000)
  const [length, unit] = UNITS.find(([each]) => seconds >= each) ?? []
  if (length === undefined) return 'less than a minute ago'
  const count = Math.floor(seconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}
