import { join } from 'node:path'
import { type ExampleScope, type Examples, openExamples } from '../examples/examples.ts'
import { cachedRanker, type OpenedRanker } from '../machine/cached-ranker.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { RANKED_LIMIT, type RankDocument } from '../search/document.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import type { Knowledge } from './knowledge.ts'
import { allEntries } from './rules/dispatch-table.ts'
import { isDomain, type LoadoutEntry } from './rules/loadout-index.ts'
import type { MatchResult } from './rules/match.ts'
import { documentOf, rankedMatches } from './rules/ranked.ts'

export interface OpenRanker extends OpenedRanker {
  entries: LoadoutEntry[]
}

/**
 * The entries that a task may load, ranked by what they say, metadata and texts; no other takes their place. Compiled
 * once, while indexes, payloads and examples stay as they are.
 */
export function openRanker(machine: Machine, knowledge: Knowledge): OpenRanker {
  const entries = allEntries(knowledge.table).filter(isDomain)
  const payloads = entries.map((entry) => join(knowledge.rootOf(entry), entry.path))
  const examples = payloadExamples(machine, knowledge, 'committed')
  const sources = [...knowledge.places.map(({ path }) => path), ...payloads, ...examples.paths]
  const opened = cachedRanker(machine, 'rankers', sources, (findings) => {
    const documents = entries.map((entry) => examples.into('payload', payloadDocument(knowledge, entry, findings)))
    sumUp(findings)
    return documents
  })
  return { ...opened, entries }
}

const MOST_NAMED = 20

/** An index whose folder is missing would name thousands of payloads. */
function sumUp(findings: Finding[]): void {
  const more = findings.length - MOST_NAMED
  if (more <= 1) return
  const message = `${more} more entries are ranked without their texts`
  const hint = 'loadout index check lists them all'
  findings.splice(MOST_NAMED, more, { severity: 'warning', code: 'PAYLOAD_UNREADABLE', message, hint })
}

/** What is taught about the payloads of these layers. */
export function payloadExamples(machine: Machine, { places }: Knowledge, scope: ExampleScope): Examples {
  return openExamples(machine, { project: places.find(({ name }) => name === 'project')?.root }, scope)
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
