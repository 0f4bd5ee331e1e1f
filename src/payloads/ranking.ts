import { dirname, join } from 'node:path'
import { type ExampleScope, type Examples, openExamples } from '../examples/examples.ts'
import { type Stamp, stampAt } from '../machine/cache.ts'
import { cachedRanker, type OpenedRanker, type RankerSources, renewRanker } from '../machine/cached-ranker.ts'
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
  /** Reads everything again. */
  renew(): void
}

/** Stored with the document of an entry. */
interface Kept {
  /** Its place in the table. */
  position: number
  /** Of its payload, if payloads are not watched one by one. */
  stamp?: Stamp | undefined
}

// Checking a file takes 6 µs of processor time, 500 of them an eighth of the start of Node. In a larger library Loadout
// watches the folders and the payloads that a task chose: an edit in place of another one counts when the index is
// built again.
const MOST_WATCHED = 500

/**
 * Ranks the entries that a task may load by their metadata and texts; no other entry takes part. Compiled once, while
 * indexes, payloads and examples are unchanged.
 */
export function openRanker(machine: Machine, knowledge: Knowledge): OpenRanker {
  const examples = payloadExamples(machine, knowledge, 'committed')
  let entries: { entry: LoadoutEntry; position: number; path: string }[] | undefined
  const listEntries = () => {
    entries ??= allEntries(knowledge.table).flatMap((entry, position) =>
      isDomain(entry) ? [{ entry, position, path: join(knowledge.rootOf(entry), entry.path) }] : [],
    )
    return entries
  }
  const isLarge = () => listEntries().length > MOST_WATCHED
  const sources: RankerSources = {
    kind: 'rankers',
    paths: [...knowledge.places.map(({ path }) => path), ...examples.paths],
    names: knowledge.places.map(({ root }) => root),
    watched: () => [...new Set(listEntries().map(({ path }) => (isLarge() ? dirname(path) : path)))],
    readDocuments: (findings) => {
      const documents = listEntries().map(({ entry, position, path }): RankDocument => {
        const kept: Kept = isLarge() ? { position, stamp: stampAt(path) } : { position }
        return { ...examples.into('payload', payloadDocument(knowledge, entry, findings)), kept }
      })
      sumUp(findings)
      return documents
    },
  }
  const opened: OpenRanker = {
    ...cachedRanker(machine, sources),
    renew: () => void Object.assign(opened, renewRanker(machine, sources)),
  }
  return opened
}

const MOST_NAMED = 20

/** An index whose folder is missing would report thousands of payloads. */
function sumUp(findings: Finding[]): void {
  const more = findings.length - MOST_NAMED
  if (more <= 1) return
  const message = `${more} more entries are ranked without their texts`
  const hint = 'loadout index check lists them all'
  findings.splice(MOST_NAMED, more, { severity: 'warning', code: 'PAYLOAD_UNREADABLE', message, hint })
}

/** The examples of the payloads of these layers. */
export function payloadExamples(machine: Machine, { places }: Knowledge, scope: ExampleScope): Examples {
  return openExamples(machine, { project: places.find(({ name }) => name === 'project')?.root }, scope)
}

/** The ranker's hits for a task, as matches for a plan. */
export function rankTask(knowledge: Knowledge, opened: OpenRanker, task: string): MatchResult[] {
  const rank = ({ ranker }: OpenedRanker) =>
    ranker.rank(task, { limit: RANKED_LIMIT }).map((hit) => {
      // As openRanker stored it.
      const { position, stamp } = hit.kept as Kept
      return { hit, entry: knowledge.table.entryAt(position), stamp }
    })
  const found = rank(opened)
  const isStale = found.some(({ entry, stamp }) => {
    const now = stamp && stampAt(join(knowledge.rootOf(entry), entry.path))
    return String(now) !== String(stamp)
  })
  if (isStale) opened.renew()
  return rankedMatches(isStale ? rank(opened) : found, knowledge.table)
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
