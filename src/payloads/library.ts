import { localMachine } from '../machine/machine.ts'
import type { Finding } from '../text/trouble.ts'
import { recordUsage } from '../usage/log.ts'
import type { LoadMode } from '../usage/rules/usage-event.ts'
import { layerPlaces, openKnowledge, type ResolveOptions, readKnowledge, readLayers } from './knowledge.ts'
import { planWith } from './plan.ts'
import type { DiscoveredLayer, MergedIndex, SearchedLayer } from './rules/layers.ts'
import type { LoadoutEntry } from './rules/loadout-index.ts'
import { lookupEntry, type MatchResult } from './rules/match.ts'
import type { LoadPlan, SelectionRules } from './rules/plan.ts'

export type { ResolveOptions }

/** Options of the package's own functions, which are synchronous and work on this machine. */
export interface RuntimeOptions extends ResolveOptions, Pick<SelectionRules, 'phase' | 'budget'> {
  /** `recordLoad` appends here; without it nothing is recorded. */
  usagePath?: string
  /** Equal for all loads of one task. */
  taskHash?: string
  /** The layer an entry came from, for the record. */
  sourceLayer?: string
}

export interface ResolvedLoadout {
  merged: MergedIndex
  layers: DiscoveredLayer[]
  searched: SearchedLayer[]
  /** Broken layers and skipped entries. */
  findings: Finding[]
}

/** Looks in the fixed places, in the fixed order. */
export function discoverLayers(options: ResolveOptions = {}): Omit<ResolvedLoadout, 'merged'> {
  return readLayers(layerPlaces(localMachine(), options))
}

export function resolveLoadout(options: ResolveOptions = {}): ResolvedLoadout {
  const { merged, layers, searched, findings } = readKnowledge(localMachine(), options)
  return { merged, layers, searched, findings }
}

/**
 * What a task needs. Unchanged index files are read once. The caller may change the plan: it consists of copies; copies
 * of entries that are not loaded are made when first read.
 */
export function planLoad(task: string, options: RuntimeOptions = {}): LoadPlan {
  const knowledge = openKnowledge(localMachine(), options)
  const plan = planWith(knowledge, task, { phase: options.phase, budget: options.budget }, copyEntry)
  const own = (match: MatchResult) => ({ ...match, entry: copyEntry(match.entry) })
  return Object.assign(plan, {
    preload: plan.preload.map(own),
    onDemand: plan.onDemand.map(own),
    leftOut: plan.leftOut.map(({ match, reason }) => ({ match: own(match), reason })),
    budget: { ...plan.budget },
    conflicts: plan.conflicts.map((conflict) => ({ ...conflict, layers: [...conflict.layers] })),
    layerNames: [...plan.layerNames],
  })
}

export function manualLookup(id: string, options: RuntimeOptions = {}): LoadoutEntry | undefined {
  return lookupEntry(id, readKnowledge(localMachine(), options).merged)
}

/** Records that an agent loaded an entry, if a log was named. */
export function recordLoad(
  entryId: string,
  trigger: string,
  mode: LoadMode,
  tokensEst: number,
  options: RuntimeOptions = {},
): void {
  const { usagePath, taskHash = 'unknown', sourceLayer } = options
  if (!usagePath) return
  const timestamp = localMachine().now().toISOString()
  const event = { timestamp, taskHash, entryId, trigger, mode, tokensEst }
  recordUsage(sourceLayer === undefined ? event : { ...event, sourceLayer }, usagePath)
}

function copyEntry(entry: LoadoutEntry): LoadoutEntry {
  const { keywords, patterns, triggers } = entry
  return { ...entry, keywords: [...keywords], patterns: [...patterns], triggers: { ...triggers } }
}
