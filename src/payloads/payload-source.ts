import { dirname, join } from 'node:path'
import { type Examples, openExamples } from '../examples/examples.ts'
import { stampAt } from '../machine/cache.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { type KeptStamp, openRanking, type Ranking, type Segment, type Source } from '../machine/ranking.ts'
import type { Records } from '../machine/records.ts'
import { describeWhy, percent, RANKED_LIMIT, type RankDocument } from '../search/document.ts'
import type { Task } from '../search/task.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { type Knowledge, type Layers, openKnowledge, openPayload, type PlacedEntry } from './knowledge.ts'
import { isDomain, type LoadoutEntry } from './rules/loadout-index.ts'
import { coreMatch, type MatchResult } from './rules/match.ts'
import { documentOf } from './rules/ranked.ts'

export interface PayloadDetails {
  summary: string
  layer: string
  /** Below the root of its layer. */
  path: string
}

export interface PayloadSource extends Source<LoadoutEntry, PayloadDetails> {
  kind: 'payload'
  knowledge: Knowledge
}

/** The payloads of all layers, whatever their priority. */
export function openPayloads(machine: Machine, layers: Layers): PayloadSource {
  const knowledge = openKnowledge(machine, layers)
  const byId = new Map(knowledge.entries.map((entry) => [entry.id, entry]))
  const { byTask, others } = payloadSegments(knowledge)
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
    // The user put it into an index.
    gate: () => undefined,
    read: (name) => openPayload(knowledge.place(byId.get(name)!)),
    findings: knowledge.findings,
  }
}

/** Stored with the document of an entry: a hook and a plan read it instead of the index. */
export interface KeptPayload extends Partial<KeptStamp> {
  kind: 'payload'
  name: string
  /** In segments for hooks and of large indexes alone: keywords may hold what must not be copied. */
  placed?: PlacedEntry
  /** Its text could not be read. */
  isUnread?: boolean
}

/** The entries of the layers by their metadata and texts: those that a task may load, and the others. */
export function payloadSegments(knowledge: Knowledge, records?: Records): { byTask: Segment; others: Segment } {
  const examples = payloadExamples(knowledge, records)
  const segmentOf = (isByTask: boolean): Segment => {
    let listed: { placed: PlacedEntry; path: string }[] | undefined
    const list = () => {
      listed ??= knowledge.entries
        .filter((entry) => isDomain(entry) === isByTask)
        .map((entry) => ({ placed: knowledge.place(entry), path: join(knowledge.rootOf(entry), entry.path) }))
      return listed
    }
    // Checking a file takes 6 µs of processor time, 500 of them an eighth of the start of Node. In a larger library
    // Loadout watches the folders and the payloads that a task chose: an edit in place of another one counts when the
    // index is built again.
    const isLarge = () => list().length > 500
    return {
      kind: 'payloads',
      isPrivate: records !== undefined,
      paths: [...knowledge.places.map(({ path }) => path), ...examples.paths],
      name: [String(isByTask), ...knowledge.places.flatMap(({ path, root }) => [path, root])],
      watched: () => [...new Set(list().map(({ path }) => (isLarge() ? dirname(path) : path)))],
      readDocuments: (findings) => {
        const documents = list().map(({ placed, path }): RankDocument => {
          const before = findings.length
          const { entry } = placed
          const document = examples.into('payload', payloadDocument(knowledge, entry, findings))
          const kept: KeptPayload = { kind: 'payload', name: entry.id }
          if (records !== undefined || knowledge.isLarge) kept.placed = placed
          if (findings.length > before) kept.isUnread = true
          if (isLarge()) Object.assign(kept, { file: path, stamp: stampAt(path) })
          return { ...document, id: entryId('payload', entry.id), kept }
        })
        // An index whose folder is missing would report thousands of payloads.
        const more = findings.length - MOST_NAMED
        if (more > 1) findings.splice(MOST_NAMED, more, report('FILE_UNREADABLE/more-entries', { more }))
        return documents
      },
    }
  }
  return { byTask: segmentOf(true), others: segmentOf(false) }
}

const MOST_NAMED = 20

/** The examples of the payloads of these layers. */
export function payloadExamples({ places }: Knowledge, records?: Records): Examples {
  return openExamples({ project: places.find(({ name }) => name === 'project')?.root }, records)
}

/** Ranks the entries that a task may load. No other entry takes part. */
export function rankPayloads(machine: Machine, knowledge: Knowledge): Ranking {
  return openRanking(machine, [payloadSegments(knowledge).byTask])
}

/** Core entries first, then the ranker's hits for a task, best first. */
export function rankTask(knowledge: Knowledge, ranking: Ranking, task: string | Task): MatchResult[] {
  const ranked = ranking.rank(task, { limit: RANKED_LIMIT }).map((hit): MatchResult => {
    // As `payloadSegments` stored it.
    const { name, placed } = hit.kept as KeptPayload
    const entry = placed === undefined ? knowledge.entries.find(({ id }) => id === name)! : knowledge.entryOf(placed)
    const terms = new Set(hit.why.map(({ term }) => term))
    return {
      entry,
      score: hit.confidence,
      matchedKeywords: (entry.keywords ?? []).filter((keyword) => terms.has(keyword.toLowerCase())),
      matchedPatterns: [],
      reason: `ranked (${hit.form}, ${percent(hit.confidence)}): ${describeWhy(hit.why)}`,
      mode: 'lazy',
    }
  })
  return [...knowledge.summary.core.map(({ entry }) => coreMatch(entry)), ...ranked]
}

/** An entry for the ranker; without its text, and with a finding, when that cannot be read. */
export function payloadDocument(knowledge: Knowledge, entry: LoadoutEntry, findings: Finding[]): RankDocument {
  try {
    return documentOf(entry, readTextInside(knowledge.rootOf(entry), entry.path))
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { message: problem, hint = 'check the path' } = error
    findings.push(report('FILE_UNREADABLE/unranked-entry', { id: entry.id, problem, hint }, { subject: entry.id }))
    return documentOf(entry, '')
  }
}
