import type { Finding } from '../domain/shared/finding.ts'
import type { LoadoutError } from '../domain/shared/loadout-error.ts'
import { lines, printable, type Screen } from './screen.ts'

const WORDS = { error: 'error', warning: 'warning', info: 'note' } as const

export function formatFindings(findings: readonly Finding[], screen: Screen): string {
  return lines(
    findings.flatMap(({ severity, message, hint, code }) => [
      `${screen.alert(`${WORDS[severity]}:`)} ${printable(message)} ${screen.faint(`[${code}]`)}`,
      ...(hint === undefined ? [] : [`  ${printable(hint)}`]),
    ]),
  )
}

export function formatError(error: LoadoutError, screen: Screen): string {
  return lines(`${screen.alert('error:')} ${printable(error.message)}`, error.hint && `  ${printable(error.hint)}`)
}
