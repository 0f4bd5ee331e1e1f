import { listed } from '../../text/count.ts'
import type { Code, Finding } from '../../text/trouble.ts'

/** A refused skill, and why. */
export interface Refusal {
  /** Its name, or its folder without one. */
  name: string
  folder: string
  code: Code
  reason: string
  hint?: string
}

/** One finding for each cause, with all its skills. */
export function refusalFindings(refusals: readonly Omit<Refusal, 'folder'>[], verb = 'imported'): Finding[] {
  const causes = new Map<string, Omit<Refusal, 'folder'>[]>()
  for (const refusal of refusals) {
    const key = `${refusal.code}\0${refusal.reason}`
    causes.set(key, [...(causes.get(key) ?? []), refusal])
  }
  return [...causes.values()].map((group): Finding => {
    const [first] = group as [Refusal, ...Refusal[]]
    const { code, reason, hint } = first
    const isAlone = group.length === 1
    const whom = isAlone ? `${first.name} was` : `${group.length} skills were`
    const names = isAlone ? '' : `: ${listed(group.map(({ name }) => name))}`
    const message = `${whom} not ${verb}, because ${reason}${names}`
    return { severity: 'error', code, message, subject: isAlone ? first.name : undefined, hint }
  })
}
