import type { LoadoutEntry } from '../../domain/routing/entry.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { nearest } from '../../domain/shared/nearest.ts'
import type { ResolveOptions } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { recordUsage } from '../usage/record.ts'
import { type Knowledge, openKnowledge } from './knowledge.ts'
import { type LoadedPayload, loadPayloads } from './load.ts'

export interface Lookup {
  entry: LoadoutEntry
  layer: string
  /** The text, when it was asked for and could be read. */
  contents?: LoadedPayload | undefined
}

/** One entry by its id, whatever its priority; with `load`, its text as well. */
export function lookUp(
  machine: Machine,
  request: { id: string; load?: boolean | undefined; layers: ResolveOptions },
): Report<Lookup> {
  const knowledge = openKnowledge(machine, request.layers)
  const entry = findEntry(knowledge, request.id)
  const value: Lookup = { entry, layer: knowledge.layerOf(entry) }
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

function findEntry({ table, layerNames, findings }: Knowledge, id: string): LoadoutEntry {
  const ids: string[] = []
  for (let position = 0; position < table.size; position++) {
    const entry = table.entryAt(position)
    if (entry.id === id) return entry
    ids.push(entry.id)
  }
  throw entryNotFound(id, ids, layerNames, findings)
}

export function entryNotFound(
  id: string,
  ids: readonly string[],
  layerNames: readonly string[],
  findings: readonly Finding[],
): LoadoutError {
  const close = nearest(id, ids)
  const broken = findings.find(({ code }) => code === 'LAYER_MALFORMED' || code === 'LAYER_UNREADABLE')
  const layers = layerNames.length > 0 ? `in the layers ${layerNames.join(', ')}` : 'because no layer was found'
  const where = broken === undefined ? layers : `${layers}; ${broken.message}`
  const shown = id.length > 80 ? `${id.slice(0, 79)}…` : id
  return new LoadoutError(
    'ENTRY_NOT_FOUND',
    `there is no entry "${shown}" ${where}${close ? `; did you mean ${close}?` : ''}`,
    {
      hint: broken?.hint ?? 'loadout resolve lists the entries',
    },
  )
}
