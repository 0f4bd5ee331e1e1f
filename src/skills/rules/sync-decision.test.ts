import { describe, expect, it } from 'vitest'
import { decideSync, type Fetched, type RepoState, type SyncDecision } from './sync-decision.ts'

const REPO = '/lib'
const MAIN = { remote: 'origin', mergeRef: 'refs/heads/main', trackingRef: 'refs/remotes/origin/main', exists: true }
const EVEN: RepoState = {
  branch: 'main',
  head: 'abc',
  branches: ['main'],
  remotes: ['origin'],
  remote: 'origin',
  upstream: MAIN,
  ahead: 0,
  behind: 0,
  remoteBranches: ['main'],
  remoteHead: 'main',
  uncommitted: [],
}
const NO_REMOTE = { remotes: [], remote: undefined, upstream: undefined, remoteBranches: [], remoteHead: undefined }
const EMPTY = { remoteBranches: [], remoteHead: undefined, upstream: { ...MAIN, exists: false } }
const UNBORN = { head: undefined, upstream: { ...MAIN, exists: false } }
const UNREACHABLE = { failed: 'Connection refused' }

interface Row {
  state: Partial<RepoState>
  fetched?: Fetched
  push?: boolean
  /** Each step as one line. */
  steps?: string[]
  /** Each finding as `severity CODE: message → hint`. */
  findings?: string[]
}

