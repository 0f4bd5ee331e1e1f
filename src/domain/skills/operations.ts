import type { Finding } from '../shared/finding.ts'
import type { InstallMarker } from './marker.ts'
import type { RegisteredSkill, Scope } from './placement.ts'
import type { LibraryState } from './reconcile.ts'

/** One thing to do in a target root. A list of them is a plan: it can be printed, and it can be applied. */
export type Operation = {
  skill: string
  agent: string
  scope: Scope
  root: string
} & (
  | { kind: 'install' }
  /** `keepsCopy`: it may hold edits, so a copy goes to the backup folder first. */
  | { kind: 'refresh'; keepsCopy: boolean }
  | { kind: 'remove'; keepsCopy: boolean }
  /** The content is as it should be; only the marker is written anew. */
  | { kind: 'restamp'; contentHash: string }
  /** A folder of the user's, equal to what would be installed or just imported, becomes ours. */
  | { kind: 'adopt' }
  /** A change that was interrupted is finished or undone: always the first thing that a command does. */
  | { kind: 'recover' }
)

export interface OperationPlan {
  operations: Operation[]
  findings: Finding[]
}

/** What a new marker says. */
export function markerFor(
  registered: RegisteredSkill,
  agent: string,
  contentHash: string,
  library: LibraryState,
  now: Date,
): InstallMarker {
  return {
    commit: library.head ?? '',
    installedAt: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    skill: registered.skill.name,
    agent,
    contentHash,
    sourceHash: registered.sourceHash,
    ...(library.uncommittedFolders.has(registered.folder) ? { isUncommitted: true as const } : {}),
  }
}
