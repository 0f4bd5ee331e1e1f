export {
  discoverLayers,
  manualLookup,
  planLoad,
  type ResolvedLoadout,
  type ResolveOptions,
  type RuntimeOptions,
  recordLoad,
  resolveLoadout,
} from './payloads/library.ts'
export {
  analyzeBudget,
  type BudgetBreakdown,
  type DeadEntry,
  findDeadEntries,
  findKeywordOverlaps,
  type KeywordOverlap,
} from './payloads/rules/analysis.ts'
export { type Frontmatter, parseFrontmatter, serializeFrontmatter } from './payloads/rules/frontmatter.ts'
export {
  type DiscoveredLayer,
  type EntryDefinition,
  type EntryExplanation,
  explainEntry,
  type MergeConflict,
  type MergedIndex,
  mergeIndexes,
  type SearchedLayer,
} from './payloads/rules/layers.ts'
export type { Budget, LoadoutIndex } from './payloads/rules/loadout-index.ts'
export {
  DEFAULT_TRIGGERS,
  type LoadoutEntry,
  type Phase,
  type Priority,
  type Triggers,
} from './payloads/rules/loadout-index.ts'
export { lookupEntry, type MatchResult, matchLoadout } from './payloads/rules/match.ts'
export type { LeftOut, LoadPlan } from './payloads/rules/plan.ts'
export { type IssueSeverity, type ValidationIssue, validateIndex } from './payloads/rules/validate.ts'
export type {
  RankDocument,
  RankExplanation,
  RankHit,
  RankOutcome,
  RankRequest,
  Why,
} from './search/document.ts'
export { createRanker, loadRanker, type Ranker, type RankerOptions } from './search/ranker.ts'
export { estimateTokens } from './text/tokens.ts'
export type { Finding } from './text/trouble.ts'
export { readUsage, recordUsage } from './usage/log.ts'
export { summarizeUsage, type UsageSummary } from './usage/rules/summary.ts'
export type { LoadMode, UsageEvent } from './usage/rules/usage-event.ts'
