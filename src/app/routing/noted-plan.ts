import { tokensOf } from '../../domain/routing/loadout-index.ts'
import { type MatchResult, triggerOf } from '../../domain/routing/match.ts'
import type { Machine } from '../../infra/machine.ts'
import { keepTask } from '../usage/kept-task.ts'
import { type NotedEntry, recordTask } from '../usage/record.ts'
import { type PlannedTask, type PlanRequest, planByStrategy, type TaskPlan } from './plan.ts'

/** Plans a task, and notes what the plan names. */
export async function planNoted(machine: Machine, request: PlanRequest): Promise<PlannedTask> {
  const planned = await planByStrategy(machine, request)
  if (request.isRecorded === false) return planned
  const kept = await keepTask(machine, request, planned.value.strategy)
  const steps = [{ stage: 'planned' as const, entries: namedBy(planned.value) }]
  const recorded = recordTask(machine, { task: request.task, kept, steps })
  return { ...planned, findings: [...planned.findings, ...recorded] }
}

/** Everything that a plan would load. */
export function namedBy(plan: TaskPlan): NotedEntry[] {
  return [...plan.preload, ...plan.onDemand].map((match) => noteOf(plan, match, tokensOf(match.entry)))
}

export function noteOf({ sources }: TaskPlan, match: MatchResult, tokens: number): NotedEntry {
  const { entry, mode } = match
  return { id: entry.id, kind: 'payload', trigger: triggerOf(match), mode, tokens, layer: sources[entry.id] }
}
