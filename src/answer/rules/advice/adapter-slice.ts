import type { RankHit } from '../../../search/document.ts'
import { describeWhy, roundScore } from '../../../search/document.ts'
import { rankDocuments } from '../../../search/ranker.ts'
import type { Finding } from '../../../text/trouble.ts'
import { sha256 } from '../../../text/values.ts'
import { type Candidate, nameFew, type Omission } from '../bundle.ts'
import type { AdapterSettings } from '../context-settings.ts'
import { type AdapterItem, type AdapterPayload, type Freshness, freshnessOf } from './adapter-payload.ts'

export interface AdapterCandidates {
  candidates: Candidate[]
  omitted: Omission[]
  warnings: Finding[]
}

/**
 * One candidate per item, in the payload's order. The task does not choose among them; it only shows which ones match.
 */
export function toCandidates(
  payload: AdapterPayload,
  adapter: AdapterSettings,
  task: string,
  now: Date,
): AdapterCandidates {
  const taken = payload.items.slice(0, adapter.maxItems)
  const hits = fitting(taken, task)
  const fresh = new Map(
    taken.map((item) => [item, freshnessOf(timesOf(payload, item), now, adapter.staleAfterSeconds)]),
  )
  const candidates = [...fresh].map(([item, freshness]) =>
    candidateOf(adapter, payload, item, freshness, hits.get(item.id)),
  )
  return { candidates, omitted: leftOut(payload, adapter), warnings: warningsOf(payload, adapter, [...fresh.values()]) }
}

function timesOf({ fetchedAt }: AdapterPayload, { updatedAt }: AdapterItem) {
  return { fetchedAt, updatedAt }
}

function candidateOf(
  { id: adapterId }: AdapterSettings,
  { fetchedAt }: AdapterPayload,
  item: AdapterItem,
  { state, stalenessSeconds }: Freshness,
  hit: RankHit | undefined,
): Candidate {
  const text = textOf(item)
  return {
    path: `${adapterId}:${item.id}`,
    sourceClass: 'adapter',
    selectedBy: 'adapter',
    reason: hit === undefined ? 'nothing in it matches the task' : `ranked: ${describeWhy(hit.why)}`,
    score: roundScore(hit?.confidence ?? 0),
    text,
    charsTotal: text.length,
    sha256: sha256(text),
    provenance: {
      adapter_id: adapterId,
      fetched_at: fetchedAt,
      updated_at: item.updatedAt,
      staleness_seconds: stalenessSeconds,
      freshness: state,
    },
    isWhole: false,
  }
}

/** The text of an item contains every field, so that a check of the text checks all of them. */
function textOf({ id, title, state, priority, updatedAt, summary, tags }: AdapterItem): string {
  const facts = [
    state === '' ? [] : [`state ${state}`],
    priority === null ? [] : [`priority ${priority}`],
    updatedAt === null ? [] : [`updated ${updatedAt}`],
  ].flat()
  const lines = [
    title === '' ? id : `${id}: ${title}`,
    facts.join(', '),
    summary,
    tags.length === 0 ? '' : `tags: ${tags.join(', ')}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function fitting(items: readonly AdapterItem[], task: string): Map<string, RankHit> {
  if (items.length === 0) return new Map()
  const documents = items.map(({ id, title, summary, tags }) => ({
    id,
    name: title,
    description: summary,
    keywords: tags,
  }))
  return new Map(rankDocuments(documents, task).map((hit) => [hit.id, hit]))
}

function leftOut({ items, duplicates }: AdapterPayload, { id: adapterId, maxItems }: AdapterSettings): Omission[] {
  const omission = (id: string, reason: Omission['reason'], detail: string): Omission => {
    return { path: `${adapterId}:${id}`, sourceClass: 'adapter', reason, detail }
  }
  const beyond = items.slice(maxItems)
  return [
    ...nameFew(
      beyond.map(({ id }) => omission(id, 'budget', `at most ${maxItems} items of this adapter are taken`)),
      (count) => omission('*', 'budget', `${count} more: at most ${maxItems} items of this adapter are taken`),
    ),
    ...nameFew(
      duplicates.map((id) => omission(id, 'duplicate', 'another item has the same id')),
      (count) => omission('*', 'duplicate', `${count} more with duplicate ids`),
    ),
  ]
}

function warningsOf(payload: AdapterPayload, { id, staleAfterSeconds }: AdapterSettings, all: Freshness[]): Finding[] {
  const warn = (code: Finding['code'], message: string): Finding => ({
    severity: 'warning',
    code,
    message,
    subject: id,
  })
  const [first] = all
  const warnings: Finding[] = []
  if (payload.adapterId !== id) {
    warnings.push(warn('ADAPTER_NAME', `the adapter ${id} calls itself ${JSON.stringify(payload.adapterId)}`))
  }
  if (payload.duplicates.length > 0) {
    warnings.push(warn('ADAPTER_DUPLICATES', `the adapter ${id} returned ${payload.duplicates.length} items twice`))
  }
  if (first?.state === 'stale') {
    const message = `the data of the adapter ${id} is ${first.stalenessSeconds} s old, more than ${staleAfterSeconds} s`
    warnings.push(warn('ADAPTER_STALE', message))
  } else if (all.some(({ state }) => state === 'unknown')) {
    warnings.push(warn('ADAPTER_STALE', `the adapter ${id} does not say when it fetched its data`))
  }
  return warnings
}
