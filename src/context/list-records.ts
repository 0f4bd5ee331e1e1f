import type { Machine } from '../machine/machine.ts'
import { newestAudits } from '../machine/records.ts'
import type { Report } from '../text/trouble.ts'
import { BUNDLE_AUDITS } from './rules/bundle-audit.ts'

/** One delivered bundle that can be reproduced. */
export interface BundleRecord {
  id: string
  /** When it was last delivered. */
  at: string
  task: string
  /** The folder of the project. */
  root: string
  files: number
  chars: number
}

const USUAL = 50

/** The bundles that were delivered last, the newest first. */
export function listRecords(
  machine: Machine,
  { limit = USUAL }: { limit?: number | undefined },
): Report<BundleRecord[]> {
  const value = newestAudits(machine, BUNDLE_AUDITS, limit).map(({ id, at, record: { root, request, files } }) => ({
    id,
    at: at.toISOString(),
    task: request.task,
    root,
    files: files.length,
    chars: files.reduce((sum, { chars_emitted }) => sum + chars_emitted, 0),
  }))
  return { value, findings: [] }
}
