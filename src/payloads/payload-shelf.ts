import { join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import type { Shelf } from '../search/shelf.ts'
import { type Knowledge, openKnowledge } from './knowledge.ts'
import type { Layers } from './layers.ts'
import { payloadDocument, payloadExamples } from './ranking.ts'
import { allEntries } from './rules/dispatch-table.ts'
import type { LoadoutEntry } from './rules/loadout-index.ts'

export interface PayloadDetails {
  summary: string
  layer: string
  /** Below the root of its layer. */
  path: string
}

export interface PayloadShelf extends Shelf<PayloadDetails> {
  kind: 'payload'
  knowledge: Knowledge
  find(name: string): LoadoutEntry | undefined
}

/** The payloads of all layers, whatever their priority. */
export function openPayloads(machine: Machine, layers: Layers): PayloadShelf {
  const knowledge = openKnowledge(machine, layers)
  const entries = allEntries(knowledge.table)
  const examples = payloadExamples(machine, knowledge, 'committed')
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  return {
    kind: 'payload',
    knowledge,
    names: [...byId.keys()],
    paths: [
      ...knowledge.places.map(({ path }) => path),
      ...entries.map((entry) => join(knowledge.rootOf(entry), entry.path)),
      ...examples.paths,
    ],
    documents: (findings) =>
      entries.map((entry) => examples.into('payload', payloadDocument(knowledge, entry, findings))),
    describe: (name) => {
      const entry = byId.get(name)
      return entry && { summary: entry.summary, layer: knowledge.layerOf(entry), path: entry.path }
    },
    find: (name) => byId.get(name),
    findings: knowledge.findings,
  }
}
