import { resolve } from 'node:path'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import { type UsageSummary, UsageTally } from '../../domain/usage/summary.ts'
import type { UsageEvent } from '../../domain/usage/usage-event.ts'
import { requireFile } from '../../infra/files.ts'
import { type Machine, usageLogPath } from '../../infra/machine.ts'
import { scanEvents } from '../../infra/usage-log.ts'

/** Sums up a log, however large. A log that was named must be there; the machine's own may not exist yet. */
export function tallyLog(
  machine: Machine,
  named: string | undefined,
  isCounted: (event: UsageEvent) => boolean = () => true,
): { tally: UsageTally; findings: Finding[] } {
  const path = named === undefined ? usageLogPath(machine) : resolve(machine.cwd, named)
  if (named !== undefined) requireFile(path)
  const tally = new UsageTally()
  const { junkLines } = scanEvents(path, (event) => {
    if (isCounted(event)) tally.add(event)
  })
  return { tally, findings: junkLines > 0 ? [junkFinding(junkLines, path)] : [] }
}

/** Per entry, the most loaded first. */
export function summarizeLog(machine: Machine, request: { log?: string | undefined }): Report<UsageSummary[]> {
  const { tally, findings } = tallyLog(machine, request.log)
  return { value: tally.summaries(), findings }
}

function junkFinding(count: number, path: string): Finding {
  return {
    severity: 'warning',
    code: 'USAGE_JUNK_LINES',
    message: `${count} ${count === 1 ? 'line' : 'lines'} of ${path} could not be read and ${count === 1 ? 'was' : 'were'} skipped`,
    subject: path,
  }
}
