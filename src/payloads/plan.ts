import type { Machine } from '../machine/machine.ts'
import { realFolder } from '../machine/open-project.ts'
import type { Strategy } from '../search/document.ts'
import type { Task } from '../search/task.ts'
import { setOwn } from '../text/values.ts'
import { keepTask, type RecordedEntry, recordTask } from '../usage/record.ts'
import { type Knowledge, type Layers, openKnowledge, projectOf } from './knowledge.ts'
import { type LoadoutEntry, type Phase, tokensOf } from './rules/loadout-index.ts'
import { type MatchResult, triggerOf } from './rules/match.ts'
import {
  type LoadPlan,
  restOf,
  type Selection,
  type SelectionRules,
  selectEntries,
  selectMatches,
} from './rules/plan.ts'

export interface PlanRequest extends SelectionRules {
  task: string
  /** Default: all layers in their usual places. */
  layers?: Layers
  /** Whether the caller reads the lists of entries that are not loaded. */
  listsAll?: boolean
  strategy?: Strategy
  /** Default: true. False for a preview, which must leave no trace. */
  isRecorded?: boolean
}

/** A plan, and the totals to compare it with. */
export interface TaskPlan extends LoadPlan {
  task: string
  strategy: Strategy
  knownEntries: number
  knownTokens: number
  manualCount: number
  /** Whether the request asked for the lists of entries that are not loaded. */
  listsAll: boolean
  /** Entry id → layer, for the entries of the plan; `provenance` has all of them. */
  sources: Record<string, string>
}

/** A plan by the requested strategy, or by that of the project's settings. */
export async function planByStrategy(machine: Machine, request: PlanRequest, task: string | Task = request.task) {
  if (strategyOf(machine, request) === 'keywords') return planTask(machine, request)
  const knowledge = openKnowledge(machine, request.layers)
  const rules = { ...request, lazyLoad: knowledge.lazyLoad }
  if (knowledge.table.size === 0) {
    return describePlan(knowledge, planOf(knowledge, selectMatches([], rules)), { ...request, strategy: 'ranked' })
  }
  const { rankPayloads, rankTask } = await import('./payload-source.ts')
  const ranking = rankPayloads(machine, knowledge)
  const selection = selectMatches(rankTask(knowledge, ranking, task), rules)
  selection.findings.push(...ranking.findings)
  return describePlan(knowledge, planOf(knowledge, selection), { ...request, strategy: 'ranked' })
}

export function strategyOf(machine: Machine, request: Pick<PlanRequest, 'strategy' | 'layers'>): Strategy {
  return request.strategy ?? projectOf(machine, request.layers)?.settings.routing.strategy ?? 'ranked'
}

export function planTask(machine: Machine, request: PlanRequest): PlannedTask {
  const knowledge = openKnowledge(machine, request.layers)
  return describePlan(knowledge, planWith(knowledge, request.task, request), request)
}

export interface PlannedTask {
  value: TaskPlan
  knowledge: Knowledge
}

function describePlan(knowledge: Knowledge, plan: LoadPlan, request: PlanRequest): PlannedTask {
  const { table, budget, manualCount } = knowledge
  const value: TaskPlan = Object.assign(plan, {
    task: request.task,
    strategy: request.strategy ?? 'keywords',
    knownEntries: table.size,
    knownTokens: budget.always_loaded_est + budget.on_demand_total_est,
    manualCount,
    listsAll: request.listsAll ?? false,
    sources: sourcesOf(plan, knowledge),
  })
  return { value, knowledge }
}

function sourcesOf(plan: LoadPlan, knowledge: Knowledge): Record<string, string> {
  const sources: Record<string, string> = {}
  const matches = [...plan.preload, ...plan.onDemand, ...plan.leftOut.map(({ match }) => match)]
  for (const { entry } of matches) setOwn(sources, entry.id, knowledge.layerOf(entry))
  return sources
}

/**
 * The plan of a task. The lists of everything that is *not* loaded are built when first read: on a large index they
 * cost far more than the plan itself.
 */
export function planWith(
  knowledge: Knowledge,
  task: string,
  rules: SelectionRules,
  give?: (entry: LoadoutEntry) => LoadoutEntry,
): LoadPlan {
  return planOf(knowledge, selectEntries(task, knowledge.table, { ...rules, lazyLoad: knowledge.lazyLoad }), give)
}

function planOf(knowledge: Knowledge, selection: Selection, give?: (entry: LoadoutEntry) => LoadoutEntry): LoadPlan {
  const { table, layerNames, budget, conflicts } = knowledge
  let rest: ReturnType<typeof restOf> | undefined
  let provenance: Record<string, string> | undefined
  const getRest = () => {
    rest ??= restOf(table, selection, give)
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
      provenance ??= { ...knowledge.provenance }
      return provenance
    },
    roots: rootsOf(knowledge),
    budget,
    conflicts,
    layerNames,
  }
}

function rootsOf({ places, layerNames }: Knowledge): Record<string, string> {
  const used = places.filter(({ name }) => layerNames.includes(name))
  return Object.fromEntries(used.map(({ name, root }) => [name, root]))
}

/** Plans a task, and records the entries of the plan. */
export async function planAndRecord(machine: Machine, request: PlanRequest): Promise<TaskPlan> {
  const { value: plan } = await planByStrategy(machine, request)
  machine.report(...plan.findings)
  if (request.isRecorded === false) return plan
  const kept = await keepTask(machine, request.task, () => planTerms(machine, request, plan.strategy))
  const steps = [{ stage: 'planned' as const, entries: namedBy(plan) }]
  const project = projectOf(machine, request.layers)
  machine.report(...recordTask(machine, { task: request.task, kept, project, steps }))
  return plan
}

/** The options of a plan: what is needed, besides the words of the task, to plan it again. */
export interface PlanTerms {
  /** The folder whose project layer was used. */
  project?: string
  /** Default: by keywords. */
  strategy?: Strategy
  phase?: Phase
  budget?: number
  /** Maximum number of matched entries. */
  most?: number
  /** Without the entries that are always loaded: the conversation already has them. */
  withoutCore?: true
}

export function planTerms(
  machine: Machine,
  request: Pick<PlanRequest, 'layers' | 'phase' | 'budget'> & Pick<PlanTerms, 'most' | 'withoutCore'>,
  strategy: Strategy,
): PlanTerms {
  const { layers, phase, budget, most, withoutCore } = request
  const project = projectOf(machine, layers)
  return {
    project: project && realFolder(machine, project.root),
    strategy: strategy === 'keywords' ? undefined : strategy,
    phase,
    budget,
    most,
    withoutCore,
  }
}

/** Everything that a plan would load. */
export function namedBy(plan: TaskPlan): RecordedEntry[] {
  return [...plan.preload, ...plan.onDemand].map((match) => noteOf(plan, match, tokensOf(match.entry)))
}

export function noteOf({ sources }: TaskPlan, match: MatchResult, tokens: number): RecordedEntry {
  const { entry, mode } = match
  return { id: entry.id, kind: 'payload', trigger: triggerOf(match), mode, tokens, layer: sources[entry.id] }
}
