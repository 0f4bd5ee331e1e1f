import { summarizeChanges } from '../../../machine/rules/approval.ts'
import { shellWord } from '../../../text/printable.ts'
import { type Code, LoadoutError } from '../../../text/trouble.ts'
import { isKnownType, PACK_TYPES, type PackStatus, type PackWarning, type Scope, settleWarnings } from '../pack.ts'
import { HELD_HINT, isUndecided, packWord, type TrustedPack } from './trust.ts'

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
    return { ...open, verdict: 'refuse', warnings: [warning('error', 'unknown', 'its status is unknown')] }
  }
  const warned: Gate = { ...open, warnings: [warning('warning', status, SAYS[status])] }
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

function warning(
  severity: PackWarning['severity'],
  status: Exclude<PackStatus, 'ready'> | 'unknown',
  message: string,
): PackWarning {
  return { severity, code: `pack.status.${status}` satisfies Code, path: 'KNOWLEDGE.md', message }
}
