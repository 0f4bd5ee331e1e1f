import type { Machine } from '../machine/machine.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { tallyLog } from '../usage/usage.ts'

/** Measured tokens per task for these entries on this machine. */
export function observedPerTask(
  machine: Machine,
  entries: readonly { id: string }[],
): { average: number | null; findings: Finding[] } {
  const ids = new Set(entries.map(({ id }) => id))
  try {
    const { tally } = tallyLog(machine, undefined, ({ entryId }) => ids.has(entryId))
    return { average: tally.averagePerTask(), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the measured average is unknown: ${error.message}`
    return {
      average: null,
      findings: [{ severity: 'warning', code: 'USAGE_UNREADABLE', message, hint: error.hint ?? '' }],
    }
  }
}
