/** What a pack says about its own readiness. Each has a gate of its own. */
export const PACK_STATUSES = ['ready', 'draft', 'needs-review', 'stale', 'disputed', 'archived'] as const
export type PackStatus = (typeof PACK_STATUSES)[number]

/** A pack's word about itself: it can lower trust, never raise it. */
export const TRUST_LABELS = ['unreviewed', 'user-confirmed', 'official', 'external'] as const
export type TrustLabel = (typeof TRUST_LABELS)[number]

/** How much a pack wants its statements tied to sources. */
export const GROUNDINGS = ['none', 'recommended', 'required'] as const
export type Grounding = (typeof GROUNDINGS)[number]

/** Where a pack keeps its primary facts. */
export const PROFILES = ['document-first', 'wiki-first', 'hybrid'] as const
export type Profile = (typeof PROFILES)[number]

/** How the context of a pack is used: as facts, or as a voice. */
export const RUNTIME_MODES = ['data', 'persona'] as const
export type RuntimeMode = (typeof RUNTIME_MODES)[number]

export const PACK_TYPES = [
  'personal-profile',
  'brand-product',
  'brand-persona',
  'organization-knowhow',
  'domain-reference',
  'research-wiki',
  'content-operations',
  'private-domain-operations',
  'live-commerce-operations',
  'campaign-operations',
  'growth-strategy',
  'content-ontology',
] as const

/** Where a pack was found. Of two with one name the earlier scope wins. */
export const SCOPES = ['explicit', 'workspace', 'user', 'organization', 'built-in'] as const
export type Scope = (typeof SCOPES)[number]

/** How a pack came to be used: it was named, or it fits the task. */
export const ACTIVATIONS = ['explicit', 'implicit', 'resolver-driven'] as const
export type Activation = (typeof ACTIVATIONS)[number]

export const CLAIM_STATUSES = ['confirmed', 'inferred', 'disputed', 'stale', 'missing', 'source-required'] as const
export type ClaimStatus = (typeof CLAIM_STATUSES)[number]

/** Of compile runs and of the records of a resolution. */
export const RUN_STATUSES = ['passed', 'needs-review', 'stale', 'disputed', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** The folders of a pack, each with its own rules for who may read it and when. */
export const LAYERS = ['compiled', 'documents', 'wiki', 'sources', 'indexes', 'ontology', 'answers', 'assets'] as const
export type PackLayer = (typeof LAYERS)[number]

/** How far an approval opens a pack. Each tier includes the ones before it. */
export const TIERS = ['guide', 'context', 'evidence'] as const
export type Tier = (typeof TIERS)[number]

/** A word of a closed list, or undefined. */
export function oneOf<T extends string>(words: readonly T[], value: unknown): T | undefined {
  return words.find((word) => word === value)
}
