import { type Approval, changesSince, type FileDigests, summarizeChanges } from '../../../machine/rules/approval.ts'
import { type Verdict, whyNot } from '../../../machine/rules/verdict.ts'
import { printableLine } from '../../../text/printable.ts'
import { clip } from '../../../text/text-width.ts'
import type { Code, Severity } from '../../../text/trouble.ts'
import { sha256 } from '../../../text/values.ts'
import { type KnowledgePack, type PackWarning, SCOPES, type Scope, TIERS, type Tier, type TrustLabel } from '../pack.ts'

/** Whose packs have to be approved, besides those that always have to. */
export interface TrustPolicy {
  approvalFor: readonly Scope[]
  /** Whether naming a pack by its path is already a yes to it. */
  explicitPathIsApproval: boolean
}

/** For unreadable approvals: denials are unknown, so no location is trusted by itself. */
export const TRUST_NO_PLACE: TrustPolicy = { approvalFor: SCOPES, explicitPathIsApproval: false }

export const DEFAULT_TRUST_POLICY: TrustPolicy = { approvalFor: ['workspace'], explicitPathIsApproval: false }

/**
 * Trusted by its place; approved by a person; or not open, because it is undecided, it changed since, it was denied, or
 * the catalog of the team holds it back.
 */
const TRUST_STATES = ['trusted', 'approved', 'unapproved', 'changed', 'denied', 'held'] as const
export type TrustState = (typeof TRUST_STATES)[number]

/** What follows from a pack's place, a person's answer and, to its disadvantage only, from what it says of itself. */
export interface Trust {
  state: TrustState
  /** Whether anything but the metadata may be read. */
  isOpen: boolean
  /** How far it is open. */
  tier: Tier | undefined
  approvalId?: string
  /** What was approved. A later reader of a file must find exactly this. */
  files?: FileDigests
  /** What differs from it, in words. */
  changes?: readonly string[]
  /** Why the catalog holds it back. */
  held?: Held
  warnings: readonly PackWarning[]
}

export type TrustedPack = KnowledgePack & { trust: Trust }

interface Held {
  code: 'CATALOG_HELD' | 'CATALOG_RETIRED'
  why: string
}

/** What to do about a pack that the team's catalog holds back. */
export const HELD_HINT = 'loadout catalog search shows what is approved; loadout sync asks the catalog again'

/** What a pack is now. */
export interface PackState {
  /** Whether the folder still belongs to the repository, or is the folder, that was approved. */
  isSamePlace: boolean
  /** Undefined where they could not be read. */
  files: FileDigests | undefined
}

/** The gate before the status gate. `current` matters only when there is an approval to compare it with. */
export function trustOf(
  { scope, manifest }: Pick<KnowledgePack, 'scope' | 'manifest'>,
  approval: Approval | undefined,
  current: PackState | undefined,
  policy: TrustPolicy,
): Trust {
  // A denial shuts every place: it is also how a person switches a pack off.
  if (approval?.decision === 'denied') return shut('denied', approval)
  if (!needsApproval(scope, policy)) {
    return { state: 'trusted', isOpen: true, tier: 'evidence', warnings: labelWarnings(manifest.trust) }
  }
  if (approval === undefined) return shut('unapproved')
  const changes = changesOf(approval, current)
  const { tier, id, files } = approval
  const pinned = files === undefined ? {} : { files }
  if (changes.length > 0) return { ...shut('changed', approval, changes), ...pinned, changes }
  return {
    state: 'approved',
    isOpen: true,
    tier,
    approvalId: id,
    ...pinned,
    warnings: labelWarnings(manifest.trust),
  }
}

/** What the digest of a version in the catalog is made from: every file of the pack. */
export function packDigest(files: FileDigests): string {
  return sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/**
 * The catalog of the team takes away and never adds: what it does not approve is shut, and of what it approves only the
 * very files that were signed may be read. `read` gives the files as they are; undefined where they cannot be read.
 */
export function obeyVerdict(trust: Trust, verdict: Verdict | undefined, read: () => FileDigests | undefined): Trust {
  if (verdict === undefined || trust.state === 'denied') return trust
  if (verdict.state !== 'approved') {
    const code = verdict.state === 'retired' ? 'CATALOG_RETIRED' : 'CATALOG_HELD'
    return heldBack({ code, why: whyNot(verdict) })
  }
  // Reads nothing of a pack without a decision here.
  if (!trust.isOpen) return trust
  const files = read()
  if (files !== undefined && packDigest(files) === verdict.digest) return { ...trust, files }
  const { version, by = 'somebody' } = verdict
  return heldBack({ code: 'CATALOG_HELD', why: `it is not version ${version} that ${by} approved in the catalog` })
}

function heldBack(held: Held): Trust {
  return { state: 'held', isOpen: false, tier: undefined, held, warnings: [warning('error', held.code, held.why)] }
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

function changesOf({ files, follow }: Approval, current: PackState | undefined): string[] {
  if (current === undefined) return ['its files are not known']
  if (files === undefined && follow !== true) return ['an earlier version approved KNOWLEDGE.md only']
  if (!current.isSamePlace) return ['another project lies at this path now']
  if (follow === true) return []
  return current.files === undefined ? ['its files cannot be read'] : changesSince(files ?? {}, current.files)
}

const SHUT: Record<'denied' | 'unapproved' | 'changed', string> = {
  denied: 'it was denied, and is not read',
  unapproved: 'it is not approved yet; only its metadata is shown',
  changed: 'it must be approved again',
}

function shut(state: keyof typeof SHUT, approval?: Approval, changes: readonly string[] = []): Trust {
  const id = approval === undefined ? {} : { approvalId: approval.id }
  return {
    state,
    isOpen: false,
    tier: undefined,
    ...id,
    warnings: [
      warning(
        'error',
        `pack.trust.${state}`,
        [SHUT[state], ...changes.slice(0, 1).map(() => summarizeChanges(changes))].join(': '),
      ),
    ],
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

/**
 * Effective trust, compared: open or not, how far, and what its label takes away. A label that praises adds nothing.
 */
export function isTrustedLess(a: Judged, b: Judged): boolean {
  const rank = ({ manifest, trust }: Judged) => [
    trust.isOpen ? 1 : 0,
    trust.tier === undefined ? -1 : TIERS.indexOf(trust.tier),
    Math.min(LABEL_ORDER.indexOf(manifest.trust), LABEL_ORDER.indexOf('user-confirmed')),
  ]
  const other = rank(b)
  return rank(a).some((value, at) => value < (other[at] ?? 0))
}

/** Whether the user can still be asked about it. */
export function isUndecided({ trust }: TrustedPack): boolean {
  return trust.state === 'unapproved' || trust.state === 'changed'
}

/** The name of a pack, safe to print in a sentence: it may be hostile. */
export function packWord(name: string): string {
  return clip(printableLine(name), 64)
}
