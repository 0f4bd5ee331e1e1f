import { type Finding, report } from '../../text/trouble.ts'
import type { DispatchTable } from './dispatch-table.ts'
import type { MergeConflict } from './layers.ts'
import { type Budget, type LoadoutEntry, type Phase, tokensOf } from './loadout-index.ts'
import { type MatchResult, matchTable } from './match.ts'

/** What a task needs, why, and what it costs. */
export interface LoadPlan extends Selection {
  /** Not loaded by this task: manual entries and entries that did not match, in merged order. */
  manual: LoadoutEntry[]
  /** Those of them that are not manual: nothing in the task matched. */
  unmatched: LoadoutEntry[]
  /** Entry id → the layer it comes from. */
  provenance: Record<string, string>
  /** Layer → the folder from which the paths of its entries start. */
  roots: Record<string, string>
  budget: Budget
  conflicts: MergeConflict[]
  layerNames: string[]
}

export interface Selection {
  /** Load at once. */
  preload: MatchResult[]
  /** Matched by the task, best first. */
  onDemand: MatchResult[]
  /** Matched, but excluded by the phase or the budget. */
  leftOut: LeftOut[]
  preloadTokens: number
  onDemandTokens: number
  findings: Finding[]
}

export interface LeftOut {
  match: MatchResult
  reason: string
}

export interface SelectionRules {
  /** Only entries for this phase. */
  phase?: Phase
  /** Maximum tokens of the plan. Core entries come first and are never left out. */
  budget?: number
  /** Nothing is preloaded: core entries are offered first instead. */
  lazyLoad?: boolean
}

const OFFERED_REASON = 'core: offered first, because lazyLoad preloads nothing'

export function selectEntries(task: string, table: DispatchTable, rules: SelectionRules = {}): Selection {
  return selectMatches(matchTable(task, table), rules)
}

/** Applies phase, budget and lazyLoad to the matches of a strategy. */
export function selectMatches(matches: readonly MatchResult[], rules: SelectionRules): Selection {
  const leftOut: LeftOut[] = []
  const preload: MatchResult[] = []
  const offered: MatchResult[] = []
  const matched: MatchResult[] = []
  for (const match of matches) {
    if (rules.phase !== undefined && match.entry.triggers?.[rules.phase] === false) {
      leftOut.push({ match, reason: `phase: not for ${rules.phase}` })
    } else if (match.mode === 'eager' && !rules.lazyLoad) preload.push(match)
    else if (match.mode === 'eager') offered.push({ ...match, mode: 'lazy', reason: OFFERED_REASON })
    else matched.push(match)
  }
  const candidates = [...offered, ...matched]
  const preloadTokens = sumTokens(preload)
  const onDemand =
    rules.budget === undefined ? candidates : takeFitting(candidates, rules.budget - preloadTokens, leftOut)
  return {
    preload,
    onDemand,
    leftOut,
    preloadTokens,
    onDemandTokens: sumTokens(onDemand),
    findings: coreFindings(preloadTokens, rules.budget),
  }
}

/** Every entry that is neither preloaded, on demand nor left out, in merged order. */
export function restOf(
  table: DispatchTable,
  selection: Selection,
  give: (entry: LoadoutEntry) => LoadoutEntry = (entry) => entry,
): Pick<LoadPlan, 'manual' | 'unmatched'> {
  const { preload, onDemand, leftOut } = selection
  const chosen = new Set([...preload, ...onDemand, ...leftOut.map(({ match }) => match)].map(({ entry }) => entry.id))
  const manual: LoadoutEntry[] = []
  const unmatched: LoadoutEntry[] = []
  for (let position = 0; position < table.size; position++) {
    const entry = table.entryAt(position)
    if (chosen.has(entry.id)) continue
    const given = give(entry)
    manual.push(given)
    if (entry.priority !== 'manual') unmatched.push(given)
  }
  return { manual, unmatched }
}

/** Best first, each that still fits: an entry that is too large does not exclude a smaller one after it. */
function takeFitting(candidates: readonly MatchResult[], budget: number, leftOut: LeftOut[]): MatchResult[] {
  const chosen: MatchResult[] = []
  let left = Math.max(0, budget)
  for (const match of candidates) {
    const cost = tokensOf(match.entry)
    if (cost <= left) {
      chosen.push(match)
      left -= cost
    } else {
      leftOut.push({ match, reason: `budget: needs ${cost} tokens, ${left} left` })
    }
  }
  return chosen
}

function sumTokens(matches: readonly MatchResult[]): number {
  return matches.reduce((sum, { entry }) => sum + tokensOf(entry), 0)
}

function coreFindings(preloadTokens: number, budget: number | undefined): Finding[] {
  if (budget === undefined || preloadTokens <= budget) return []
  return [report('BUDGET_TOO_SMALL/core-over-budget', { tokens: preloadTokens, budget })]
}
