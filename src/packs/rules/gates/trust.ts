import { type Approval, changesSince, type FileDigests, summarizeChanges } from '../../../machine/rules/approval.ts'
import { type Verdict, whyNot } from '../../../machine/rules/verdict.ts'
import { printableLine, shellWord } from '../../../text/printable.ts'
import { clip } from '../../../text/text-width.ts'
import { type Code, LoadoutError, type Severity } from '../../../text/trouble.ts'
import { sha256 } from '../../../text/values.ts'
import {
  isKnownType,
  type KnowledgePack,
  PACK_FILE,
  PACK_TYPES,
  type PackStatus,
  type PackWarning,
  SCOPES,
  type Scope,
  settleWarnings,
  type TrustLabel,
} from '../pack.ts'

/** Which packs need an approval, besides those that always need one. */
export interface TrustPolicy {
  approvalFor: readonly Scope[]
  /** Whether naming a pack by its path approves it. */
  explicitPathIsApproval: boolean
}

/** Used while approvals cannot be read: denials are unknown, so no place is trusted. */
export const TRUST_NO_PLACE: TrustPolicy = { approvalFor: SCOPES, explicitPathIsApproval: false }

/** Open: `trusted` by its place, or `approved` by a person. Closed: all others; `held` by the team's catalog. */
export type TrustState = 'trusted' | 'approved' | 'unapproved' | 'changed' | 'denied' | 'held'

/** The decision about a pack, from its place and a person's approval. Its own label can only lower it. */
export interface Trust {
  state: TrustState
  /** Whether anything but the metadata may be read. */
  isOpen: boolean
  approvalId?: string
  /** Digests of the approved files. A reader refuses a file with another digest. */
  files?: FileDigests
  /** Differences from the approved files. */
  changes?: readonly string[]
  /** Why the catalog holds it back. */
  held?: { code: 'CATALOG_HELD' | 'CATALOG_HELD'; why: string }
  warnings: readonly PackWarning[]
}

export type TrustedPack = KnowledgePack & { trust: Trust }

/** What to do about a pack that the team's catalog holds back. */
export const HELD_HINT = 'loadout catalog search shows what is approved; loadout sync asks the catalog again'

/** What decides about the trust in a pack. */
export interface TrustFacts {
  approval: Approval | undefined
  policy: TrustPolicy
  /** What the team's catalog says. It only restricts. */
  verdict: Verdict | undefined
  /** Whether the folder is still the approved folder, or in the approved repository. */
  isSamePlace(approval: Approval): boolean
  /** The current digests; undefined if they cannot be read. */
  readFiles(): FileDigests | undefined
}

/** Decides whether the text of a pack may be read. Reads its files only if an approval or a verdict names them. */
export function decideTrust({ scope, manifest }: Pick<KnowledgePack, 'scope' | 'manifest'>, facts: TrustFacts): Trust {
  const { approval, policy, verdict } = facts
  // A denial closes also a trusted place: this is how a user switches a pack off.
  if (approval?.decision === 'denied') return shut('denied', 'it was denied and is not read', approval)
  if (verdict !== undefined && verdict.state !== 'approved') {
    return heldBack(verdict.state === 'retired' ? 'CATALOG_HELD' : 'CATALOG_HELD', whyNot(verdict))
  }
  // Packs of a project always need an approval: others may have written them, and no setting changes that.
  const isAsked = scope === 'workspace' || (scope !== 'explicit' && policy.approvalFor.includes(scope))
  const needsApproval = isAsked || (scope === 'explicit' && !policy.explicitPathIsApproval)
  if (needsApproval && approval === undefined) {
    return shut('unapproved', 'it is not approved yet; only its metadata is shown')
  }
  const changes = needsApproval && approval !== undefined ? changesOf(approval, facts) : []
  if (changes.length > 0) {
    const why = `it must be approved again: ${summarizeChanges(changes)}`
    return { ...shut('changed', why, approval), files: approval?.files, changes }
  }
  const open: Trust = needsApproval
    ? { state: 'approved', isOpen: true, approvalId: approval?.id, files: approval?.files, warnings: [] }
    : { state: 'trusted', isOpen: true, warnings: [] }
  const trust = { ...open, warnings: labelWarnings(manifest.trust) }
  if (verdict === undefined) return trust
  const files = facts.readFiles()
  if (files !== undefined && packDigest(files) === verdict.digest) return { ...trust, files }
  const { version, by = 'your team' } = verdict
  return heldBack('CATALOG_HELD', `it differs from version ${version} that ${by} approved in the catalog`)
}

