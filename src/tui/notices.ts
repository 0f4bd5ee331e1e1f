import type { ImportResult, Outcome, UpdateResult } from '../loadout.ts'
import { count } from '../text/count.ts'
import type { Finding } from '../text/trouble.ts'
import type { Notice } from './model.ts'

/** The gravest thing that was met, if it needs to be told. */
export function worst(findings: readonly Finding[]): Notice | undefined {
  const found =
    findings.find(({ severity }) => severity === 'error') ?? findings.find(({ severity }) => severity === 'warning')
  return found === undefined ? undefined : { tone: 'alert', text: found.message, hint: found.hint }
}

export function toggleNotice(
  { operations }: Outcome,
  findings: readonly Finding[],
  { isOn, canUndo }: { isOn: boolean; canUndo: boolean },
): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  if (operations.length === 0) return { tone: 'plain', text: 'nothing to do' }
  const names = [...new Set(operations.map(({ skill }) => skill))]
  const agents = [...new Set(operations.map(({ agent }) => agent))].join(', ')
  const what = names.length === 1 ? names[0] : count(names.length, 'skill')
  const kept = findings.find(({ code }) => code === 'BACKED_UP')
  const text = `${what} ${isOn ? 'equipped for' : 'removed from'} ${agents}${canUndo ? '   (u undoes)' : ''}`
  return { tone: 'good', text, hint: kept?.message }
}

export function importNotice({ imported, unchanged }: ImportResult, findings: readonly Finding[]): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  const names = imported.map(({ name }) => name)
  const known =
    unchanged.length === 0 ? '' : `; ${unchanged.length} as the library has ${unchanged.length === 1 ? 'it' : 'them'}`
  const listed = names.length === 0 ? '' : `: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
  const said = findings.find(({ code }) => code === 'TARGETS_ASSUMED')
  return { tone: 'good', text: `${names.length} imported${listed}${known}`, hint: said?.message }
}

export function updateNotice({ updates, operations }: UpdateResult, findings: readonly Finding[]): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  const updated = updates.filter(({ result }) => result === 'updated')
  if (updated.length === 0) return { tone: 'plain', text: 'nothing to update' }
  const copies =
    operations.length === 0 ? '' : `, ${operations.length === 1 ? '1 copy' : `${operations.length} copies`} refreshed`
  const what = updated.length === 1 ? (updated[0]?.name ?? '') : count(updated.length, 'skill')
  return { tone: 'good', text: `${what} updated${copies}` }
}
