export {
  discoverLayers,
  manualLookup,
  planLoad,
  type ResolvedLoadout,
  type ResolveOptions,
  type RuntimeOptions,
  readUsage,
  recordLoad,
  recordUsage,
  resolveLoadout,
} from './app/routing/library.ts'
export {
  DEFAULT_TRIGGERS,
  type LoadMode,
  type LoadoutEntry,
  type Phase,
  type Priority,
  type Triggers,
} from './domain/routing/entry.ts'
export { type Frontmatter, parseFrontmatter, serializeFrontmatter } from './domain/routing/frontmatter.ts'
export {
  type DiscoveredLayer,
  type EntryDefinition,
  type EntryExplanation,
  explainEntry,
  type MergeConflict,
  type MergedIndex,
  mergeIndexes,
  type SearchedLayer,
} from './domain/routing/layers.ts'
export type { Budget, LoadoutIndex } from './domain/routing/loadout-index.ts'
export { lookupEntry, type MatchResult, matchLoadout } from './domain/routing/match.ts'
export type { LeftOut, LoadPlan } from './domain/routing/plan.ts'
export type {
  RankDocument,
  RankExplanation,
  RankHit,
  RankOutcome,
  RankRequest,
  Why,
} from './domain/routing/rank/document.ts'
export { createRanker, loadRanker, type Ranker, type RankerOptions } from './domain/routing/rank/ranker.ts'
export { estimateTokens } from './domain/routing/tokens.ts'
export { type IssueSeverity, type ValidationIssue, validateIndex } from './domain/routing/validate.ts'
export type { Finding } from './domain/shared/trouble.ts'
export {
  analyzeBudget,
  type BudgetBreakdown,
  type DeadEntry,
  findDeadEntries,
  findKeywordOverlaps,
  type KeywordOverlap,
} from './domain/usage/analysis.ts'
export { summarizeUsage, type UsageSummary } from './domain/usage/summary.ts'
export type { UsageEvent } from './domain/usage/usage-event.ts'
