import { join } from 'node:path'
import { allEntries } from '../../domain/routing/dispatch-table.ts'
import { isDomain, type LoadoutEntry } from '../../domain/routing/entry.ts'
import type { MatchResult } from '../../domain/routing/match.ts'
import type { RankDocument } from '../../domain/routing/rank/document.ts'
import { createRanker, loadRanker, type Ranker } from '../../domain/routing/rank/ranker.ts'
import { documentOf, RANKED_LIMIT, rankedMatches } from '../../domain/routing/ranked.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { readCached, writeCached } from '../../infra/byte-cache.ts'
import { readContained } from '../../infra/contained-file.ts'
import type { Machine } from '../../infra/machine.ts'
import { signatureOf } from '../../infra/signature.ts'
import type { Knowledge } from './knowledge.ts'

export interface OpenRanker {
  ranker: Ranker
  entries: LoadoutEntry[]
  /** Payloads that could not be read: those entries are ranked by their metadata alone. */
  findings: Finding[]
}

/**
 * The entries that a task may load, ranked by what they say, metadata and texts; no other takes their place. Compiled
 * once, while indexes and payloads stay as they are.
 */
export function openRanker(machine: Machine, knowledge: Knowledge): OpenRanker {
  const entries = allEntries(knowledge.table).filter(isDomain)
  const payloads = entries.map((entry) => join(knowledge.rootOf(entry), entry.path))
  const signature = signatureOf([...knowledge.places.map(({ path }) => path), ...payloads], machine.now())
  const stored = readCached(machine, 'rankers', signature)
  const loaded = stored && loadRanker(stored)
  if (loaded) return { ranker: loaded, entries, findings: [] }
  const findings: Finding[] = []
  const ranker = createRanker(entries.map((entry) => payloadDocument(knowledge, entry, findings)))
  if (findings.length === 0) writeCached(machine, 'rankers', signature, ranker.save())
  return { ranker, entries, findings }
}

/** What the ranker finds for a task, as the plan takes it. */
export function rankTask(knowledge: Knowledge, { ranker }: OpenRanker, task: string): MatchResult[] {
  return rankedMatches(ranker.rank(task, { limit: RANKED_LIMIT }), allEntries(knowledge.table))
}

/** An entry for the ranker; without its text, and with a finding, when that cannot be read. */
export function payloadDocument(knowledge: Knowledge, entry: LoadoutEntry, findings: Finding[]): RankDocument {
  try {
    return documentOf(entry, readContained(knowledge.rootOf(entry), entry.path))
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `${entry.id} is ranked without its text: ${error.message}`
    const hint = error.hint ?? 'check the path'
    findings.push({ severity: 'warning', code: 'PAYLOAD_UNREADABLE', message, subject: entry.id, hint })
    return documentOf(entry, '')
  }
}
