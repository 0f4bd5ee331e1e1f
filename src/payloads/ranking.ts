import { join } from 'node:path'
import { type Codec, cached, signatureOf } from '../machine/cache.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { RANKED_LIMIT, type RankDocument } from '../search/document.ts'
import { createRanker, loadRanker, type Ranker } from '../search/ranker.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import type { Knowledge } from './knowledge.ts'
import { allEntries } from './rules/dispatch-table.ts'
import { isDomain, type LoadoutEntry } from './rules/entry.ts'
import type { MatchResult } from './rules/match.ts'
import { documentOf, rankedMatches } from './rules/ranked.ts'

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
  const sources = [...knowledge.places.map(({ path }) => path), ...payloads]
  const opened = cachedRanker(machine, 'rankers', sources, (findings) =>
    entries.map((entry) => payloadDocument(knowledge, entry, findings)),
  )
  return { ...opened, entries }
}

type FoundRanker = Pick<OpenRanker, 'ranker' | 'findings'>

/** A ranker over documents that are read and compiled again only when a source has changed. */
export function cachedRanker(
  machine: Machine,
  kind: string,
  sources: readonly string[],
  readDocuments: (findings: Finding[]) => RankDocument[],
): FoundRanker {
  const key = { kind, version: 1, ...signatureOf(sources, machine.now()) }
  return cached(machine, key, RANKER, () => {
    const findings: Finding[] = []
    return { ranker: createRanker(readDocuments(findings)), findings }
  })
}

const RANKER: Codec<FoundRanker> = {
  // Findings have to be reported each time, so a ranker with findings is built each time.
  encode: ({ ranker, findings }) => (findings.length === 0 ? ranker.save() : undefined),
  decode(bytes) {
    const ranker = loadRanker(bytes)
    return ranker === null ? undefined : { ranker, findings: [] }
  },
}

/** What the ranker finds for a task, as the plan takes it. */
export function rankTask(knowledge: Knowledge, { ranker }: OpenRanker, task: string): MatchResult[] {
  return rankedMatches(ranker.rank(task, { limit: RANKED_LIMIT }), allEntries(knowledge.table))
}

/** An entry for the ranker; without its text, and with a finding, when that cannot be read. */
export function payloadDocument(knowledge: Knowledge, entry: LoadoutEntry, findings: Finding[]): RankDocument {
  try {
    return documentOf(entry, readTextInside(knowledge.rootOf(entry), entry.path))
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `${entry.id} is ranked without its text: ${error.message}`
    const hint = error.hint ?? 'check the path'
    findings.push({ severity: 'warning', code: 'PAYLOAD_UNREADABLE', message, subject: entry.id, hint })
    return documentOf(entry, '')
  }
}
