import { isAbsolute, join, relative } from 'node:path'
import { type IndexItem, payloadItem } from '../../domain/delivery/index-line.ts'
import { bodyDigest, fenceDigest, type GivenPart } from '../../domain/delivery/session-text.ts'
import type { LoadoutEntry } from '../../domain/routing/entry.ts'
import { tokensOf } from '../../domain/routing/loadout-index.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import type { Knowledge } from '../routing/knowledge.ts'
import { loadPayloads } from '../routing/load.ts'

/** The text of a payload, ready to be given; or why it cannot be. */
export function textPart(knowledge: Knowledge, entry: LoadoutEntry): GivenPart | { problem: string } {
  const { contents, findings } = loadPayloads(knowledge, [entry])
  const text = contents[0]?.text
  if (text === undefined) return { problem: findings[0]?.message ?? `${entry.id} was not loaded` }
  return { part: { form: 'text', id: entry.id, sum: fenceDigest(text), body: bodyDigest(text) }, text }
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

/** Half of what is known may be the wrong half: a layer that cannot be read may override the others. */
export function requireLayers(findings: readonly Finding[]): void {
  const broken = findings.find(({ code }) => code === 'LAYER_MALFORMED' || code === 'LAYER_UNREADABLE')
  if (broken !== undefined) throw new LoadoutError(broken.code, broken.message)
}
