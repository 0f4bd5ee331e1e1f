import { type LoadPlan, restOf, type SelectionRules, selectEntries } from '../../domain/routing/plan.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { setOwn } from '../../domain/shared/record.ts'
import type { ResolveOptions } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { type Knowledge, openStoredKnowledge } from './knowledge.ts'

export interface PlanRequest extends SelectionRules {
  task: string
  layers: ResolveOptions
}

/** A plan, and the numbers that put it in proportion. */
export interface TaskPlan extends LoadPlan {
  task: string
  knownEntries: number
  knownTokens: number
  manualCount: number
  /** Entry id → layer, for what the plan names; `provenance` has them all. */
  sources: Record<string, string>
}

export function planTask(machine: Machine, request: PlanRequest): Report<TaskPlan> & { knowledge: Knowledge } {
  const knowledge = openStoredKnowledge(machine, request.layers)
  const plan = planWith(knowledge, request.task, request)
  const { table, budget, manualCount } = knowledge
  const value: TaskPlan = Object.assign(plan, {
    task: request.task,
    knownEntries: table.size,
    knownTokens: budget.always_loaded_est + budget.on_demand_total_est,
    manualCount,
    sources: sourcesOf(plan, knowledge),
  })
  return { value, findings: value.findings, knowledge }
}

function sourcesOf(plan: LoadPlan, knowledge: Knowledge): Record<string, string> {
  const sources: Record<string, string> = {}
  const matches = [...plan.preload, ...plan.onDemand, ...plan.leftOut.map(({ match }) => match)]
  for (const { entry } of matches) setOwn(sources, entry.id, knowledge.layerOf(entry))
  return sources
}

/**
 * The plan of a task. The lists of everything that is *not* loaded are made when they are first read: on a large index
 * they cost far more than the plan itself.
 */
export function planWith(knowledge: Knowledge, task: string, rules: SelectionRules): LoadPlan {
  const { table, layerNames, budget, conflicts } = knowledge
  const selection = selectEntries(task, table, { ...rules, lazyLoad: knowledge.lazyLoad })
  let rest: ReturnType<typeof restOf> | undefined
  const getRest = () => {
    rest ??= restOf(table, selection)
    return rest
  }
  return {
    ...selection,
    findings: [...knowledge.findings, ...selection.findings],
    get manual() {
      return getRest().manual
    },
    get unmatched() {
      return getRest().unmatched
    },
    get provenance() {
      return knowledge.provenance()
    },
    budget,
    conflicts,
    layerNames,
  }
}
