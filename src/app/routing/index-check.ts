import { findDrift } from '../../domain/routing/drift.ts'
import { lintRouting } from '../../domain/routing/validate.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { exists } from '../../infra/files.ts'
import type { Machine } from '../../infra/machine.ts'
import { readEntries } from './index-build.ts'
import { openPayloadRoot, type PayloadRootRequest, readIndexFile } from './payload-root.ts'

export interface IndexCheck {
  path: string
  entries: number
}

/** The gate for continuous integration: does the index say what the payloads say, and will it route? */
export function checkIndex(machine: Machine, request: PayloadRootRequest): Report<IndexCheck> {
  const payloads = openPayloadRoot(machine, request)
  if (!exists(payloads.indexPath)) {
    throw new LoadoutError('NO_INDEX', `${payloads.indexPath} does not exist`, { hint: 'run: loadout index build' })
  }
  const { index, findings: shape } = readIndexFile(payloads.indexPath)
  const { entries, findings } = readEntries(payloads)
  return {
    value: { path: payloads.indexPath, entries: index.entries.length },
    findings: [...shape, ...findings, ...findDrift(index, entries), ...lintRouting(index.entries)],
  }
}
