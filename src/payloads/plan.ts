import type { Machine } from '../machine/machine.ts'
import type { Strategy } from '../search/document.ts'
import type { Task } from '../search/task.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { fitInto, getOwn, setOwn } from '../text/values.ts'
import { keepTask, type RecordedEntry, recordTask } from '../usage/record.ts'
import { type Knowledge, type Layers, openKnowledge, openPayload, type PlacedEntry, projectOf } from './knowledge.ts'
import { type LoadoutEntry, type Phase, tokensOf } from './rules/loadout-index.ts'
import { type MatchResult, triggerOf } from './rules/match.ts'
import { type LoadPlan, type Selection, type SelectionRules, selectMatches } from './rules/plan.ts'

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

/** Plans what the payloads of a machine bring to a task. */
export class Planner {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** A plan by the requested strategy, or by that of the project's settings. */
  async plan(
    request: PlanRequest,
    task: string | Task = request.task,
  ): Promise<{ value: TaskPlan; knowledge: Knowledge }> {
    const strategy = this.strategyOf(request)
    const isRanked = strategy === 'ranked'
    const knowledge = openKnowledge(this.machine, request.layers, isRanked && !request.listsAll)
    const { budget, size, manualCount } = knowledge.summary
    let matches: MatchResult[] = []
    let findings: readonly Finding[] = []
    if (!isRanked) matches = knowledge.table.match(request.task)
    else if (size > 0) {
      const { rankPayloads, rankTask } = await import('./payload-source.ts')
      const ranking = rankPayloads(this.machine, knowledge)
      matches = rankTask(knowledge, ranking, task)
      findings = ranking.findings
    }
    const plan = planOf(knowledge, matches, request)
    plan.findings.push(...findings)
    const sources: Record<string, string> = {}
    for (const { entry } of [...matchesOf(plan), ...plan.leftOut.map(({ match }) => match)]) {
      setOwn(sources, entry.id, knowledge.layerOf(entry))
    }
    const value: TaskPlan = Object.assign(plan, {
      task: request.task,
      strategy,
      knownEntries: size,
      knownTokens: budget.always_loaded_est + budget.on_demand_total_est,
      manualCount,
      listsAll: request.listsAll ?? false,
      sources,
    })
    return { value, knowledge }
  }

  strategyOf(request: Pick<PlanRequest, 'strategy' | 'layers'>): Strategy {
    return request.strategy ?? projectOf(this.machine, request.layers)?.settings.routing.strategy ?? 'ranked'
  }

  async record(request: PlanRequest, plan: TaskPlan, contents?: readonly LoadedPayload[]): Promise<Finding[]> {
    if (request.isRecorded === false) return []
    const { machine } = this
    const { task } = request
    const kept = await keepTask(machine, task, () => planTerms(machine, request, plan.strategy))
    const delivered = contents && { stage: 'delivered' as const, entries: deliveredOf(plan, contents) }
    const steps = [{ stage: 'planned' as const, entries: namedBy(plan) }, ...(delivered ? [delivered] : [])]
    return recordTask(machine, { task, kept, project: projectOf(machine, request.layers), steps })
  }
}

/** The plan of a task by keywords. */
export function planWith(
  knowledge: Knowledge,
  task: string,
  rules: SelectionRules,
  give?: (entry: LoadoutEntry) => LoadoutEntry,
): LoadPlan {
  return planOf(knowledge, knowledge.table.match(task), rules, give)
}

/**
 * The plan with the matches of a task. The lists of everything that is *not* loaded are built when first read: on a large
 * index they cost far more than the plan itself.
 */
function planOf(
  knowledge: Knowledge,
  matches: readonly MatchResult[],
  rules: SelectionRules,
  give: (entry: LoadoutEntry) => LoadoutEntry = (entry) => entry,
): LoadPlan {
  const { layerNames, budget, conflicts, findings, lazyLoad } = knowledge.summary
  const selection: Selection = selectMatches(matches, { ...rules, lazyLoad })
  let rest: Pick<LoadPlan, 'manual' | 'unmatched'> | undefined
  let provenance: Record<string, string> | undefined
  const getRest = () => {
    if (rest === undefined) {
      const { leftOut } = selection
      const chosen = new Set(
        [...matchesOf(selection), ...leftOut.map(({ match }) => match)].map(({ entry }) => entry.id),
      )
      const manual = knowledge.entries.filter(({ id }) => !chosen.has(id)).map(give)
      rest = { manual, unmatched: manual.filter(({ priority }) => priority !== 'manual') }
    }
    return rest
  }
  const used = knowledge.places.filter(({ name }) => layerNames.includes(name))
  return {
    ...selection,
    findings: [...findings, ...selection.findings],
    get manual() {
      return getRest().manual
    },
    get unmatched() {
      return getRest().unmatched
    },
    get provenance() {
      provenance ??= { ...knowledge.merged.provenance }
      return provenance
    },
    roots: Object.fromEntries(used.map(({ name, root }) => [name, root])),
    budget,
    conflicts,
    layerNames,
  }
}

/** What a plan loads, at once or when it is needed. */
function matchesOf({ preload, onDemand }: Pick<Selection, 'preload' | 'onDemand'>): MatchResult[] {
  return [...preload, ...onDemand]
}

