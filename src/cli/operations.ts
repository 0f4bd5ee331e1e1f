import type { Outcome } from '../app/loadout.ts'
import type { Finding } from '../domain/shared/finding.ts'
import { alignRows, count, lines, type Screen } from './screen.ts'

const PAST: Record<Outcome['operations'][number]['kind'], string> = {
  install: 'installed',
  refresh: 'refreshed',
  remove: 'removed',
  restamp: 'marked',
  adopt: 'adopted',
  recover: 'recovered',
}

// More than this is read by nobody; the total says it.
const MOST_SHOWN = 40

/** What was done, one line each; with a dry run what would be. `calm` is said when all was well already. */
export function printOperations(
  { operations, isDryRun }: Outcome,
  screen: Screen,
  findings: readonly Finding[],
  calm: string,
): string {
  const told = operations.filter(({ kind }) => kind !== 'restamp' || isDryRun)
  const isCalm = findings.every(({ severity }) => severity === 'info')
  if (operations.length === 0) return lines(isCalm ? calm : 'Nothing was changed.')
  const shown = told.slice(0, MOST_SHOWN)
  const rows = shown.map(({ kind, skill, agent, scope, root }) => {
    return [`  ${isDryRun ? kind : PAST[kind]}`, skill, agent, scope, root]
  })
  const more = told.length - shown.length
  const restamped = operations.length - told.length
  return lines(
    isDryRun && 'Nothing was changed. This would be done:',
    alignRows(rows),
    more > 0 && `  and ${count(more, 'more', 'more')}`,
    restamped > 0 &&
      `  ${count(restamped, 'unchanged install')} ${restamped === 1 ? 'was' : 'were'} marked with the new commit`,
    !isDryRun && told.length > 1 && screen.strong(`${count(told.length, 'install')} changed`),
  )
}
