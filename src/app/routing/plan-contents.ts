import type { LeftOut } from '../../domain/routing/plan.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import type { Machine } from '../../infra/machine.ts'
import { recordUsage } from '../usage/record.ts'
import { type LoadedPayload, loadPayloads, triggerOf } from './load.ts'
import { type PlanRequest, planByStrategy, type TaskPlan } from './plan.ts'

export interface LoadedPlan extends TaskPlan {
  contents: LoadedPayload[]
}

/** Plans a task, reads what it needs within the budget, and notes what was loaded. */
export async function loadPlan(machine: Machine, request: PlanRequest): Promise<Report<LoadedPlan>> {
  const { value: plan, findings, knowledge } = await planByStrategy(machine, request)
  const matches = [...plan.preload, ...plan.onDemand]
  const loaded = loadPayloads(
    knowledge,
    matches.map(({ entry }) => entry),
    request.budget,
  )
  const entries = loaded.contents.flatMap(({ id, tokens, layer }) => {
    const match = matches.find(({ entry }) => entry.id === id)
    if (match === undefined) return []
    return [{ id, kind: 'payload' as const, trigger: triggerOf(match), mode: match.mode, tokens, layer }]
  })
  const recorded = recordUsage(machine, { task: request.task, stage: 'delivered', entries })
  const value = Object.assign(plan, { contents: loaded.contents })
  return { value, findings: [...findings, ...plan.leftOut.map(leftOutFinding), ...loaded.findings, ...recorded] }
}

function leftOutFinding({ match, reason }: LeftOut): Finding {
  return {
    severity: 'info',
    code: 'LEFT_OUT',
    message: `${match.entry.id} was not loaded: ${reason}`,
    subject: match.entry.id,
  }
}
