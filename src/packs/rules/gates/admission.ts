import { summarizeChanges } from '../../../machine/rules/approval.ts'
import { shellWord } from '../../../text/printable.ts'
import { LoadoutError } from '../../../text/trouble.ts'
import { isKnownType, PACK_TYPES, type PackWarning, settleWarnings } from '../pack.ts'
import { isUndecided, packWord, type TrustedPack } from './catalog.ts'
import { type Asked, statusGate } from './status-gate.ts'

/** Whether a pack may be used for a task, after both gates. Approval and confirmation are two answers. */
export interface Admission {
  verdict: 'admitted' | 'approval-needed' | 'confirmation-needed' | 'refused'
  warnings: readonly PackWarning[]
  mustEscalate: boolean
  showsGaps: boolean
}

/** Trust first: of a pack that is not open, its status is not even a question. */
export function admit(pack: TrustedPack, asked: Asked): Admission {
  const { manifest, trust } = pack
  const shut = { warnings: trust.warnings, mustEscalate: false, showsGaps: false }
  // Who said no is not asked again.
  if (!trust.isOpen) return { ...shut, verdict: isUndecided(pack) ? 'approval-needed' : 'refused' }
  const { verdict, warnings, mustEscalate, showsGaps } = statusGate(manifest.status, asked)
  const gate = { warnings: settleWarnings([...trust.warnings, ...warnings]), mustEscalate, showsGaps }
  const isNameless = pack.warnings.some(({ code }) => code === 'pack.name.invalid')
  if (verdict === 'refuse' || isNameless) return { ...gate, verdict: 'refused' }
  if (!asked.isExplicit && !isKnownType(manifest.type, PACK_TYPES)) return { ...gate, verdict: 'refused' }
  return { ...gate, verdict: verdict === 'confirm' ? 'confirmation-needed' : 'admitted' }
}

/** Said of a pack that a person has to approve. */
export function whyNotOpen({ state, changes = [] }: TrustedPack['trust']): string {
  return state === 'changed' ? `has changed since it was approved: ${summarizeChanges(changes)}` : 'is not approved'
}

/** A status that needs a yes, in a sentence about the pack. */
export function isOfStatus({ status }: TrustedPack['manifest']): string {
  return status === 'draft' ? 'is a draft' : `is ${status ?? 'of unknown status'}`
}

/** For a person whose pack the catalog holds back. */
export const HELD_HINT = 'loadout catalog search shows what is approved; loadout sync asks the catalog again'

/** For a caller that asked for the guide of a pack and gets nothing of it. */
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
  const message = `the pack ${name} cannot be used: its status is ${manifest.status ?? 'none that is known'}`
  const code = manifest.status === 'archived' ? 'pack.status.archived' : 'pack.status.unknown'
  return new LoadoutError(code, message, { hint: `loadout explain ${shellWord(`pack:${root}`)}` })
}
