import { dirname, join } from 'node:path'
import { type ExampleScope, type Examples, openExamples } from '../examples/examples.ts'
import { stampAt } from '../machine/cache.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { type KeptStamp, openRanking, type Ranking, type Segment, type Source } from '../machine/ranking.ts'
import { RANKED_LIMIT, type RankDocument } from '../search/document.ts'
import type { Task } from '../search/task.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { type Knowledge, type Layers, openKnowledge } from './knowledge.ts'
import { type PlacedEntry, placeOf } from './load.ts'
import { allEntries } from './rules/dispatch-table.ts'
import { isDomain, type LoadoutEntry } from './rules/loadout-index.ts'
import type { MatchResult } from './rules/match.ts'
import { documentOf, rankedMatches } from './rules/ranked.ts'

export interface PayloadDetails {
  summary: string
  layer: string
  /** Below the root of its layer. */
  path: string
}

export interface PayloadSource extends Source<PayloadDetails> {
  kind: 'payload'
  knowledge: Knowledge
  find(name: string): LoadoutEntry | undefined
}

/** The payloads of all layers, whatever their priority. */
export function openPayloads(machine: Machine, layers: Layers): PayloadSource {
  const knowledge = openKnowledge(machine, layers)
  const byId = new Map(allEntries(knowledge.table).map((entry) => [entry.id, entry]))
  const { byTask, others } = payloadSegments(machine, knowledge, 'committed')
  return {
    kind: 'payload',
    knowledge,
    names: [...byId.keys()],
    segments: [byTask, others],
    describe: (name) => {
      const entry = byId.get(name)
      return entry && { summary: entry.summary, layer: knowledge.layerOf(entry), path: entry.path }
    },
    find: (name) => byId.get(name),
    findings: knowledge.findings,
  }
}

/** Stored with the document of an entry. */
export interface KeptPayload extends Partial<KeptStamp> {
  kind: 'payload'
  name: string
  /** Its place in the table. */
  position: number
  /** Its text could not be read. */
  isUnread?: boolean
  /** For hooks, which do not read the index at every prompt. */
  placed?: PlacedEntry
}

// Checking a file takes 6 µs of processor time, 500 of them an eighth of the start of Node. In a larger library Loadout
// watches the folders and the payloads that a task chose: an edit in place of another one counts when the index is
// built again.
const MOST_WATCHED = 500

/**
 * The entries of the layers by their metadata and texts: those that a task may load, and the others. Only the segments
 * for `here` contain the entries themselves.
 */
export function payloadSegments(
  machine: Machine,
  knowledge: Knowledge,
  scope: ExampleScope,
): { byTask: Segment; others: Segment } {
  const examples = payloadExamples(machine, knowledge, scope)
  const segmentOf = (isByTask: boolean): Segment => {
    let entries: { entry: LoadoutEntry; position: number; path: string }[] | undefined
    const listEntries = () => {
      entries ??= allEntries(knowledge.table)
        .map((entry, position) => ({ entry, position, path: join(knowledge.rootOf(entry), entry.path) }))
        .filter(({ entry }) => isDomain(entry) === isByTask)
      return entries
    }
    const isLarge = () => listEntries().length > MOST_WATCHED
    return {
      kind: 'payloads',
      isPrivate: scope === 'here',
      paths: [...knowledge.places.map(({ path }) => path), ...examples.paths],
      name: [String(isByTask), ...knowledge.places.flatMap(({ path, root }) => [path, root])],
      watched: () => [...new Set(listEntries().map(({ path }) => (isLarge() ? dirname(path) : path)))],
      readDocuments: (findings) => {
        const documents = listEntries().map(({ entry, position, path }): RankDocument => {
          const before = findings.length
          const document = examples.into('payload', payloadDocument(knowledge, entry, findings))
          const kept: KeptPayload = { kind: 'payload', name: entry.id, position }
          if (scope === 'here') kept.placed = placeOf(knowledge, entry)
          if (findings.length > before) kept.isUnread = true
          if (isLarge()) Object.assign(kept, { file: path, stamp: stampAt(path) })
          return { ...document, id: entryId('payload', entry.id), kept }
        })
        sumUp(findings)
        return documents
      },
    }
  }
  return { byTask: segmentOf(true), others: segmentOf(false) }
}

const MOST_NAMED = 20

/** An index whose folder is missing would report thousands of payloads. */
function sumUp(findings: Finding[]): void {
  const more = findings.length - MOST_NAMED
  if (more <= 1) return
  findings.splice(MOST_NAMED, more, report('PAYLOAD_UNREADABLE/more', { more }))
}

/** The examples of the payloads of these layers. */
export function payloadExamples(machine: Machine, { places }: Knowledge, scope: ExampleScope): Examples {
  return openExamples(machine, { project: places.find(({ name }) => name === 'project')?.root }, scope)
}

/** Ranks the entries that a task may load. No other entry takes part. */
export function rankPayloads(machine: Machine, knowledge: Knowledge): Ranking {
  return openRanking(machine, [payloadSegments(machine, knowledge, 'committed').byTask])
}

/** The ranker's hits for a task, as matches for a plan. */
export function rankTask({ table }: Knowledge, ranking: Ranking, task: string | Task): MatchResult[] {
  const hits = ranking.rank(task, { limit: RANKED_LIMIT })
  // As `payloadSegments` stored it.
  return rankedMatches(
    hits.map((hit) => ({ hit, entry: table.entryAt((hit.kept as KeptPayload).position) })),
    table,
  )
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
