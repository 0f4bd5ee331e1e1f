import type { Machine } from '../machine/machine.ts'
import type { Strategy } from '../search/document.ts'
import { getOwn } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { observedPerTask } from './index-build.ts'
import { type Layers, readKnowledge } from './knowledge.ts'
import { Planner } from './plan.ts'
import { type EntryExplanation, explainEntry, type MergeConflict, type SearchedLayer } from './rules/layers.ts'
import type { Budget, Phase, Priority } from './rules/loadout-index.ts'
import { inPhase, judgeEntry, rankedVerdict, type Verdict } from './rules/ranked.ts'

export interface Explanation extends EntryExplanation {
  /** Index file of every layer that defines the entry, in order. */
  paths: string[]
  /** The result for the task, if there was one. */
  verdict?: Verdict
}

export interface ExplainRequest {
  id: string
  task?: string
  phase?: Phase
  strategy?: Strategy
  layers?: Layers
}

/**
 * Where a payload comes from and, for a task, why it is loaded or not, by the strategy of the request or of the
 * project's settings. Undefined when no payload has the id.
 */
export async function explainPayload(machine: Machine, request: ExplainRequest): Promise<Explanation | undefined> {
  const { id, task, phase } = request
  const knowledge = readKnowledge(machine, request.layers)
  const { layers, entries } = knowledge
  const explanation = explainEntry(id, layers)
  const entry = entries.find((each) => each.id === id)
  if (explanation === null || entry === undefined) return undefined
  const paths = explanation.overrideChain.map((name) => layers.find((layer) => layer.name === name)?.path ?? '')
  const found = [...knowledge.findings]
  const judge = async () => {
    if (task === undefined) return undefined
    if (new Planner(machine).strategyOf(request) === 'keywords') return judgeEntry(entry, task, phase)
    const { rankPayloads, rankTask } = await import('./payload-source.ts')
    const ranking = rankPayloads(machine, knowledge)
    const isOffered = rankTask(knowledge, ranking, task).some((match) => match.entry.id === id)
    const ranked = rankedVerdict(entry, ranking.explain(task, entryId('payload', id)), isOffered)
    found.push(...ranking.findings)
    return inPhase(ranked, entry, phase)
  }
  const verdict = await judge()
  machine.report(...found)
  return { ...explanation, paths, verdict }
}

export interface Resolution {
  layers: SearchedLayer[]
  entries: { id: string; priority: Priority; tokens: number; source: string }[]
  conflicts: MergeConflict[]
  budget: Budget
}

/** The layers that were found, and the merged index. */
export function resolveAll(machine: Machine, layers: Layers = {}): Resolution {
  const { merged, searched, findings } = readKnowledge(machine, layers)
  const entries = merged.entries.map(({ id, priority, tokens_est: tokens }) => ({
    id,
    priority,
    tokens,
    source: getOwn(merged.provenance, id) ?? '',
  }))
  const { average, findings: trouble } = observedPerTask(machine, entries)
  machine.report(...findings, ...trouble)
  const budget = { ...merged.budget, avg_task_load_observed: average }
  return { layers: searched, entries, conflicts: merged.conflicts, budget }
}
