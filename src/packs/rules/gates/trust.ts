import {
  type Approval,
  changesSince,
  type FileDigests,
  summarizeChanges,
  type Verdict,
  whyHeld,
} from '../../../machine/rules/approval.ts'
import { answerFacts, type Closed, gate } from '../../../machine/rules/gate.ts'
import { printableLine, shellWord } from '../../../text/printable.ts'
import { clip } from '../../../text/text-width.ts'
import { type Finding, type LoadoutError, report, retell } from '../../../text/trouble.ts'
import { sha256 } from '../../../text/values.ts'
import {
  isKnownType,
  type KnowledgePack,
  PACK_FILE,
  PACK_TYPES,
  type PackStatus,
  type PackWarning,
  type Scope,
  settleWarnings,
} from '../pack.ts'

/** Open: `trusted` by its place, or `approved` by a person. Closed: all others; `held` by the team's catalog. */
export type TrustState = 'trusted' | 'approved' | 'unapproved' | 'changed' | 'denied' | 'held'

/** The decision about a pack, from its place and a person's approval. Its own label can only lower it. */
export interface Trust {
  state: TrustState
  /** Whether anything but the metadata may be read. */
  isOpen: boolean
  /** A person still has to approve or deny it. */
  isUndecided?: boolean
  approvalId?: string
  /** Digests of the approved files. A reader refuses a file with another digest. */
  files?: FileDigests
  /** Where the approved bytes of a pack lie that has changed since. Readers get these. */
  kept?: string
  /** Differences from the approved files. */
  changes?: readonly string[]
  /** A person trusts later changes of its folder too. */
  follows?: boolean
  /** Why the team's catalog holds it back. */
  held?: string
  warnings: readonly PackWarning[]
}

export type TrustedPack = KnowledgePack & { trust: Trust }

/** What decides about the trust in a pack. */
export interface TrustFacts {
  approval: Approval | undefined
  /** Which packs need an approval, besides those that always need one, and whether naming a path approves a pack. */
  policy: { approvalFor: readonly Scope[]; explicitPathIsApproval: boolean }
  /** What the team's catalog says. It only restricts. */
  verdict: Verdict | undefined
  /** Whether the folder is still the approved folder, or in the approved repository. */
  isSamePlace(approval: Approval): boolean
  /** The current digests; undefined if they cannot be read. */
  readFiles(): FileDigests | undefined
  /** The folder with copies of the approved files that are not in `current` any more, if it has them all. */
  keptSince(approved: FileDigests, current: FileDigests): string | undefined
}

/** Decides whether the text of a pack may be read. Reads its files only if an approval or a verdict names them. */
export function decideTrust({ scope, manifest }: Pick<KnowledgePack, 'scope' | 'manifest'>, facts: TrustFacts): Trust {
  const { approval, policy, verdict } = facts
  const shut = (state: 'denied' | 'unapproved' | 'changed', changes: readonly string[] = []): Trust => {
    const warnings = [report(`pack.trust/${state}`, { changes: summarizeChanges(changes) }, ABOUT)]
    return { state, isOpen: false, isUndecided: state !== 'denied', approvalId: approval?.id, warnings }
  }
  const heldBack = (held: string): Trust => {
    return { state: 'held', isOpen: false, held, warnings: [report('CATALOG_HELD/why', { held }, ABOUT)] }
  }
  // Packs of a project always need an approval: others may have written them, and no setting changes that.
  const isAsked = scope === 'workspace' || (scope !== 'explicit' && policy.approvalFor.includes(scope))
  const needsApproval = isAsked || (scope === 'explicit' && !policy.explicitPathIsApproval)
  const held = verdict && whyHeld(verdict)
  const since: { changes: string[]; kept?: string } = { changes: [] }
  // A denial closes also a trusted place: this is how a user switches a pack off.
  const closed = gate({
    ...answerFacts(approval, needsApproval),
    held: held !== undefined,
    get changed() {
      if (needsApproval && approval !== undefined) Object.assign(since, changesOf(approval, facts))
      return since.changes.length > 0 && since.kept === undefined
    },
  })?.reason
  const { changes, kept } = since
  const { files, follow: follows, id: approvalId } = approval ?? {}
  if (closed === 'held') return heldBack(held!)
  if (closed === 'changed') return { ...shut(closed, changes), files, changes }
  if (closed !== undefined) return shut(closed === 'denied' ? closed : 'unapproved')
  const { trust: label } = manifest
  const isDoubted = label === 'external' || label === 'unreviewed'
  const warnings = isDoubted ? [report(`pack.trust/${label}`, {}, ABOUT)] : []
  if (kept !== undefined) warnings.push(report('pack.trust/kept', { changes: summarizeChanges(changes) }, ABOUT))
  const open = { isOpen: true, approvalId, files, follows, warnings }
  const trust: Trust = !needsApproval
    ? { state: 'trusted', isOpen: true, warnings }
    : kept === undefined
      ? { state: 'approved', ...open }
      : { state: 'changed', isUndecided: true, ...open, kept, changes }
  if (verdict === undefined) return trust
  const given = kept === undefined ? facts.readFiles() : files
  if (given !== undefined && packDigest(given) === verdict.digest) return { ...trust, files: given }
  const { version, by = 'your team' } = verdict
  return heldBack(`it differs from version ${version} that ${by} approved in the catalog`)
}

