import type { Report } from '../domain/shared/finding.ts'
import type { KeywordOverlap } from '../domain/usage/analysis.ts'
import type { Machine } from '../infra/machine.ts'
import { createSample, removeSample } from '../infra/sample-folder.ts'
import { type Explanation, explain } from './routing/explain.ts'
import { rebuildIndex } from './routing/index-build.ts'
import { planTask, type TaskPlan } from './routing/plan.ts'
import { type BudgetReport, findOverlaps, reportBudget } from './usage/analysis.ts'

export interface SampleTour {
  plan: TaskPlan
  /** An entry with two definitions, one of which the task does not need. */
  explanation: Explanation
  overlaps: KeywordOverlap[]
  budget: BudgetReport
  /** Where the sample project is; absent when it was removed again. */
  folder?: string
}

const TASK = 'the release workflow fails when publishing the docs'
const EXPLAINED = 'commit-style'

/** Shows routing at work on a throw-away workspace. Nothing outside a new temporary folder is touched. */
export function showSample(
  machine: Machine,
  { task = TASK, keep = false }: { task?: string | undefined; keep?: boolean | undefined },
): Report<SampleTour> {
  const { folder, sample } = createSample(machine)
  try {
    const tour = walkThrough(sample, task)
    return keep ? { ...tour, value: { ...tour.value, folder: sample.cwd } } : tour
  } finally {
    if (!keep) removeSample(folder)
  }
}

function walkThrough(sample: Machine, task: string): Report<SampleTour> {
  const built = [rebuildIndex(sample, { layer: 'global' }), rebuildIndex(sample, {})]
  const plan = planTask(sample, { task, layers: {} })
  const explanation = explain(sample, { id: EXPLAINED, task, layers: {} })
  const overlaps = findOverlaps(sample, { layers: {} })
  const budget = reportBudget(sample, { layers: {} })
  const value = { plan: plan.value, explanation: explanation.value, overlaps: overlaps.value, budget: budget.value }
  return { value, findings: [...built.flatMap(({ findings }) => findings), ...plan.findings] }
}
