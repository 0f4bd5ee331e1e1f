import { type Approval, changesSince, type FileDigests, summarizeChanges } from '../../../machine/rules/approval.ts'
import { type Verdict, whyNot } from '../../../machine/rules/verdict.ts'
import { printableLine, shellWord } from '../../../text/printable.ts'
import { clip } from '../../../text/text-width.ts'
import { type Code, LoadoutError, type Severity } from '../../../text/trouble.ts'
import { sha256 } from '../../../text/values.ts'
import {
  isKnownType,
  type KnowledgePack,
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

export const DEFAULT_TRUST_POLICY: TrustPolicy = { approvalFor: ['workspace'], explicitPathIsApproval: false }

/** Open: `trusted` by its place, or `approved` by a person. Closed: all others; `held` by the team's catalog. */
const TRUST_STATES = ['trusted', 'approved', 'unapproved', 'changed', 'denied', 'held'] as const
export type TrustState = (typeof TRUST_STATES)[number]

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

/** The current state of an approved pack. */
export interface PackState {
  /** Whether the folder is still the approved folder, or in the approved repository. */
  isSamePlace: boolean
  /** Undefined if they cannot be read. */
  files: FileDigests | undefined
}

/** The first gate; the status gate follows. `current` is compared with the approval, if there is one. */
export function trustOf(
  { scope, manifest }: Pick<KnowledgePack, 'scope' | 'manifest'>,
  approval: Approval | undefined,
  current: PackState | undefined,
  policy: TrustPolicy,
): Trust {
  // A denial closes also a trusted place: this is how a user switches a pack off.
  if (approval?.decision === 'denied') return shut('denied', approval)
  if (!needsApproval(scope, policy)) {
    return { state: 'trusted', isOpen: true, warnings: labelWarnings(manifest.trust) }
  }
  if (approval === undefined) return shut('unapproved')
  const changes = changesOf(approval, current)
  const { id, files } = approval
  const pinned = files === undefined ? {} : { files }
  if (changes.length > 0) return { ...shut('changed', approval, changes), ...pinned, changes }
  return {
    state: 'approved',
    isOpen: true,
    approvalId: id,
    ...pinned,
    warnings: labelWarnings(manifest.trust),
  }
}

/** The digest of all files of a pack, which the team's catalog signs. */
export function packDigest(files: FileDigests): string {
  return sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/**
 * Applies the verdict of the team's catalog, which only restricts: closes a pack that it does not approve, and allows
 * only the signed files of an approved one. `read` returns the current digests, or undefined if they cannot be read.
 */
export function obeyVerdict(trust: Trust, verdict: Verdict | undefined, read: () => FileDigests | undefined): Trust {
  if (verdict === undefined || trust.state === 'denied') return trust
  if (verdict.state !== 'approved') {
    const code = verdict.state === 'retired' ? 'CATALOG_RETIRED' : 'CATALOG_HELD'
    return heldBack({ code, why: whyNot(verdict) })
  }
  // A closed pack stays closed, and none of its files is read.
  if (!trust.isOpen) return trust
  const files = read()
  if (files !== undefined && packDigest(files) === verdict.digest) return { ...trust, files }
  const { version, by = 'your team' } = verdict
  return heldBack({
    code: 'CATALOG_HELD',
    why: `it differs from version ${version} that ${by} approved in the catalog`,
  })
}

function heldBack(held: Held): Trust {
  return { state: 'held', isOpen: false, held, warnings: [warning('error', held.code, held.why)] }
}

/** Packs of a project always need an approval: others may have written them, and no setting changes that. */
export function needsApproval(scope: Scope, policy: TrustPolicy): boolean {
  if (scope === 'explicit') return !policy.explicitPathIsApproval
  return scope === 'workspace' || policy.approvalFor.includes(scope)
}

function changesOf({ files, follow, tier }: Approval, current: PackState | undefined): string[] {
  if (current === undefined) return ['its files are not known']
  if (tier !== 'evidence') return ['an earlier version approved a part of it only']
  if (files === undefined && follow !== true) return ['an earlier version approved KNOWLEDGE.md only']
  if (!current.isSamePlace) return ['another project lies at this path now']
  if (follow === true) return []
  return current.files === undefined ? ['its files cannot be read'] : changesSince(files ?? {}, current.files)
}

const SHUT: Record<'denied' | 'unapproved' | 'changed', string> = {
  denied: 'it was denied and is not read',
  unapproved: 'it is not approved yet; only its metadata is shown',
  changed: 'it must be approved again',
}

function shut(state: keyof typeof SHUT, approval?: Approval, changes: readonly string[] = []): Trust {
  const id = approval === undefined ? {} : { approvalId: approval.id }
  return {
    state,
    isOpen: false,

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

/** Whether a pack may be used, after both gates. Approval (of files) and confirmation (of a status) are separate. */
export interface Admission {
  verdict: 'admitted' | 'approval-needed' | 'confirmation-needed' | 'refused'
  warnings: readonly PackWarning[]
  isDisputed: boolean
  showsGaps: boolean
}

/** Asks the trust gate, then the status gate for open packs. */
export function admit(pack: TrustedPack, asked: Asked): Admission {
  const { manifest, trust } = pack
  const shut = { warnings: trust.warnings, isDisputed: false, showsGaps: false }
  const { verdict, warnings, isDisputed, showsGaps } = statusGate(manifest.status, asked)
  // A denied or held pack is refused without asking again, and an approval would not open one of another status.
  const isWorthAsking = isUndecided(pack) && verdict !== 'refuse'
  if (!trust.isOpen) return { ...shut, verdict: isWorthAsking ? 'approval-needed' : 'refused' }
  const gate = { warnings: settleWarnings([...trust.warnings, ...warnings]), isDisputed, showsGaps }
  const isNameless = pack.warnings.some(({ code }) => code === 'pack.name.invalid')
  if (verdict === 'refuse' || isNameless) return { ...gate, verdict: 'refused' }
  if (!asked.isExplicit && !isKnownType(manifest.type, PACK_TYPES)) return { ...gate, verdict: 'refused' }
  return { ...gate, verdict: verdict === 'confirm' ? 'confirmation-needed' : 'admitted' }
}

/** Completes the sentence "the pack x …" for a pack that needs an approval. */
export function whyNotOpen({ state, changes = [] }: TrustedPack['trust']): string {
  return state === 'changed' ? `has changed since it was approved: ${summarizeChanges(changes)}` : 'is not approved'
}

/** Completes the sentence "the pack x …" for a status that needs a confirmation. */
function isOfStatus({ status }: TrustedPack['manifest']): string {
  return status === 'draft' ? 'is a draft' : `is ${status ?? 'of unknown status'}`
}

/** The error for a caller that asked for a closed pack. */
export function admissionError(pack: TrustedPack, verdict: Exclude<Admission['verdict'], 'admitted'>): LoadoutError {
  const { manifest, root, trust } = pack
  const name = packWord(manifest.name)
  if (verdict === 'approval-needed') {
    const why = whyNotOpen(trust)
    const hint = `read ${root} first; then loadout approve ${shellWord(root)}`
    return new LoadoutError('APPROVAL_NEEDED', `the pack ${name} ${why}`, { hint })
  }
  if (verdict === 'confirmation-needed') {
    const message = `the pack ${name} ${isOfStatus(manifest)}, so it is used only after a confirmation`
    const hint = `loadout packs guide ${shellWord(root)} --confirm`
    return new LoadoutError('CONFIRMATION_NEEDED', message, { hint })
  }
  if (trust.state === 'denied') {
    const hint = `loadout approve ${shellWord(root)} takes the denial back`
    return new LoadoutError('pack.trust.denied', `the pack ${name} was denied`, { hint })
  }
  if (trust.held !== undefined) {
    const { code, why } = trust.held
    return new LoadoutError(code, `the pack ${name} is not used: ${why}`, { hint: HELD_HINT })
  }
  const message = `the pack ${name} cannot be used: its status is ${manifest.status ?? 'unknown'}`
  const code = manifest.status === 'archived' ? 'pack.status.archived' : 'pack.status.unknown'
  return new LoadoutError(code, message, { hint: `loadout explain ${shellWord(`pack:${root}`)}` })
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

/** Why a pack is not used, and the command that changes this. Undefined for an admitted pack. */
export function refuse(pack: TrustedPack, verdict: Admission['verdict']): RefusedPack | undefined {
  if (verdict === 'admitted') return undefined
  const { manifest, scope, root, trust } = pack
  const { name, description } = manifest
  const named = { name, description, scope, path: root, status: manifest.status }
  const word = packWord(manifest.name)
  const approve = `loadout approve ${shellWord(root)}`
  if (verdict === 'approval-needed') {
    return { ...named, reason: 'approval-needed', message: `the pack ${word} ${whyNotOpen(trust)}`, command: approve }
  }
  if (verdict === 'confirmation-needed') {
    const message = `the pack ${word} ${isOfStatus(manifest)}, so it is used only after a confirmation`
    return { ...named, reason: 'confirmation-needed', message, command: `add --confirm ${shellWord(manifest.name)}` }
  }
  if (trust.state === 'denied') {
    return { ...named, reason: 'denied', message: `the pack ${word} was denied`, command: approve }
  }
  if (trust.held !== undefined) {
    return { ...named, reason: 'held', message: `the pack ${word} is not used: ${trust.held.why}` }
  }
  if (manifest.status === undefined) {
    return { ...named, reason: 'unknown-status', message: `the pack ${word} has an unknown status` }
  }
  if (manifest.status === 'archived') {
    const message = `the pack ${word} is archived, and is used only when it is named`
    return { ...named, reason: 'archived', message, command: `add --pack ${shellWord(manifest.name)}` }
  }
  return { ...named, reason: 'invalid', message: `the pack ${word} is not used: its metadata is not valid` }
}

/** Whether the status of a pack allows its use, and under which conditions. */
export interface Gate {
  /** `confirm`: the user must confirm the status, in addition to an approval. */
  verdict: 'allow' | 'confirm' | 'refuse'
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

const SAYS: Record<Exclude<PackStatus, 'ready'>, string> = {
  draft: 'it is a draft',
  'needs-review': 'it has not been reviewed since it was last changed',
  stale: 'it is out of date',
  disputed: 'parts of it are disputed',
  archived: 'it is archived and no longer maintained',
}

/** The gate after trust. An undefined status is an unknown one. */
export function statusGate(status: PackStatus | undefined, { isExplicit, isConfirmed }: Asked): Gate {
  const open: Gate = { verdict: 'allow', warnings: [], isDisputed: false, showsGaps: false }
  if (status === 'ready') return open
  if (status === undefined) {
    return { ...open, verdict: 'refuse', warnings: [warning('error', 'pack.status.unknown', 'its status is unknown')] }
  }
  const warned: Gate = { ...open, warnings: [warning('warning', `pack.status.${status}`, SAYS[status])] }
  switch (status) {
    case 'needs-review':
      return { ...warned, showsGaps: true }
    case 'stale':
      return warned
    case 'draft':
      return isConfirmed ? warned : { ...warned, verdict: 'confirm' }
    case 'disputed':
      return { ...warned, isDisputed: true, verdict: isConfirmed ? 'allow' : 'confirm' }
    case 'archived':
      return isExplicit ? warned : { ...warned, verdict: 'refuse' }
  }
}