/** How a pack differs from what was approved, and where that is kept. */
function changesOf(approval: Approval, facts: TrustFacts): { changes: string[]; kept?: string } {
  const { files, follow, tier } = approval
  if (tier !== 'evidence') return { changes: ['an earlier version approved a part of it only'] }
  if (files === undefined && follow !== true) return { changes: ['an earlier version approved KNOWLEDGE.md only'] }
  if (!facts.isSamePlace(approval)) return { changes: ['another project lies at this path now'] }
  if (files === undefined || follow === true) return { changes: [] }
  const current = facts.readFiles()
  const changes = current === undefined ? ['its files cannot be read'] : changesSince(files, current)
  return { changes, kept: changes.length === 0 ? undefined : facts.keptSince(files, current ?? {}) }
}

const ABOUT = { path: PACK_FILE }

/** The digest of all files of a pack, which the team's catalog signs. */
export function packDigest(files: FileDigests): string {
  return sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** The name of a pack, safe to print in a sentence: it may be hostile. */
export function packWord(name: string): string {
  return clip(printableLine(name), 64)
}

/** Completes the sentence "the pack x …" for a pack that needs an approval. */
export function whyNotOpen({ state, changes = [] }: Trust): string {
  return state === 'changed' ? `has changed since it was approved: ${summarizeChanges(changes)}` : 'is not approved'
}

/** Whether a pack may be used, and if not, what would change that. Approval and confirmation are two answers. */
export interface Admission {
  verdict: 'admitted' | 'approval-needed' | 'confirmation-needed' | 'refused'
  /** Undefined for an admitted pack. */
  refused: RefusedPack | undefined
  /** The error for a caller that asked for a closed pack. */
  error: (() => LoadoutError) | undefined
  /** Who can open it. */
  allowedBy: 'user' | 'team' | 'author' | undefined
  /** The command that a user runs next to use the pack. */
  next: string
  warnings: readonly PackWarning[]
  /** The pages and sources behind the compiled views must be read too. */
  isDisputed: boolean
  /** Shows the list of gaps even if it is empty. */
  showsGaps: boolean
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

/**
 * Trust first, then the status of an open pack. A denied or held pack is not asked about again.
 * `isExplicit`: the user named the pack. `isConfirmed`: the user confirmed its status.
 */
export function admit(pack: TrustedPack, { isExplicit = false, isConfirmed = false } = {}): Admission {
  const { manifest, trust, scope, root: path } = pack
  const { name, description, status, type } = manifest
  const isUnknown = !isExplicit && !isKnownType(type, PACK_TYPES)
  const isInvalid = isUnknown || pack.warnings.some(({ code }) => code === 'pack.name.invalid')
  const isUnconfirmed = (status === 'draft' || status === 'disputed') && !isConfirmed
  const [folder, add, id] = [shellWord(path), shellWord(name), shellWord(`pack:${path}`)]
  const [approve, resolve] = [`loadout approve ${folder}`, `loadout packs resolve "<task>" --pack ${add}`]
  const facts = { name: packWord(name), path, approve, folder, id }
  const { held } = trust
  const why = whyNotOpen(trust)
  const says = status === 'draft' ? 'a draft' : `${status}`
  const closed = gate({
    denied: trust.state === 'denied',
    held: held !== undefined,
    unusable: status === undefined,
    unnamed: status === 'archived' && !isExplicit,
    unapproved: !trust.isOpen,
    invalid: isInvalid,
    unconfirmed: isUnconfirmed,
  })
  // What each reason says, and the command for a list of refused packs.
  const approval = ['approval-needed', () => report('APPROVAL_NEEDED/pack', { ...facts, why }), approve] as const
  const told: Record<Closed, readonly [RefusedPack['reason'], () => Finding, command?: string]> = {
    denied: ['denied', () => report('pack.trust/refused', facts), approve],
    held: ['held', () => report('CATALOG_HELD/refused', { ...facts, held: held! })],
    unusable: ['unknown-status', () => report('pack.status/unknown', facts)],
    unnamed: ['archived', () => report('pack.status/unnamed', facts), `add --pack ${add}`],
    unapproved: approval,
    changed: approval,
    invalid: ['invalid', () => report('pack.name.invalid/refused', facts)],
    unconfirmed: [
      'confirmation-needed',
      () => report('CONFIRMATION_NEEDED/pack', { ...facts, status: says }),
      `add --confirm ${add}`,
    ],
  }
  const [reason, tell, command] = closed === undefined ? [] : told[closed.reason]
  const isWaiting = reason === 'approval-needed' || reason === 'confirmation-needed'
  const verdict = reason === undefined ? 'admitted' : isWaiting ? reason : 'refused'
  const next = {
    admitted: resolve,
    'confirmation-needed': `${resolve} --confirm ${add}`,
    'approval-needed': approve,
    refused: `loadout explain pack:${folder}`,
  }
  const doubts = status === 'ready' ? [] : [report(`pack.status/${status ?? 'none'}`, {}, ABOUT)]
  return {
    verdict,
    refused: reason && tell && { name, description, scope, path, status, reason, message: tell().message, command },
    error: tell && (() => retell(tell())),
    allowedBy: closed?.allowedBy,
    next: next[verdict],
    warnings: trust.isOpen ? settleWarnings([...trust.warnings, ...doubts]) : trust.warnings,
    isDisputed: trust.isOpen && status === 'disputed',
    showsGaps: trust.isOpen && status === 'needs-review',
  }
}
