import { buildEntries, buildIndex, serializeIndex } from '../../domain/routing/build-index.ts'
import type { LoadoutEntry } from '../../domain/routing/entry.ts'
import type { LoadoutIndex } from '../../domain/routing/loadout-index.ts'
import { type Finding, hasErrors, type Report } from '../../domain/shared/finding.ts'
import { UsageTally } from '../../domain/usage/summary.ts'
import { isFile, readText, writeAtomically } from '../../infra/files.ts'
import { type Machine, usageLogPath } from '../../infra/machine.ts'
import { collectPayloads } from '../../infra/payload-files.ts'
import { scanEvents } from '../../infra/usage-log.ts'
import { currentIndex, openPayloadRoot, type PayloadRoot, type PayloadRootRequest } from './payload-root.ts'

export interface IndexBuild {
  path: string
  state: 'written' | 'unchanged' | 'refused'
  index: LoadoutIndex
}

/** Derives an index from its payloads. With errors nothing is written. */
export function rebuildIndex(
  machine: Machine,
  request: PayloadRootRequest & { dryRun?: boolean | undefined },
): Report<IndexBuild> {
  const payloads = openPayloadRoot(machine, request)
  const { entries, findings } = readEntries(payloads)
  const observed = observedAverage(machine, entries)
  const index = buildIndex(entries, currentIndex(payloads), observed, machine.now().toISOString())
  const text = serializeIndex(index)
  const path = payloads.indexPath
  if (entries.length === 0) findings.push(noPayloads(payloads))
  if (hasErrors(findings)) return { value: { path, state: 'refused', index }, findings }
  if (isFile(path) && readText(path) === text) return { value: { path, state: 'unchanged', index }, findings }
  if (!request.dryRun) writeAtomically(path, text)
  return { value: { path, state: 'written', index }, findings }
}

/** What the payloads say now. */
export function readEntries({ root, globs }: PayloadRoot): { entries: LoadoutEntry[]; findings: Finding[] } {
  const { files, findings } = collectPayloads(root, globs)
  const built = buildEntries(files)
  return { entries: built.entries, findings: [...findings, ...built.findings] }
}

/** Tokens per task for these entries, as far as this machine has seen them used. */
function observedAverage(machine: Machine, entries: readonly LoadoutEntry[]): number | null {
  const ids = new Set(entries.map(({ id }) => id))
  const tally = new UsageTally()
  scanEvents(usageLogPath(machine), (event) => {
    if (ids.has(event.entryId)) tally.add(event)
  })
  return tally.averagePerTask()
}

function noPayloads({ root, globs }: PayloadRoot): Finding {
  return {
    severity: 'error',
    code: 'NO_PAYLOADS',
    message: `no payload was found in ${root}: looked for ${globs.join(', ')}`,
    hint: 'write one, split a large file with: loadout index migrate CLAUDE.md, or set "payloads" in loadout.json',
  }
}
