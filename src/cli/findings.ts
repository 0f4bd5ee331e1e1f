import type { Finding } from '../domain/shared/finding.ts'
import type { LoadoutError } from '../domain/shared/loadout-error.ts'
import { lines, printableLine, type Screen } from './screen.ts'

const WORDS = { error: 'error', warning: 'warning', info: 'note' } as const

export function formatFindings(findings: readonly Finding[], screen: Screen): string {
  return lines(
    findings.flatMap(({ severity, message, hint, code }) => [
      `${screen.alert(`${WORDS[severity]}:`)} ${printableLine(message)} ${screen.faint(`[${code}]`)}`,
      ...(hint === undefined ? [] : [`  ${printableLine(hint)}`]),
    ]),
  )
}

export function formatError(error: LoadoutError, screen: Screen): string {
  return lines(
    `${screen.alert('error:')} ${printableLine(error.message)}`,
    error.hint && `  ${printableLine(error.hint)}`,
  )
}
