import type { Report } from '../../domain/shared/finding.ts'
import { type Machine, usageLogPath } from '../../infra/machine.ts'
import { eraseLog, logSize } from '../../infra/usage-log.ts'

export interface Erasure {
  log: string
  /** Of the log; none when there is no log. */
  bytes: number
  isErased: boolean
}

/** Removes this machine's usage log; with `dryRun` only says how large it is. */
export function eraseUsage(machine: Machine, { dryRun = false }: { dryRun?: boolean | undefined }): Report<Erasure> {
  const log = usageLogPath(machine)
  const bytes = logSize(log)
  const isErased = bytes !== undefined && !dryRun
  if (isErased) eraseLog(log)
  return { value: { log, bytes: bytes ?? 0, isErased }, findings: [] }
}
