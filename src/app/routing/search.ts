import type { Why } from '../../domain/routing/rank/document.ts'
import { RANKED_LIMIT } from '../../domain/routing/ranked.ts'
import type { Report } from '../../domain/shared/finding.ts'
import type { ResolveOptions } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { readKnowledge } from './knowledge.ts'
import { openRanker } from './ranking.ts'

export interface SearchHit {
  kind: 'payload'
  id: string
  summary: string
  layer: string
  path: string
  /** 0 to 1. */
  confidence: number
  why: readonly Why[]
}

export interface SearchResult {
  query: string
  /** How many were looked through. */
  known: number
  hits: SearchHit[]
}

/** What is known about some words, whatever its priority, best first. */
export function searchKnowledge(
  machine: Machine,
  request: { query: string; limit?: number | undefined; layers: ResolveOptions },
): Report<SearchResult> {
  const knowledge = readKnowledge(machine, request.layers)
  const { ranker, entries, findings } = openRanker(machine, knowledge, 'all')
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const hits = ranker
    .rank(request.query, { limit: request.limit ?? RANKED_LIMIT * 2 })
    .flatMap(({ id, confidence, why }) => {
      const entry = byId.get(id)
      if (entry === undefined) return []
      const { summary, path } = entry
      return [{ kind: 'payload' as const, id, summary, layer: knowledge.layerOf(entry), path, confidence, why }]
    })
  return {
    value: { query: request.query, known: entries.length, hits },
    findings: [...knowledge.findings, ...findings],
  }
}
