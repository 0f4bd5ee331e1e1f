import type { TargetRoot } from '../../agents/rules/agents.ts'
import type { InstallMarker } from './reconcile.ts'
import type { Placement, PlacementState, PlacementStatus, RegisteredSkill, Skill, SkillStatus } from './skill.ts'

/** A valid skill for tests, with the given changes. */
export function skillOf(changes: Partial<Skill> = {}): Skill {
  return {
    name: 'review',
    description: 'Reviews.',
    tags: [],
    targets: ['claude', 'codex'],
    metadata: {},
    others: {},
    ...changes,
  }
}

export function registeredOf(changes: Partial<Skill> = {}): RegisteredSkill {
  const skill = skillOf(changes)
  return { skill, folder: `skills/${skill.name}`, sourceHash: 'source' }
}

export const CLAUDE: TargetRoot = { path: '/home/.claude/skills', scope: 'user', agents: ['claude'] }
export const CODEX: TargetRoot = { path: '/home/.codex/skills', scope: 'user', agents: ['codex'] }
/** A project's folder that two agents read. */
export const SHARED: TargetRoot = { path: '/project/.agents/skills', scope: 'project', agents: ['amp', 'cursor'] }

export function markerOf(changes: Partial<InstallMarker> = {}): InstallMarker {
  return {
    commit: 'c0ffee1234',
    installedAt: '2026-01-01T00:00:00Z',
    skill: 'review',
    agent: 'claude',
    contentHash: 'content',
    sourceHash: 'source',
    ...changes,
  }
}

/** An install that is equal to the library's skill. */
export function placementOf(changes: Partial<Placement> = {}): Placement {
  return { name: 'review', root: CLAUDE, kind: 'folder', marker: markerOf(), contentHash: 'content', ...changes }
}

export function foundOf(
  state: PlacementState,
  changes: Partial<PlacementStatus> = {},
  placement: Partial<Placement> = {},
): PlacementStatus {
  return { state, placement: placementOf(placement), agent: 'claude', isBehind: false, mayBeEdited: false, ...changes }
}

/** The status of a library skill with these installs. */
export function statusOf(placements: PlacementStatus[] = [], changes: Partial<SkillStatus> = {}): SkillStatus {
  const registered = registeredOf({ name: changes.name ?? 'review' })
  return { name: 'review', state: placements[0]?.state ?? 'inactive', placements, registered, problems: [], ...changes }
}
