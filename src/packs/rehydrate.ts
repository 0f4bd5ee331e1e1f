import type { Machine } from '../machine/machine.ts'
import { summarizeChanges } from '../machine/rules/approval.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { openCatalog } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { admit } from './rules/gates/admission.ts'
import { type AuditedPack, type PackAudit, rebuildWrapper } from './rules/resolve/audit-record.ts'

export interface RehydratedContext {
  id: string
  task: string
  /** The same bytes as then. Empty if anything has changed. */
  wrappers: { pack: string; text: string }[]
  /** The changes since then, by pack. */
  changed: { pack: string; paths: string[] }[]
}

/** Rebuilds a recorded context byte for byte. If anything has changed, reports the changes and returns no text. */
export function rehydrate(machine: Machine, id: string, record: PackAudit): Report<RehydratedContext> {
  const given = record.parts.filter(({ wrapper }) => wrapper !== undefined)
  const { task } = record.question
  const rebuilt = given.map((audited) => ({ audited, ...rebuild(machine, audited, task) }))
  const changed = rebuilt.flatMap((each) =>
    each.changed === undefined ? [] : [{ pack: each.audited.name, paths: each.changed }],
  )
  const wrappers = rebuilt.flatMap(({ audited, text }) => (text === undefined ? [] : [{ pack: audited.name, text }]))
  const value = { id, task, wrappers: changed.length > 0 ? [] : wrappers, changed }
  const since = rebuilt.flatMap(({ audited, text, since }) =>
    text === undefined || since.length === 0 ? [] : [sinceFinding(audited.name, since)],
  )
  return { value, findings: [...changed.map((each) => changedFinding(each, task)), ...since] }
}

/** Asks the gates again: after `revoke` the text must not be shown any more. */
function rebuild(machine: Machine, audited: AuditedPack, task: string) {
  const { catalog } = openCatalog(machine, { packs: [audited.root] })
  const pack = catalog.all.find(({ root }) => root === audited.root)
  if (pack === undefined) {
    throw new LoadoutError('PACK_NOT_FOUND', `the pack ${audited.name} is no longer in ${audited.root}`, {
      hint: 'resolve the task again',
    })
  }
  const { trust } = pack
  // In a changed pack, files that still match the approval may be given again.
  const judged =
    trust.state === 'changed' && trust.files !== undefined ? { ...pack, trust: { ...trust, isOpen: true } } : pack
  const { verdict } = admit(judged, { isExplicit: true, isConfirmed: audited.confirmation !== undefined })
  if (verdict !== 'admitted') {
    throw new LoadoutError('APPROVAL_NEEDED', `the pack ${audited.name} may not be used any more`, {
      hint: `loadout explain ${shellWord(`pack:${audited.root}`)} says why`,
    })
  }
  return { ...rebuildWrapper(audited, pack, openPack(pack, trust.files), task), since: trust.changes ?? [] }
}

function sinceFinding(pack: string, changes: readonly string[]): Finding {
  const message = `${pack} has changed in files that this context did not use: ${summarizeChanges(changes)}`
  return { severity: 'warning', code: 'CONTEXT_CHANGED', message, subject: pack, hint: `loadout approve pack:${pack}` }
}

function changedFinding({ pack, paths }: RehydratedContext['changed'][number], task: string): Finding {
  return {
    severity: 'error',
    code: 'CONTEXT_CHANGED',
    message: `${pack} has changed since: ${paths.join(', ')}`,
    subject: pack,
    hint: `resolve it again: loadout packs resolve ${shellWord(task)}`,
  }
}
