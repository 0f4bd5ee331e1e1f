import { isAbsolute, join, relative } from 'node:path'
import { type IndexItem, payloadItem } from '../../../domain/delivery/index/index-line.ts'
import { bodyDigest, fenceDigest, type GivenPart } from '../../../domain/delivery/session/session-text.ts'
import type { LoadoutEntry } from '../../../domain/routing/entry.ts'
import { tokensOf } from '../../../domain/routing/loadout-index.ts'
import { type Codec, cached, signatureOf } from '../../../infra/cache.ts'
import type { Machine } from '../../../infra/machine.ts'
import type { Knowledge } from '../../routing/knowledge.ts'
import { loadPayloads } from '../../routing/load.ts'

/** The text of a payload, ready to be given; or why it cannot be. Read and fenced once, while its file stays as it is. */
export function textPart(machine: Machine, knowledge: Knowledge, entry: LoadoutEntry): GivenPart | { problem: string } {
  const { id, path } = entry
  const layer = knowledge.layerOf(entry)
  const file = signatureOf([join(knowledge.rootOf(entry), path)], machine.now())
  const state = JSON.stringify([file.state, layer, path])
  const key = { ...file, kind: 'payloads', version: FENCE_VERSION, name: [...file.name, id], state }
  return cached(machine, key, partCodec(id), () => {
    const { contents, findings } = loadPayloads(knowledge, [entry])
    const text = contents[0]?.text
    if (text === undefined) return { problem: findings[0]?.message ?? `${id} was not loaded` }
    return { part: { form: 'text', id, sum: fenceDigest(text), body: bodyDigest(text) }, text }
  })
}

// Raise it when a change of the fence gives other text for the same payload.
const FENCE_VERSION = 3

/** Two digests on a line of their own, then the text. */
function partCodec(id: string): Codec<GivenPart | { problem: string }> {
  return {
    encode(value) {
      if ('problem' in value || value.part.form !== 'text') return undefined
      return new TextEncoder().encode(`${value.part.sum} ${value.part.body}\n${value.text}`)
    },
    decode(bytes) {
      const stored = new TextDecoder().decode(bytes)
      const end = stored.indexOf('\n')
      const [sum = '', body = ''] = stored.slice(0, end).split(' ')
      return { part: { form: 'text', id, sum, body }, text: stored.slice(end + 1) }
    },
  }
}

/** A payload as a line of an index, its file as somebody in this folder writes it. */
export function entryItem(knowledge: Knowledge, entry: LoadoutEntry, folder: string): IndexItem {
  const tokens = tokensOf(entry)
  const item = payloadItem(entry, shownPath(folder, join(knowledge.rootOf(entry), entry.path)))
  return tokens > 0 ? { ...item, tokens } : item
}

function shownPath(folder: string, file: string): string {
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside
}