/** Plans a task, and records the entries of the plan. */
export async function planAndRecord(machine: Machine, request: PlanRequest): Promise<TaskPlan> {
  const planner = new Planner(machine)
  const { value: plan } = await planner.plan(request)
  machine.report(...plan.findings)
  machine.report(...(await planner.record(request, plan)))
  return plan
}

export interface LoadedPlan extends TaskPlan {
  contents: LoadedPayload[]
}

/** Plans a task, reads its payloads within the budget, and records what was planned and loaded. */
export async function loadPlan(machine: Machine, request: PlanRequest): Promise<LoadedPlan> {
  const planner = new Planner(machine)
  const { value: plan, knowledge } = await planner.plan(request)
  const { contents, findings } = loadPayloads(
    matchesOf(plan).map(({ entry }) => entry),
    (entry) => knowledge.place(entry),
    request.budget,
  )
  const recorded = await planner.record(request, plan, contents)
  const leftOut = plan.leftOut.map(({ match: { entry }, reason }) =>
    report('LEFT_OUT/entry', { id: entry.id, reason }, { subject: entry.id }),
  )
  machine.report(...plan.findings, ...leftOut, ...findings, ...recorded)
  return Object.assign(plan, { contents })
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
    project: project && machine.realFolder(project.root),
    strategy: strategy === 'keywords' ? undefined : strategy,
    phase,
    budget,
    most,
    withoutCore,
  }
}

/** Everything that a plan would load. */
export function namedBy(plan: TaskPlan): RecordedEntry[] {
  return matchesOf(plan).map((match) => noteOf(plan, match, tokensOf(match.entry)))
}

function noteOf({ sources }: TaskPlan, match: MatchResult, tokens: number): RecordedEntry {
  const { entry, mode } = match
  return { id: entry.id, kind: 'payload', trigger: triggerOf(match), mode, tokens, layer: sources[entry.id] }
}

function deliveredOf(plan: TaskPlan, contents: readonly LoadedPayload[]): RecordedEntry[] {
  const matches = new Map(matchesOf(plan).map((match) => [match.entry.id, match]))
  return contents.flatMap(({ id, tokens }) => {
    const match = matches.get(id)
    return match === undefined ? [] : [noteOf(plan, match, tokens)]
  })
}

/** The text of one payload, fenced as data, as it goes to a model. */
export interface LoadedPayload {
  id: string
  layer: string
  path: string
  text: string
  tokens: number
}

export interface LoadResult {
  contents: LoadedPayload[]
  findings: Finding[]
}

/** Reads payloads in order, as long as the text for the model, fences included, stays within the budget. */
export function loadPayloads(
  entries: readonly LoadoutEntry[],
  place: (entry: LoadoutEntry) => PlacedEntry,
  budget = Infinity,
): LoadResult {
  const findings: Finding[] = []
  const read = entries.flatMap((entry): LoadedPayload[] => {
    const { id, path } = entry
    try {
      const placed = place(entry)
      const { body, wrap, findings: found = [] } = openPayload(placed)
      const { text, findings: fenced } = wrap(body)
      findings.push(...found, ...fenced)
      return [{ id, layer: placed.layer, path, text, tokens: estimateTokens(text) }]
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      const code = error.code === 'PATH_ESCAPE' || error.code === 'UNEXPECTED' ? error.code : 'FILE_UNREADABLE'
      const { message: problem, hint } = error
      findings.push({ ...report('FILE_UNREADABLE/not-loaded', { id, problem, hint }, { subject: id }), code })
      return []
    }
  })
  const { fitting: contents, left } = fitInto(read, budget, ({ tokens }) => tokens)
  const core = new Set(entries.flatMap(({ id, priority }) => (priority === 'core' ? [id] : [])))
  for (const { item, room } of left) {
    const { id, tokens } = item
    const row = core.has(id) ? 'BUDGET_TOO_SMALL/core' : 'LEFT_OUT/budget'
    findings.push(report(row, { id, tokens, left: room }, { subject: id }))
  }
  return { contents, findings }
}

export interface LoadRequest {
  /** Maximum tokens of the texts, fences included. */
  budget?: number
  /** Default: true if the plan knows its task. */
  isRecorded?: boolean
}

/** Reads the entries of a plan, made by any caller at any time: the plan contains the location of its payloads. */
export function loadChosen(machine: Machine, plan: LoadPlan | TaskPlan, request: LoadRequest = {}): LoadResult {
  const place = (entry: LoadoutEntry): PlacedEntry => {
    const { id } = entry
    const layer = ('sources' in plan ? getOwn(plan.sources, id) : undefined) ?? getOwn(plan.provenance, id) ?? ''
    const root = getOwn(plan.roots, layer)
    if (root === undefined) throw failWith('ENTRY_NOT_FOUND/plan', { id })
    return { entry, layer, root }
  }
  const entries = matchesOf(plan).map(({ entry }) => entry)
  const loaded = loadPayloads(entries, place, request.budget)
  if (request.isRecorded === false || !('task' in plan)) return loaded
  const delivered = deliveredOf(plan, loaded.contents)
  const recorded = recordTask(machine, { task: plan.task, steps: [{ stage: 'delivered', entries: delivered }] })
  return { ...loaded, findings: [...loaded.findings, ...recorded] }
}
