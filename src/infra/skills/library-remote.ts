import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import type { FastForward, Fetched, Push } from '../../domain/skills/sync-decision.ts'
import { HOOKS_MS, type Patience, runGit } from '../git.ts'
import { refuseUnsafeConfig } from '../git-config.ts'
import type { Machine } from '../machine.ts'
import { currentBranch, headCommit, refuseOption } from './library-repo.ts'

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