const rows: Record<string, Row> = {
  'no remote': { state: { ...NO_REMOTE, ahead: 3 }, fetched: 'no remote', push: true },
  'even with the remote': { state: {}, push: true },
  'remote unreachable': {
    state: { behind: 2, ahead: 1 },
    fetched: UNREACHABLE,
    push: true,
    findings: [
      'error UNREACHABLE: origin could not be reached: Connection refused → ' +
        'try git -C /lib fetch origin; Loadout used the local library',
    ],
  },
  behind: { state: { behind: 2 }, steps: ['fast-forward 2 to refs/remotes/origin/main'] },
  'behind with uncommitted changes': {
    state: { behind: 1, uncommitted: ['skills/a/SKILL.md'] },
    steps: ['fast-forward 1 to refs/remotes/origin/main'],
    findings: [
      'warning UNCOMMITTED: not committed in the library: skills/a/SKILL.md → ' +
        'git -C /lib add --all skills && git -C /lib commit',
    ],
  },
  'many uncommitted changes': {
    state: { uncommitted: ['skills/a', 'skills/b', 'skills/c', 'skills/d', 'skills/e'] },
    findings: [
      'warning UNCOMMITTED: not committed in the library: skills/a, skills/b, skills/c and 2 more → ' +
        'git -C /lib add --all skills && git -C /lib commit',
    ],
  },
  'ahead by one, no push': {
    state: { ahead: 1 },
    findings: [
      'info UNCOMMITTED: 1 commit on main waits to be pushed to origin → ' +
        'loadout sync --push, or git -C /lib push origin main',
    ],
  },
  'ahead by three of a branch with another name, no push': {
    state: { ahead: 3, upstream: { ...MAIN, mergeRef: 'refs/heads/trunk' } },
    findings: [
      'info UNCOMMITTED: 3 commits on main wait to be pushed to origin → ' +
        'loadout sync --push, or git -C /lib push origin main:trunk',
    ],
  },
  'ahead, push': { state: { ahead: 2 }, push: true, steps: ['push 2 main to origin refs/heads/main'] },
  'ahead of a remote that is not origin, push': {
    state: { ahead: 2, remote: 'team', remotes: ['origin', 'team'], upstream: { ...MAIN, remote: 'team' } },
    push: true,
    steps: ['push 2 main to team refs/heads/main'],
  },
  diverged: {
    state: { ahead: 1, behind: 2 },
    push: true,
    findings: [
      'error DIVERGED: main and origin/main have diverged: 1 commit here, 2 commits there → ' +
        'git -C /lib rebase origin/main (or git -C /lib merge origin/main), then sync again',
    ],
  },
  'empty remote, local commits, no push': {
    state: { ...EMPTY, ahead: 4 },
    findings: [
      'info UNCOMMITTED: 4 commits on main wait to be pushed to origin → ' +
        'loadout sync --push, or git -C /lib push --set-upstream origin main',
    ],
  },
  'empty remote, local commits, push': {
    state: { ...EMPTY, ahead: 4, remote: 'team', upstream: { ...MAIN, remote: 'team', exists: false } },
    push: true,
    steps: ['publish 4 main to team refs/heads/main'],
  },
  'empty remote that the branch does not follow, push': {
    state: { ...EMPTY, ahead: 1, remotes: ['team'], remote: 'team', upstream: undefined },
    push: true,
    steps: ['publish 1 main to team refs/heads/main'],
  },
  'cloned when empty, still empty': { state: { ...EMPTY, head: undefined }, push: true },
  'cloned when empty, remote has the same branch': {
    state: { head: undefined, behind: 3 },
    steps: ['fast-forward 3 to refs/remotes/origin/main'],
  },
  'cloned when empty, remote has only another branch': {
    state: { ...UNBORN, remoteBranches: ['trunk'], remoteHead: undefined },
    steps: ['fast-forward to refs/remotes/origin/trunk, on trunk of origin'],
  },
  'cloned when empty, remote has several branches and a default': {
    state: { ...UNBORN, remoteBranches: ['dev', 'trunk'], remoteHead: 'trunk' },
    steps: ['fast-forward to refs/remotes/origin/trunk, on trunk of origin'],
  },
  'cloned when empty, remote has several branches and no default': {
    state: { ...UNBORN, remoteBranches: ['dev', 'trunk'], remoteHead: undefined },
    findings: [
      'error UPSTREAM_MISSING: main follows origin/main, which does not exist on origin → git -C /lib switch dev',
    ],
  },
  'nothing committed, follows nothing, remote has the branch': {
    state: { head: undefined, upstream: undefined },
    steps: ['fast-forward to refs/remotes/origin/main, on main of origin'],
  },
  'nothing committed, several remotes': {
    state: { head: undefined, upstream: undefined, remote: undefined, remotes: ['a', 'b'], remoteBranches: [] },
    fetched: 'no remote',
    findings: [
      'error UPSTREAM_MISSING: main follows no remote branch, and there are several remotes: a, b → ' +
        'git -C /lib fetch a',
    ],
  },
  'upstream missing, remote has the branch': {
    state: { upstream: undefined },
    findings: [
      'error UPSTREAM_MISSING: main follows no branch of origin → ' +
        'git -C /lib branch --set-upstream-to=origin/main main',
    ],
  },
  'upstream missing, remote lacks the branch': {
    state: { upstream: undefined, branch: 'mine' },
    push: true,
    findings: [
      'error UPSTREAM_MISSING: mine follows no branch of origin → git -C /lib push --set-upstream origin mine, ' +
        'or git -C /lib branch --set-upstream-to=origin/main mine',
    ],
  },
  'upstream missing, several remotes': {
    state: { upstream: undefined, remote: undefined, remotes: ['a', 'b'], remoteBranches: [] },
    fetched: 'no remote',
    findings: [
      'error UPSTREAM_MISSING: main follows no remote branch, and there are several remotes: a, b → ' +
        'git -C /lib push --set-upstream a main',
    ],
  },
  'upstream stale': {
    state: { upstream: { ...MAIN, exists: false }, remoteBranches: ['trunk'], remoteHead: 'trunk', ahead: 1 },
    push: true,
    findings: [
      'error UPSTREAM_MISSING: main follows origin/main, which does not exist on origin → ' +
        'git -C /lib push --set-upstream origin main, or git -C /lib branch --set-upstream-to=origin/trunk main',
    ],
  },
  'detached HEAD': {
    state: { branch: undefined, upstream: undefined },
    push: true,
    findings: [
      'error UPSTREAM_MISSING: the library is on no branch (detached HEAD), so nothing can be pulled or pushed → ' +
        'git -C /lib switch main',
    ],
  },
  'detached HEAD, other branches': {
    state: { branch: undefined, upstream: undefined, branches: ['master', 'old'] },
    findings: [
      'error UPSTREAM_MISSING: the library is on no branch (detached HEAD), so nothing can be pulled or pushed → ' +
        'git -C /lib switch master',
    ],
  },
  'detached HEAD, no branch, no remote': {
    state: { ...NO_REMOTE, branch: undefined, branches: [] },
    fetched: 'no remote',
    findings: [
      'error UPSTREAM_MISSING: the library is on no branch (detached HEAD), so nothing can be pulled or pushed → ' +
        'git -C /lib switch --create main',
    ],
  },
  'detached HEAD and remote unreachable': {
    state: { branch: undefined, upstream: undefined },
    fetched: UNREACHABLE,
    findings: [
      'error UPSTREAM_MISSING: the library is on no branch (detached HEAD), so nothing can be pulled or pushed → ' +
        'git -C /lib switch main',
      'error UNREACHABLE: origin could not be reached: Connection refused → ' +
        'try git -C /lib fetch origin; Loadout used the local library',
    ],
  },
}

describe('what sync does with the repository', () => {
  it.each(Object.entries(rows))('%s', (_, { state, fetched = 'ok', push = false, steps = [], findings = [] }) => {
    const decision = decideSync(REPO, { ...EVEN, ...state }, fetched, { push })
    expect(stepLines(decision)).toEqual(steps)
    expect(decision.findings.map((f) => `${f.severity} ${f.code}: ${f.message} → ${f.hint}`)).toEqual(findings)
  })
})

function stepLines({ steps }: SyncDecision): string[] {
  return steps.map((step) => {
    if (step.kind !== 'fast-forward') {
      return `${step.kind} ${step.commits} ${step.branch} to ${step.remote} ${step.mergeRef}`
    }
    const track = step.track ? `, on ${step.track.branch} of ${step.track.remote}` : ''
    return `fast-forward${step.commits === undefined ? '' : ` ${step.commits}`} to ${step.trackingRef}${track}`
  })
}
