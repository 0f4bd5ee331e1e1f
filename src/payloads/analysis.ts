import { resolve } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { type Finding, failWith } from '../text/trouble.ts'
import { tallyLog } from '../usage/usage.ts'
import { type Layers, readIndexAt, readKnowledge } from './knowledge.ts'
import {
  analyzeBudget,
  type BudgetBreakdown,
  type DeadEntry,
  deadEntries,
  findKeywordOverlaps,
  type KeywordOverlap,
} from './rules/analysis.ts'
import type { LoadoutIndex } from './rules/loadout-index.ts'

export interface AnalysisRequest {
  /** An index file; default: the merged layers. */
  index?: string
  /** A usage log; default: the machine's own. */
  log?: string
  layers?: Layers
}

/** Entries that were never loaded, the heaviest first. */
export function findDead(machine: Machine, request: AnalysisRequest): DeadEntry[] {
  const { index, findings } = indexFor(machine, request)
  const { tally, findings: logFindings } = tallyLog(machine, request.log)
  const loaded = new Set(tally.summaries().map(({ entryId }) => entryId))
  machine.report(...findings, ...logFindings)
  return deadEntries(index, loaded)
}

/** Keywords that several entries share. */
export function findOverlaps(machine: Machine, request: AnalysisRequest): KeywordOverlap[] {
  const { index, findings } = indexFor(machine, request)
  machine.report(...findings)
  return findKeywordOverlaps(index)
}

export interface BudgetReport extends BudgetBreakdown {
  /** Tokens per task, estimated and measured. */
  estimatedPerTask: number
  observedPerTask: number | null
  tasks: number
}

/** How the tokens are distributed, and whether the estimate matches the measurement. */
export function reportBudget(machine: Machine, request: AnalysisRequest): BudgetReport {
  const { index, findings } = indexFor(machine, request)
  const ids = new Set(index.entries.map(({ id }) => id))
  const { tally, findings: logFindings } = tallyLog(machine, request.log, ({ entryId }) => ids.has(entryId))
  const value = {
    ...analyzeBudget(index, tally.summaries()),
    estimatedPerTask: index.budget.avg_task_load_est,
    observedPerTask: tally.averagePerTask(),
    tasks: tally.taskCount(),
  }
  machine.report(...findings, ...logFindings)
  return value
}

function indexFor(machine: Machine, request: AnalysisRequest): { index: LoadoutIndex; findings: Finding[] } {
  if (request.index !== undefined) return readIndexAt({ path: resolve(machine.cwd, request.index), root: '' })
  const { merged, layers, findings } = readKnowledge(machine, request.layers)
  if (layers.length > 0) return { index: merged, findings }
  throw failWith('NO_INDEX/because', { what: findings[0] ? `: ${findings[0].message}` : '' })
}
