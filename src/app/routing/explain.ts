import type { Phase } from '../../domain/routing/entry.ts'
import { type EntryExplanation, explainEntry } from '../../domain/routing/layers.ts'
import { rankedVerdict } from '../../domain/routing/ranked.ts'
import type { Strategy } from '../../domain/routing/strategy.ts'
import { inPhase, judgeEntry, type Verdict } from '../../domain/routing/verdict.ts'
import type { Report } from '../../domain/shared/finding.ts'
import type { ResolveOptions } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { readKnowledge, resolveLayers } from './knowledge.ts'
import { entryNotFound } from './lookup.ts'
import { strategyOf } from './plan.ts'

export interface Explanation extends EntryExplanation {
  /** Index file of every layer that defines the entry, in order. */
  paths: string[]
  /** How it fares against the task, when one was given. */
  verdict?: Verdict
}

/** Where an entry comes from and, for a task, why it is loaded or not. */
export interface ExplainRequest {
  id: string
  task?: string | undefined
  phase?: Phase | undefined
  strategy?: Strategy | undefined
  layers: ResolveOptions
}

/** The same by the strategy that was asked for, or that the project's settings name. */
export async function explainByStrategy(machine: Machine, request: ExplainRequest): Promise<Report<Explanation>> {
  const report = explain(machine, request)
  if (request.task === undefined || strategyOf(machine, request) === 'keywords') return report
  const { openRanker, rankTask } = await import('./ranking.ts')
  const knowledge = readKnowledge(machine, request.layers)
  const opened = openRanker(machine, knowledge, 'domain')
  const { task, id, phase } = request
  const match = rankTask(knowledge, opened, task).find(({ entry }) => entry.id === id)
  const entry = match?.entry ?? resolveLayers(machine, request.layers).merged.entries.find((each) => each.id === id)
  if (entry === undefined) return report
  const ranked = rankedVerdict(entry, opened.ranker.explain(task, id), match !== undefined)
  return {
    value: { ...report.value, verdict: inPhase(ranked, entry, phase) },
    findings: [...report.findings, ...opened.findings],
  }
}

export function explain(machine: Machine, request: ExplainRequest): Report<Explanation> {
  const { layers, merged, findings } = resolveLayers(machine, request.layers)
  const explanation = explainEntry(request.id, layers)
  const entry = merged.entries.find(({ id }) => id === request.id)
  if (explanation === null || entry === undefined) {
    const ids = merged.entries.map(({ id }) => id)
    throw entryNotFound(
      request.id,
      ids,
      layers.map(({ name }) => name),
      findings,
    )
  }
  const paths = explanation.overrideChain.map((name) => layers.find((layer) => layer.name === name)?.path ?? '')
  const value: Explanation = { ...explanation, paths }
  if (request.task !== undefined) value.verdict = judgeEntry(entry, request.task, request.phase)
  return { value, findings }
}
