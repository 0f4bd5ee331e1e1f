import { exists, readText, writeAtomically } from '../machine/files.ts'
import { refuseLinkOut, writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT } from '../machine/open-project.ts'
import { type Finding, failWith, hasErrors, LoadoutError, type Report, report } from '../text/trouble.ts'
import { tallyLog } from '../usage/usage.ts'
import { collectPayloads } from './disk/payload-files.ts'
import {
  currentIndex,
  openPayloadRoot,
  type PayloadRoot,
  type PayloadRootRequest,
  readIndexIn,
} from './payload-root.ts'
import { buildEntries, buildIndex, findDrift, serializeIndex } from './rules/build-index.ts'
import type { LoadoutEntry, LoadoutIndex } from './rules/loadout-index.ts'
import { lintRouting } from './rules/validate.ts'

export interface IndexBuild {
  path: string
  state: 'written' | 'unchanged' | 'refused' | 'would be written'
  index: LoadoutIndex
  /** Measured tokens per task on this machine; never part of the file. */
  observed: number | null
}

/** Builds an index from its payloads. Writes nothing if there are errors. */
export function rebuildIndex(machine: Machine, request: PayloadRootRequest & { dryRun?: boolean }): Report<IndexBuild> {
  const payloads = openPayloadRoot(machine, request)
  // The user's own folder may consist of links, as with dotfile managers; a project may come from a stranger.
  const isProject = request.layer !== 'global'
  if (isProject) refuseLinkOut(payloads.root, INDEX_IN_PROJECT)
  const { entries, findings } = readEntries(payloads)
  const index = buildIndex(entries, currentIndex(payloads), machine.now().toISOString())
  const measured = observedPerTask(machine, entries)
  findings.push(...measured.findings)
  const observed = measured.average
  const text = serializeIndex(index)
  const path = payloads.indexPath
  if (entries.length === 0) findings.push(noPayloads(payloads))
  if (hasErrors(findings)) return { value: { path, state: 'refused', index, observed }, findings }
  // In a large library, a text that was edited in place counts from here on.
  if (!request.dryRun) machine.cache.forget(['rankers'])
  if (holds(path, text)) return { value: { path, state: 'unchanged', index, observed }, findings }
  if (request.dryRun) return { value: { path, state: 'would be written', index, observed }, findings }
  if (isProject) writeInside(payloads.root, INDEX_IN_PROJECT, text)
  else writeAtomically(path, text)
  return { value: { path, state: 'written', index, observed }, findings }
}

/** The entries from the current payloads. */
export function readEntries({ root, globs }: PayloadRoot): { entries: LoadoutEntry[]; findings: Finding[] } {
  const { files, findings } = collectPayloads(root, globs)
  const built = buildEntries(files)
  return { entries: built.entries, findings: [...findings, ...built.findings] }
}

function holds(path: string, text: string): boolean {
  try {
    return readText(path) === text
  } catch {
    return false
  }
}

function noPayloads({ root, globs }: PayloadRoot): Finding {
  return report('NO_PAYLOADS', { root, globs: globs.join(', ') })
}

export interface IndexCheck {
  path: string
  entries: number
}

/** The check for continuous integration: does the index match the payloads, and will it route? */
export function checkIndex(machine: Machine, request: PayloadRootRequest): Report<IndexCheck> {
  const payloads = openPayloadRoot(machine, request)
  if (!exists(payloads.indexPath)) {
    throw failWith('NO_INDEX/file', { indexPath: payloads.indexPath })
  }
  const { index, findings: shape } = readIndexIn(payloads)
  const { entries, findings } = readEntries(payloads)
  return {
    value: { path: payloads.indexPath, entries: index.entries.length },
    findings: [...shape, ...findings, ...findDrift(index, entries), ...lintRouting(index.entries)],
  }
}

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