function changesOf(approval: Approval, { isSamePlace, readFiles }: TrustFacts): string[] {
  const { files, follow, tier } = approval
  if (tier !== 'evidence') return ['an earlier version approved a part of it only']
  if (files === undefined && follow !== true) return ['an earlier version approved KNOWLEDGE.md only']
  if (!isSamePlace(approval)) return ['another project lies at this path now']
  if (follow === true) return []
  const current = readFiles()
  return current === undefined ? ['its files cannot be read'] : changesSince(files ?? {}, current)
}

function shut(state: 'denied' | 'unapproved' | 'changed', why: string, approval?: Approval): Trust {
  return { state, isOpen: false, approvalId: approval?.id, warnings: [warning('error', `pack.trust.${state}`, why)] }
}

function heldBack(code: 'CATALOG_HELD' | 'CATALOG_HELD', why: string): Trust {
  return { state: 'held', isOpen: false, held: { code, why }, warnings: [warning('error', code, why)] }
}

function labelWarnings(label: TrustLabel): PackWarning[] {
  if (label === 'external') return [warning('warning', 'pack.trust.external', 'it says that it comes from outside')]
  if (label !== 'unreviewed') return []
  return [warning('warning', 'pack.trust.unreviewed', 'it does not say that anybody has reviewed it')]
}

function warning(severity: Severity, code: Code, message: string): PackWarning {
  return { severity, code, path: PACK_FILE, message }
}

/** The digest of all files of a pack, which the team's catalog signs. */
export function packDigest(files: FileDigests): string {
  return sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))))
}

const LABEL_ORDER: readonly TrustLabel[] = ['external', 'unreviewed', 'user-confirmed', 'official']

/** Compares the trust that two packs declare. Negative if the first declares less. */
export function compareLabels(a: TrustLabel, b: TrustLabel): number {
  return LABEL_ORDER.indexOf(a) - LABEL_ORDER.indexOf(b)
}

interface Judged {
  manifest: Pick<KnowledgePack['manifest'], 'trust'>
  trust: Trust
}

/** Compares our decision: open, and a label that lowers trust. A label that claims more counts for nothing. */
export function isTrustedLess(a: Judged, b: Judged): boolean {
  const rank = ({ manifest, trust }: Judged) => [
    trust.isOpen ? 1 : 0,
    Math.min(LABEL_ORDER.indexOf(manifest.trust), LABEL_ORDER.indexOf('user-confirmed')),
  ]
  const other = rank(b)
  return rank(a).some((value, at) => value < (other[at] ?? 0))
}

/** Whether a user still has to approve or deny it. */
export function isUndecided({ trust }: TrustedPack): boolean {
  return trust.state === 'unapproved' || trust.state === 'changed'
}

/** The name of a pack, safe to print in a sentence: it may be hostile. */
export function packWord(name: string): string {
  return clip(printableLine(name), 64)
}

/** Whether a pack may be used. Approval (of files) and confirmation (of a status) are two answers. */
export interface Admission {
  verdict: 'admitted' | 'approval-needed' | 'confirmation-needed' | 'refused'
  reason: RefusedPack['reason'] | undefined
  /** Completes the sentence "the pack x …". Empty for an admitted pack. */
  why: string
  /** Who can open it. */
  allowedBy: 'user' | 'team' | 'author' | undefined
  warnings: readonly PackWarning[]
  /** The pages and sources behind the compiled views must be read too. */
  isDisputed: boolean
  /** Shows the list of gaps even if it is empty. */
  showsGaps: boolean
}

export interface Asked {
  /** The user named the pack. */
  isExplicit: boolean
  /** The user confirmed its status. */
  isConfirmed: boolean
}

const STATUS_SAYS: Record<Exclude<PackStatus, 'ready'>, string> = {
  draft: 'it is a draft',
  'needs-review': 'it has not been reviewed since it was last changed',
  stale: 'it is out of date',
  disputed: 'parts of it are disputed',
  archived: 'it is archived and no longer maintained',
}

