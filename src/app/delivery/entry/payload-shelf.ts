import { join } from 'node:path'
import { allEntries } from '../../../domain/routing/dispatch-table.ts'
import type { LoadoutEntry } from '../../../domain/routing/entry.ts'
import type { Machine } from '../../../infra/machine.ts'
import { type Knowledge, openKnowledge } from '../../routing/knowledge.ts'
import { payloadDocument } from '../../routing/ranking.ts'
import type { Shelf, ShelfRequest } from './shelf.ts'

export interface PayloadDetails {
  summary: string
  layer: string
  /** Below the root of its layer. */
  path: string
}

export interface PayloadShelf extends Shelf<PayloadDetails> {
  knowledge: Knowledge
  find(name: string): LoadoutEntry | undefined
}

/** The payloads of all layers, whatever their priority. */
export function openPayloads(machine: Machine, { layers, project }: ShelfRequest): PayloadShelf {
  const knowledge = openKnowledge(machine, { ...layers, projectRoot: layers.projectRoot ?? project })
  const entries = allEntries(knowledge.table)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  return {
    kind: 'payload',
    knowledge,
    names: [...byId.keys()],
    paths: [
      ...knowledge.places.map(({ path }) => path),
      ...entries.map((entry) => join(knowledge.rootOf(entry), entry.path)),
    ],
    documents: (findings) => entries.map((entry) => payloadDocument(knowledge, entry, findings)),
    describe: (name) => {
      const entry = byId.get(name)
      return entry && { summary: entry.summary, layer: knowledge.layerOf(entry), path: entry.path }
    },
    find: (name) => byId.get(name),
    findings: knowledge.findings,
  }
}
