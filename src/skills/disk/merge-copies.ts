import { join } from 'node:path'
import type { Repository } from '../../machine/repository.ts'
import { asFinding, type Finding, LoadoutError } from '../../text/trouble.ts'
import type { Operation, OperationPlan } from '../rules/operations.ts'
import { type PlacementStatus, placeOf, type RegisteredSkill, type SkillStatus } from '../rules/skill.ts'
import { type Build, buildFor } from './build.ts'
import { type EditMerge, mergeEdit } from './merge-edit.ts'
import { skillIn } from './merge-folders.ts'
import { conflictFinding, hasMerge, keepMerge, waitingMerge } from './pending-merge.ts'
import { skillPlace } from './registry.ts'

interface MergeContext {
  library: string
  /** The repository whose history has the base versions. */
  repo: Repository
  statuses: readonly SkillStatus[]
  /** Nothing waits for the user afterwards. */
  isDryRun: boolean
}

/** A copy whose edit conflicts with the change of the library. */
interface Conflict {
  registered: RegisteredSkill
  copy: PlacementStatus
  edit: EditMerge
}

/**
 * Tries the merges of a plan, below `scratch`. Only those without a conflict stay in the plan, with the content to
 * install by the path of the copy. Every other copy stays as it is: a finding says why, and a merge is opened for those
 * that conflict.
 */
export async function mergeCopies(
  context: MergeContext,
  plan: OperationPlan,
  scratch: string,
): Promise<OperationPlan & { merged: ReadonlyMap<string, Build>; conflicting: ReadonlySet<string> }> {
  const { library, repo, statuses } = context
  const merged = new Map<string, Build>()
  const operations: Operation[] = []
  const findings = [...plan.findings]
  const conflicts: Conflict[] = []
  for (const [at, operation] of plan.operations.entries()) {
    const status = operation.kind === 'merge' ? statuses.find(({ name }) => name === operation.skill) : undefined
    const copy = status?.placements.find(({ placement }) => placement.root.path === operation.root)
    if (operation.kind !== 'merge' || status?.registered === undefined || copy === undefined) {
      operations.push(operation)
      continue
    }
    const { registered } = status
    try {
      const folder = skillPlace(library, registered)
      const edit = await mergeEdit({ repo, folder, registered, copy }, join(scratch, `${at}`), false)
      if (edit.merge.conflicts.length > 0) conflicts.push({ registered, copy, edit })
      else {
        const { edit: _, ...place } = operation
        operations.push(edit.isUnchanged ? { ...place, kind: 'refresh', keepsCopy: true } : operation)
        merged.set(placeOf(copy), buildFor(edit.result, skillIn(edit.result, registered.skill), copy.agent))
      }
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      findings.push({ ...asFinding(error), severity: 'error', subject: operation.skill })
    }
  }
  for (const [at, conflict] of conflicts.entries()) {
    const isSame = ({ registered, edit }: Conflict) =>
      registered === conflict.registered && edit.hash === conflict.edit.hash
    // One merge takes in equal edits of several copies.
    const same = conflicts.filter(isSame)
    const finding = conflicts.findIndex(isSame) === at ? openMergeOf(context, conflict, same) : undefined
    if (finding !== undefined) findings.push(finding)
  }
  return { operations, findings, merged, conflicting: new Set(conflicts.map(({ copy }) => placeOf(copy))) }
}

function openMergeOf(context: MergeContext, { registered, edit }: Conflict, same: readonly Conflict[]): Finding {
  const { library, isDryRun } = context
  const { machine } = context.repo
  const { folder, sourceHash, version, skill } = registered
  const { name } = skill
  const places = same.map(({ copy }) => placeOf(copy)).join(' and ')
  const [first] = edit.merge.conflicts
  const why = `${places}: your edit and the change of the library do not merge (${first?.message})`
  const finding = { severity: 'error', code: 'MERGE_CONFLICT', subject: name } as const
  const replace = `loadout equip ${name} --replace takes the library's version, and keeps a copy of the edit`
  if (isDryRun) {
    return { ...finding, message: `${why}; the edit would stay, and a merge would be opened`, hint: replace }
  }
  // A merge goes into the newest version of the library, not into an older one that the catalog has approved.
  if (version !== undefined) return { ...finding, message: `${why}; the edit stays as it is`, hint: replace }
  if (hasMerge(machine, name)) {
    const { message, hint } = waitingMerge(name)
    return { ...finding, message: `${why}; the edit stays as it is: ${message}`, hint }
  }
  const copies = same.map(({ copy: { placement } }) => {
    return { root: placement.root.path, edit: placement.contentHash ?? '' }
  })
  const { sides, source, merge, versions } = edit
  const pending = { skill: name, folder, library, sourceHash, message: `Adopt edits of ${name}`, sides, source, copies }
  const { hint } = conflictFinding(name, keepMerge(machine, pending, merge, versions))
  return { ...finding, message: `${why}; the edit stays as it is`, hint: `${hint}; ${replace}` }
}
