import type { EditOutcome } from './skill.ts'
import type { RepoState } from './sync-decision.ts'

/** The state of the library relative to its remote, and the age of that knowledge. */
export interface Standing {
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
export interface LibraryStanding extends Standing {
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
}

export function standingOf(state: RepoState, askedAt: Date | undefined): Standing {
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
export function describeStanding({ branch, remote, upstream, behind, askedAt }: Standing, now: Date): string {
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
