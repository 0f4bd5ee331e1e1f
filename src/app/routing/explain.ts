import type { Phase } from '../../domain/routing/entry.ts'
import { type EntryExplanation, explainEntry } from '../../domain/routing/layers.ts'
import { judgeEntry, type Verdict } from '../../domain/routing/verdict.ts'
import type { Report } from '../../domain/shared/finding.ts'
import type { ResolveOptions } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { resolveLayers } from './knowledge.ts'
import { entryNotFound } from './lookup.ts'

export interface Explanation extends EntryExplanation {
  /** Index file of every layer that defines the entry, in order. */
  paths: string[]
  /** How it fares against the task, when one was given. */
  verdict?: Verdict
}

/** Where an entry comes from and, for a task, why it is loaded or not. */
export function explain(
  machine: Machine,
  request: { id: string; task?: string | undefined; phase?: Phase | undefined; layers: ResolveOptions },
): Report<Explanation> {
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
