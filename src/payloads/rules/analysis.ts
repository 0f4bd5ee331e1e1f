import type { UsageSummary } from '../../usage/rules/summary.ts'
import { isLoad, kindOf, type UsageEvent } from '../../usage/rules/usage-event.ts'
import { entriesOf, isDomain, isUsable, type LoadoutEntry, type LoadoutIndex, tokensOf } from './loadout-index.ts'
import { normalKeyword } from './match.ts'

export interface DeadEntry {
  entry: LoadoutEntry
  reason: string
}

export interface KeywordOverlap {
  keyword: string
  /** Ids of the entries that share it. */
  entries: string[]
}

export interface BudgetBreakdown {
  totalTokens: number
  coreTokens: number
  domainTokens: number
  manualTokens: number
  coreEntries: number
  domainEntries: number
  manualEntries: number
  avgDomainSize: number
  largestEntry: { id: string; tokens: number } | null
  smallestEntry: { id: string; tokens: number } | null
  /** Tokens per load. */
  observedAvg: number | null
}

/** Entries that could have been loaded and never were, the heaviest first. Core entries always load. */
export function findDeadEntries(index: LoadoutIndex, events: readonly UsageEvent[]): DeadEntry[] {
  // A pack or a skill may have the id of a payload.
  const isPayloadLoad = (event: UsageEvent | null | undefined) =>
    event != null && isLoad(event) && kindOf(event) === 'payload'
  return deadEntries(index, new Set(events.filter(isPayloadLoad).map(({ entryId }) => entryId)))
}

export function deadEntries(index: LoadoutIndex, loadedIds: ReadonlySet<string>): DeadEntry[] {
  return entriesOf(index)
    .filter((entry) => isUsable(entry) && entry.priority !== 'core' && !loadedIds.has(entry.id))
    .map((entry) => ({ entry, reason: `Never loaded (${entry.tokens_est} tokens wasted in index)` }))
    .sort((a, b) => tokensOf(b.entry) - tokensOf(a.entry))
}

/** Keywords of more than one entry, in any spelling, the most shared first. */
export function findKeywordOverlaps(index: LoadoutIndex): KeywordOverlap[] {
  const owners = new Map<string, { keyword: string; ids: Set<string> }>()
  for (const entry of entriesOf(index)) {
    if (!isUsable(entry)) continue
    for (const keyword of entry.keywords ?? []) {
      const normal = normalKeyword(keyword)
      const known = owners.get(normal)
      if (known === undefined) owners.set(normal, { keyword, ids: new Set([entry.id]) })
      else known.ids.add(entry.id)
    }
  }
  return [...owners.values()]
    .filter(({ ids }) => ids.size > 1)
    .map(({ keyword, ids }) => ({ keyword, entries: [...ids] }))
    .sort((a, b) => b.entries.length - a.entries.length)
}

/** How the tokens of an index are distributed. */
export function analyzeBudget(index: LoadoutIndex, usage?: readonly UsageSummary[]): BudgetBreakdown {
  const used = usage ?? []
  const entries = entriesOf(index).filter(isUsable)
  const tier = (isMember: (entry: LoadoutEntry) => boolean) => {
    const members = entries.filter(isMember)
    return { count: members.length, tokens: members.reduce((sum, entry) => sum + tokensOf(entry), 0) }
  }
  const core = tier(({ priority }) => priority === 'core')
  const domain = tier(isDomain)
  const manual = tier(({ priority }) => priority === 'manual')
  const loads = used.reduce((sum, { loadCount }) => sum + loadCount, 0)
  const loaded = used.reduce((sum, { totalTokens }) => sum + totalTokens, 0)
  const bySize = [...entries].sort((a, b) => tokensOf(b) - tokensOf(a))
  return {
    totalTokens: core.tokens + domain.tokens + manual.tokens,
    coreTokens: core.tokens,
    domainTokens: domain.tokens,
    manualTokens: manual.tokens,
    coreEntries: core.count,
    domainEntries: domain.count,
    manualEntries: manual.count,
    avgDomainSize: domain.count > 0 ? Math.round(domain.tokens / domain.count) : 0,
    largestEntry: sizeOf(bySize.at(0)),
    smallestEntry: sizeOf(bySize.at(-1)),
    observedAvg: loads > 0 ? Math.round(loaded / loads) : null,
  }
}

function sizeOf(entry: LoadoutEntry | undefined): { id: string; tokens: number } | null {
  return entry === undefined ? null : { id: entry.id, tokens: entry.tokens_est }
}
