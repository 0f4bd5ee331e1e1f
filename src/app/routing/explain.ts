import type { LoadoutEntry, Phase } from '../../domain/routing/entry.ts'
import { type EntryExplanation, explainEntry } from '../../domain/routing/layers.ts'
import { inPhase, judgeEntry, rankedVerdict, type Verdict } from '../../domain/routing/ranked.ts'
import type { Strategy } from '../../domain/routing/strategy.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { nearest } from '../../domain/shared/nearest.ts'
import type { Layers } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { knowledgeOf, type Resolved, resolveLayers } from './knowledge.ts'
import { strategyOf } from './plan.ts'

export interface Explanation extends EntryExplanation {
  /** Index file of every layer that defines the entry, in order. */
  paths: string[]
  /** How it fares against the task, when one was given. */
  verdict?: Verdict
}

export interface ExplainRequest {
  id: string
  task?: string | undefined
  phase?: Phase | undefined
  strategy?: Strategy | undefined
  layers: Layers
}

/** Where an entry comes from and, for a task, why it is loaded or not, by the matcher's rules. */
export function explain(machine: Machine, request: ExplainRequest): Report<Explanation> {
  return explainIn(resolveLayers(machine, request.layers), request).report
}

/** The same by the strategy that was asked for, or that the project's settings name. */
export async function explainByStrategy(machine: Machine, request: ExplainRequest): Promise<Report<Explanation>> {
  const resolved = resolveLayers(machine, request.layers)
  const { report, entry } = explainIn(resolved, request)
  const { task, id, phase } = request
  if (task === undefined || strategyOf(machine, request) === 'keywords') return report
  const { openRanker, rankTask } = await import('./ranking.ts')
  const knowledge = knowledgeOf(resolved)
  const opened = openRanker(machine, knowledge)
  const isOffered = rankTask(knowledge, opened, task).some((match) => match.entry.id === id)
  const verdict = inPhase(rankedVerdict(entry, opened.ranker.explain(task, id), isOffered), entry, phase)
  return { value: { ...report.value, verdict }, findings: [...report.findings, ...opened.findings] }
}

function explainIn(
  { layers, merged, findings }: Resolved,
  { id, task, phase }: ExplainRequest,
): { report: Report<Explanation>; entry: LoadoutEntry } {
  const explanation = explainEntry(id, layers)
  const entry = merged.entries.find((each) => each.id === id)
  if (explanation === null || entry === undefined) {
    const ids = merged.entries.map((each) => each.id)
    const names = layers.map(({ name }) => name)
    throw entryNotFound(id, ids, names, findings)
  }
  const paths = explanation.overrideChain.map((name) => layers.find((layer) => layer.name === name)?.path ?? '')
  const value: Explanation = { ...explanation, paths }
  if (task !== undefined) value.verdict = judgeEntry(entry, task, phase)
  return { report: { value, findings }, entry }
}

function entryNotFound(
  id: string,
  ids: readonly string[],
  layerNames: readonly string[],
  findings: readonly Finding[],
): LoadoutError {
  const close = nearest(id, ids)
  const broken = findings.find(({ code }) => code === 'LAYER_MALFORMED' || code === 'LAYER_UNREADABLE')
  const layers = layerNames.length > 0 ? `in the layers ${layerNames.join(', ')}` : 'because no layer was found'
  const where = broken === undefined ? layers : `${layers}; ${broken.message}`
  const shown = id.length > 80 ? `${id.slice(0, 79)}…` : id
  return new LoadoutError(
    'ENTRY_NOT_FOUND',
    `there is no entry "${shown}" ${where}${close ? `; did you mean ${close}?` : ''}`,
    {
      hint: broken?.hint ?? 'loadout resolve lists the entries',
    },
  )
}
