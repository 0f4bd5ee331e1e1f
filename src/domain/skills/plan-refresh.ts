import { keptEdit, needsAction } from './attention.ts'
import type { OperationPlan } from './operations.ts'
import type { PlacementStatus, RegisteredSkill, SkillStatus } from './placement.ts'
import { type LibraryState, sameCommit } from './reconcile.ts'

/** Brings every managed install up to the library. What is edited is replaced after a copy, or kept if so asked. */
export function planRefresh(
  statuses: readonly SkillStatus[],
  library: LibraryState,
  request: { keepEdits: boolean },
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  for (const status of statuses) {
    for (const found of status.placements) {
      const { root } = found.placement
      const place = { skill: status.name, agent: found.agent, scope: root.scope, root: root.path }
      if (found.state === 'outdated' || (found.state === 'edited' && found.isBehind)) {
        if (found.mayBeEdited && request.keepEdits) plan.findings.push(keptEdit(status.name, found))
        else plan.operations.push({ kind: 'refresh', keepsCopy: found.mayBeEdited, ...place })
      } else if (found.state === 'current' && status.registered && isStale(found, status.registered, library)) {
        plan.operations.push({ kind: 'restamp', contentHash: found.placement.contentHash ?? '', ...place })
      } else if (found.state !== 'current' && found.state !== 'unmanaged') {
        plan.findings.push(needsAction(status.name, found))
      }
    }
  }
  return plan
}

/**
 * The content is right, but the marker names another commit, or has no hashes yet. In a project the commit may lag: a
 * team keeps the markers in its own repository, where a new one for every commit of the library would be noise.
 */
function isStale({ placement }: PlacementStatus, { folder }: RegisteredSkill, library: LibraryState): boolean {
  const marker = placement.marker
  if (marker === undefined || 'problem' in marker) return false
  if (marker.contentHash === undefined) return true
  if (placement.root.scope === 'project') return false
  const isUncommitted = library.uncommittedFolders.has(folder)
  return !sameCommit(marker.commit, library.head ?? '') || (marker.isUncommitted ?? false) !== isUncommitted
}
