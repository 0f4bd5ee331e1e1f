import type { LeftOut } from '../../domain/routing/plan.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import type { Machine } from '../../infra/machine.ts'
import { keepTask } from '../usage/kept-task.ts'
import { recordTask } from '../usage/record.ts'
import { type LoadedPayload, loadPayloads } from './load.ts'
import { namedBy, noteOf } from './noted-plan.ts'
import { type PlanRequest, planByStrategy, type TaskPlan } from './plan.ts'

export interface LoadedPlan extends TaskPlan {
  contents: LoadedPayload[]
}

/** Plans a task, reads what it needs within the budget, and notes what was planned and what was loaded. */
export async function loadPlan(machine: Machine, request: PlanRequest): Promise<Report<LoadedPlan>> {
  const { value: plan, findings, knowledge } = await planByStrategy(machine, request)
  const matches = [...plan.preload, ...plan.onDemand]
  const loaded = loadPayloads(
    knowledge,
    matches.map(({ entry }) => entry),
    request.budget,
  )
  const recorded = request.isRecorded === false ? [] : await recordLoaded(machine, request, plan, loaded.contents)
  const value = Object.assign(plan, { contents: loaded.contents })
  return { value, findings: [...findings, ...plan.leftOut.map(leftOutFinding), ...loaded.findings, ...recorded] }
}

async function recordLoaded(
  machine: Machine,
  request: PlanRequest,
  plan: TaskPlan,
  contents: readonly LoadedPayload[],
): Promise<Finding[]> {
  const matches = new Map([...plan.preload, ...plan.onDemand].map((match) => [match.entry.id, match]))
  const delivered = contents.flatMap(({ id, tokens }) => {
    const match = matches.get(id)
    return match === undefined ? [] : [noteOf(plan, match, tokens)]
  })
  const kept = await keepTask(machine, request, plan.strategy)
  return recordTask(machine, {
    task: request.task,
    kept,
    steps: [
      { stage: 'planned', entries: namedBy(plan) },
      { stage: 'delivered', entries: delivered },
    ],
  })
}

function leftOutFinding({ match, reason }: LeftOut): Finding {
  return {
    severity: 'info',
    code: 'LEFT_OUT',
    message: `${match.entry.id} was not loaded: ${reason}`,
    subject: match.entry.id,
  }
}
