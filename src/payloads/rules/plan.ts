import { type Finding, report } from '../../text/trouble.ts'
import { fitInto } from '../../text/values.ts'
import type { MergeConflict } from './layers.ts'
import { type Budget, type LoadoutEntry, type Phase, tokensOf } from './loadout-index.ts'
import type { MatchResult } from './match.ts'

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
    else if (match.mode === 'eager')
      offered.push({ ...match, mode: 'lazy', reason: 'core: offered first, because lazyLoad preloads nothing' })
    else matched.push(match)
  }
  const { budget = Infinity } = rules
  const preloadTokens = preload.reduce((sum, { entry }) => sum + tokensOf(entry), 0)
  // Best first, each that still fits: an entry that is too large does not exclude a smaller one after it.
  const rest = Math.max(0, budget - preloadTokens)
  const { fitting, left, used } = fitInto([...offered, ...matched], rest, ({ entry }) => tokensOf(entry))
  for (const { item: match, size, room } of left) {
    leftOut.push({ match, reason: `budget: needs ${size} tokens, ${room} left` })
  }
  const isOver = preloadTokens > budget
  return {
    preload,
    onDemand: fitting,
    leftOut,
    preloadTokens,
    onDemandTokens: used,
    findings: isOver ? [report('BUDGET_TOO_SMALL/core-over-budget', { tokens: preloadTokens, budget })] : [],
  }
}
