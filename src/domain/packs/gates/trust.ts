import type { Code } from '../../shared/codes.ts'
import type { Severity } from '../../shared/finding.ts'
import type { KnowledgePack } from '../pack.ts'
import { SCOPES, type Scope, TIERS, type Tier, type TrustLabel } from '../vocabulary.ts'
import type { PackWarning } from '../warning.ts'
import type { Approval } from './approval.ts'

/** Whose packs have to be approved, besides those that always have to. */
export interface TrustPolicy {
  approvalFor: readonly Scope[]
  /** Whether naming a pack by its path is already a yes to it. */
  explicitPathIsApproval: boolean
}

/** For when the answers cannot be read: nobody knows what was denied, so that no place speaks for itself. */
export const TRUST_NO_PLACE: TrustPolicy = { approvalFor: SCOPES, explicitPathIsApproval: false }

export const DEFAULT_TRUST_POLICY: TrustPolicy = { approvalFor: ['workspace'], explicitPathIsApproval: false }

/** Trusted by its place; approved by a person; or not open, because nobody was asked, it changed since, or it was denied. */
export const TRUST_STATES = ['trusted', 'approved', 'unapproved', 'changed', 'denied'] as const
export type TrustState = (typeof TRUST_STATES)[number]

/** What follows from a pack's place, a person's answer and, to its disadvantage only, from what it says of itself. */
export interface Trust {
  state: TrustState
  /** Whether anything but the metadata may be read. */
  isOpen: boolean
  /** How far it is open. */
  tier: Tier | undefined
  approvalId?: string
  /** Of KNOWLEDGE.md as it was approved. Whoever reads it later must find this, or has read something else. */
  digest?: string
  warnings: readonly PackWarning[]
}

/** What a pack's files are now. Undefined where they could not be read. */
export interface PackDigests {
  digest: string | undefined
  treeDigest?: string | undefined
}

/** The gate before the status gate. `current` matters only when there is an approval to compare it with. */
export function trustOf(
  { scope, manifest }: Pick<KnowledgePack, 'scope' | 'manifest'>,
  approval: Approval | undefined,
  current: PackDigests | undefined,
  policy: TrustPolicy,
): Trust {
  // A denial shuts every place: it is also how a person switches a pack off.
  if (approval?.decision === 'denied') return shut('denied', approval)
  if (!needsApproval(scope, policy)) {
    return { state: 'trusted', isOpen: true, tier: 'evidence', warnings: labelWarnings(manifest.trust) }
  }
  if (approval === undefined) return shut('unapproved')
  if (!isUnchanged(approval, current)) return shut('changed', approval)
  const { tier, id, digest } = approval
  const warnings = labelWarnings(manifest.trust)
  return {
    state: 'approved',
    isOpen: true,
    tier,
    approvalId: id,
    ...(digest === undefined ? {} : { digest }),
    warnings,
  }
}

/** What comes with a workspace, or lies at a path that was only named, is a stranger's; no setting makes it ours. */
export function needsApproval(scope: Scope, policy: TrustPolicy): boolean {
  if (scope === 'explicit') return !policy.explicitPathIsApproval
  return scope === 'workspace' || policy.approvalFor.includes(scope)
}

/** Whether a tier is open that a reader needs. */
export function opensTier({ isOpen, tier }: Trust, wanted: Tier): boolean {
  return isOpen && tier !== undefined && TIERS.indexOf(tier) >= TIERS.indexOf(wanted)
}

function isUnchanged({ digest, treeDigest }: Approval, current: PackDigests | undefined): boolean {
  if (current === undefined || digest === undefined || current.digest !== digest) return false
  return treeDigest === undefined || current.treeDigest === treeDigest
}

const SHUT: Record<'denied' | 'unapproved' | 'changed', string> = {
  denied: 'it was denied, and is not read',
  unapproved: 'nobody has approved it yet; only its metadata is shown',
  changed: 'it has changed since it was approved, and must be approved again',
}

function shut(state: keyof typeof SHUT, approval?: Approval): Trust {
  const id = approval === undefined ? {} : { approvalId: approval.id }
  return {
    state,
    isOpen: false,
    tier: undefined,
    ...id,
    warnings: [warning('error', `pack.trust.${state}`, SHUT[state])],
  }
}

function labelWarnings(label: TrustLabel): PackWarning[] {
  if (label === 'external') return [warning('warning', 'pack.trust.external', 'it says that it comes from outside')]
  if (label === 'unreviewed') {
    return [warning('warning', 'pack.trust.unreviewed', 'it does not say that anybody has reviewed it')]
  }
  return []
}

function warning(severity: Severity, code: Code, message: string): PackWarning {
  return { severity, code, path: 'KNOWLEDGE.md', message }
}

const LABEL_ORDER: readonly TrustLabel[] = ['external', 'unreviewed', 'user-confirmed', 'official']

/** What two packs say of themselves, compared. Below zero: the first claims less. */
export function compareLabels(a: TrustLabel, b: TrustLabel): number {
  return LABEL_ORDER.indexOf(a) - LABEL_ORDER.indexOf(b)
}

interface Judged {
  manifest: Pick<KnowledgePack['manifest'], 'trust'>
  trust: Trust
}

/** Effective trust, compared: open or not, how far, and what its label takes away. A label that praises adds nothing. */
export function isTrustedLess(a: Judged, b: Judged): boolean {
  const rank = ({ manifest, trust }: Judged) => [
    trust.isOpen ? 1 : 0,
    trust.tier === undefined ? -1 : TIERS.indexOf(trust.tier),
    Math.min(LABEL_ORDER.indexOf(manifest.trust), LABEL_ORDER.indexOf('user-confirmed')),
  ]
  const other = rank(b)
  return rank(a).some((value, at) => value < (other[at] ?? 0))
}
