import type { TargetRoot } from '../../agents/rules/agents.ts'
import type { InstallMarker } from './marker.ts'
import type { Skill } from './skill.ts'

/** A skill of the library that can be installed. */
export interface RegisteredSkill {
  skill: Skill
  /** Below the library: `skills/<folder>`. */
  folder: string
  sourceHash: string
}

/** What the library holds: skills that work, and folders that do not, with the reason. */
export interface Registry {
  skills: readonly RegisteredSkill[]
  invalid: readonly { name: string; folder: string; problems: string[] }[]
}

/** What stands in a target root under the name of a skill. */
export interface Placement {
  name: string
  root: TargetRoot
  /** Only a folder can be ours. */
  kind: 'folder' | 'file' | 'link'
  /** Whether it holds a SKILL.md. */
  isSkill?: boolean
  /** Absent without our marker file; a problem when there is one that cannot be read. */
  marker?: InstallMarker | { problem: string }
  /** Of what is there now, without the marker. */
  contentHash?: string
  /** What would be there if it were installed now: only asked for markers that carry no hashes. */
  expectedHash?: string
  /** Why the folder could not be read. */
  problem?: string
}

/** In the order in which they ask for attention. */
export const PLACEMENT_STATES = [
  'broken',
  'edited',
  'orphaned',
  'unsupported',
  'outdated',
  'unmanaged',
  'current',
] as const

export type PlacementState = (typeof PLACEMENT_STATES)[number]

export interface PlacementStatus {
  state: PlacementState
  placement: Placement
  /** The agent it was installed for; the first that reads the folder when the marker does not say. */
  agent: string
  /** The library's content differs from what was installed, whatever else is true of it. */
  isBehind: boolean
  /** Nobody can say whether it was edited: treated as if it were. */
  mayBeEdited: boolean
  reason?: string
}

export type SkillState = PlacementState | 'inactive' | 'invalid'

/** A skill with all its placements. */
export interface SkillStatus {
  name: string
  state: SkillState
  placements: PlacementStatus[]
  /** Absent when the library does not have it, or only a broken one. */
  registered?: RegisteredSkill
  problems: string[]
}