/** The one gate: trust first, then the status of an open pack. A denied or held pack is not asked about again. */
export function admit(pack: TrustedPack, { isExplicit, isConfirmed }: Asked): Admission {
  const { manifest, trust } = pack
  const { status, type } = manifest
  const isUnknown = !isExplicit && !isKnownType(type, PACK_TYPES)
  const isInvalid = isUnknown || pack.warnings.some(({ code }) => code === 'pack.name.invalid')
  const isUnconfirmed = (status === 'draft' || status === 'disputed') && !isConfirmed
  const unsure = `is ${status === 'draft' ? 'a draft' : status}, so it is used only after a confirmation`
  type Rule = [applies: boolean, reason: RefusedPack['reason'], why: string, allowedBy: Admission['allowedBy']]
  const rules: Rule[] = [
    [trust.state === 'denied', 'denied', 'was denied', 'user'],
    [trust.held !== undefined, 'held', `is not used: ${trust.held?.why}`, 'team'],
    [status === undefined, 'unknown-status', 'has an unknown status', 'author'],
    [status === 'archived' && !isExplicit, 'archived', 'is archived, and is used only when it is named', 'user'],
    [!trust.isOpen, 'approval-needed', whyNotOpen(trust), 'user'],
    [isInvalid, 'invalid', 'is not used: its metadata is not valid', 'author'],
    [isUnconfirmed, 'confirmation-needed', unsure, 'user'],
  ]
  const [, reason, why = '', allowedBy] = rules.find(([applies]) => applies) ?? []
  const isWaiting = reason === 'approval-needed' || reason === 'confirmation-needed'
  const says =
    status === undefined
      ? [warning('error', 'pack.status.unknown', 'its status is unknown')]
      : status === 'ready'
        ? []
        : [warning('warning', `pack.status.${status}`, STATUS_SAYS[status])]
  return {
    verdict: reason === undefined ? 'admitted' : isWaiting ? reason : 'refused',
    reason,
    why,
    allowedBy,
    warnings: trust.isOpen ? settleWarnings([...trust.warnings, ...says]) : trust.warnings,
    isDisputed: trust.isOpen && status === 'disputed',
    showsGaps: trust.isOpen && status === 'needs-review',
  }
}

/** Completes the sentence "the pack x …" for a pack that needs an approval. */
export function whyNotOpen({ state, changes = [] }: Trust): string {
  return state === 'changed' ? `has changed since it was approved: ${summarizeChanges(changes)}` : 'is not approved'
}

/** A pack that was not used, and what would change that. */
export interface RefusedPack {
  name: string
  description: string
  scope: Scope
  path: string
  status: PackStatus | undefined
  reason: 'approval-needed' | 'confirmation-needed' | 'denied' | 'held' | 'archived' | 'unknown-status' | 'invalid'
  message: string
  /** The command that opens it, if there is one. */
  command?: string
}

/** Why a pack is not used, and the command that changes this. */
export function refuse(pack: TrustedPack, reason: RefusedPack['reason'], why: string): RefusedPack {
  const { manifest, scope, root } = pack
  const { name, description, status } = manifest
  const approve = `loadout approve ${shellWord(root)}`
  const commands: Partial<Record<RefusedPack['reason'], string>> = {
    'approval-needed': approve,
    denied: approve,
    'confirmation-needed': `add --confirm ${shellWord(name)}`,
    archived: `add --pack ${shellWord(name)}`,
  }
  const message = `the pack ${packWord(name)} ${why}`
  return { name, description, scope, path: root, status, reason, message, command: commands[reason] }
}

/** The error for a caller that asked for a closed pack. */
export function admissionError(pack: TrustedPack, reason: RefusedPack['reason'], why: string): LoadoutError {
  const { root, trust } = pack
  const word = shellWord(root)
  const errors: Record<RefusedPack['reason'], [code: Code, hint: string]> = {
    'approval-needed': ['APPROVAL_NEEDED', `read ${root} first; then loadout approve ${word}`],
    'confirmation-needed': ['CONFIRMATION_NEEDED', `loadout packs guide ${word} --confirm`],
    denied: ['pack.trust.denied', `loadout approve ${word} takes the denial back`],
    held: [trust.held?.code ?? 'CATALOG_HELD', HELD_HINT],
    archived: ['pack.status.archived', `loadout explain ${shellWord(`pack:${root}`)}`],
    'unknown-status': ['pack.status.unknown', `loadout explain ${shellWord(`pack:${root}`)}`],
    invalid: ['pack.name.invalid', `loadout validate ${word}`],
  }
  const [code, hint] = errors[reason]
  return new LoadoutError(code, `the pack ${packWord(pack.manifest.name)} ${why}`, { hint })
}
