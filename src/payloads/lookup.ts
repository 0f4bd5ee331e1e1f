import type { Machine } from '../machine/machine.ts'
import type { Report } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { type Knowledge, openKnowledge } from './knowledge.ts'
import type { Layers } from './layers.ts'
import { type LoadedPayload, loadPayloads } from './load.ts'
import type { LoadoutEntry } from './rules/loadout-index.ts'

export interface Lookup {
  kind: 'payload'
  entry: LoadoutEntry
  layer: string
  /** The text, when it was asked for and could be read. */
  contents?: LoadedPayload
}

export interface LookupRequest {
  id: string
  load?: boolean
  layers?: Layers
}

/** One payload by its id, whatever its priority; with `load`, also its text. Undefined when no payload has the id. */
export function lookUpPayload(machine: Machine, request: LookupRequest): Report<Lookup> | undefined {
  if (/^(?:pack|skill|adapter):/.test(request.id)) return undefined
  const knowledge = openKnowledge(machine, request.layers)
  const entry = findEntry(knowledge, request.id.replace(/^payload:/, ''))
  if (entry === undefined) return undefined
  const value: Lookup = { kind: 'payload', entry, layer: knowledge.layerOf(entry) }
  if (!request.load) return { value, findings: knowledge.findings }
  const { contents, findings } = loadPayloads(knowledge, [entry])
  const entries = contents.map(({ id, tokens, layer }) => ({
    id,
    kind: 'payload' as const,
    trigger: 'lookup',
    mode: 'manual' as const,
    tokens,
    layer,
  }))
  const recorded = recordUsage(machine, { task: `lookup ${request.id}`, stage: 'used', entries })
  return { value: { ...value, contents: contents[0] }, findings: [...knowledge.findings, ...findings, ...recorded] }
}

function findEntry({ table }: Knowledge, id: string): LoadoutEntry | undefined {
  for (let position = 0; position < table.size; position++) {
    const entry = table.entryAt(position)
    if (entry.id === id) return entry
  }
  return undefined
}
