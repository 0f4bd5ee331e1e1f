import type { TargetRoot } from '../../agents/rules/agents.ts'
import type { Profile } from '../../agents/rules/config.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { keptEdit } from './attention.ts'
import {
  catalogFindings,
  type EquipRequest,
  indexStatuses,
  type OperationPlan,
  planEquip,
  planUnequip,
  type StatusIndex,
} from './operations.ts'
import { isEdited, type SkillStatus } from './skill.ts'

/** Equips every skill of a profile for its agents. Reports what is not possible, and does the rest. */
export function planProfile(
  statuses: readonly SkillStatus[],
  profile: Profile,
  roots: readonly TargetRoot[],
  isExact: boolean,
): OperationPlan {
  const plan: OperationPlan = { operations: [], findings: [] }
  const byName = indexStatuses(statuses)
  const refused = statuses.filter(({ name, refusal }) => refusal !== undefined && Object.hasOwn(profile, name))
  plan.findings.push(...catalogFindings(refused).map((finding) => ({ ...finding, severity: 'error' as const })))
  for (const [name, agents] of Object.entries(profile)) {
    if (byName.get(name)?.refusal !== undefined) continue
    const wanted = roots.filter((root) => root.agents.some((id) => agents.includes(id)))
    // Without a folder, the agents are disabled; whether the skill supports them does not matter.
    const isExplicit = wanted.length > 0
    const found = attemptEquip(statuses, { names: [name], agents, roots: wanted, isExplicit }, byName)
    plan.operations.push(...found.operations)
    plan.findings.push(...found.findings, ...disabledIn(name, agents, roots))
  }
  if (!isExact) return plan
  for (const status of statuses) {
    const { name, placements } = status
    const others = placements.filter(({ agent, state }) => !profile[name]?.includes(agent) && state !== 'unmanaged')
    plan.findings.push(...others.filter(isEdited).map((found) => keptEdit(name, found)))
    const extra = others.filter((found) => !isEdited(found))
    const { operations, findings } = planUnequip([status], {
      names: extra.length > 0 ? [name] : [],
      agents: undefined,
      roots: extra.map(({ placement }) => placement.root),
      isExplicit: false,
      isKnown: () => true,
    })
    plan.operations.push(...operations)
    plan.findings.push(...findings)
  }
  return plan
}

function attemptEquip(statuses: readonly SkillStatus[], request: EquipRequest, byName: StatusIndex): OperationPlan {
  try {
    return planEquip(statuses, request, byName)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    return { operations: [], findings: [{ severity: 'error', code, message, hint }] }
  }
}

function disabledIn(name: string, agents: readonly string[], roots: readonly TargetRoot[]): Finding[] {
  const disabled = agents.filter((id) => !roots.some((root) => root.agents.includes(id)))
  if (disabled.length === 0) return []
  const message = `${name} was not equipped for ${disabled.join(', ')}: not enabled on this machine`
  const hint = `loadout agents enable ${disabled.join(' ')}`
  return [{ severity: 'warning', code: 'TARGET_DISABLED', message, subject: name, hint }]
}
