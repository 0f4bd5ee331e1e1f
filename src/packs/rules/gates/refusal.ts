import { shellWord } from '../../../text/printable.ts'
import type { RefusedPack } from '../resolve/pack-context.ts'
import { type Admission, isOfStatus, whyNotOpen } from './admission.ts'
import { packWord, type TrustedPack } from './catalog.ts'

/** Why a pack gives nothing to a task, and the command that would change it. Undefined when it may be used. */
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
