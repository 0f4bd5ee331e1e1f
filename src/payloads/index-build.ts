import { join } from 'node:path'
import { exists, readJson, readText, writeAtomically } from '../machine/files.ts'
import { readTextInside, refuseLinkOut, writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, projectAt } from '../machine/open-project.ts'
import { type Finding, failWith, hasErrors, LoadoutError, report } from '../text/trouble.ts'
import { tallyLog } from '../usage/usage.ts'
import { collectPayloads } from './disk/payload-files.ts'
import type { LayerPlace } from './knowledge.ts'
import {
  currentIndex,
  openPayloadRoot,
  type PayloadRoot,
  type PayloadRootRequest,
  readIndexIn,
} from './payload-root.ts'
import { buildEntries, buildIndex, findDrift, type PayloadFile, serializeIndex } from './rules/build-index.ts'
import { type LoadoutEntry, type LoadoutIndex, readIndex } from './rules/loadout-index.ts'
import { lintRouting, type ValidationIssue, validateIndex } from './rules/validate.ts'

export interface IndexBuild {
  path: string
  state: 'written' | 'unchanged' | 'refused' | 'would be written'
  index: LoadoutIndex
  /** Measured tokens per task on this machine; never part of the file. */
  observed: number | null
}

/** Builds an index from its payloads. Writes nothing if there are errors. */
export function rebuildIndex(machine: Machine, request: PayloadRootRequest & { dryRun?: boolean }): IndexBuild {
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
  if (hasErrors(findings)) {
    machine.report(...findings)
    return { path, state: 'refused', index, observed }
  }
  // In a large library, a text that was edited in place counts from here on.
  if (!request.dryRun) machine.cache.forget(['rankers'])
  if (holds(path, text)) {
    machine.report(...findings)
    return { path, state: 'unchanged', index, observed }
  }
  if (request.dryRun) {
    machine.report(...findings)
    return { path, state: 'would be written', index, observed }
  }
  if (isProject) writeInside(payloads.root, INDEX_IN_PROJECT, text)
  else writeAtomically(path, text)
  machine.report(...findings)
  return { path, state: 'written', index, observed }
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
export function checkIndex(machine: Machine, request: PayloadRootRequest): IndexCheck {
  const payloads = openPayloadRoot(machine, request)
  if (!exists(payloads.indexPath)) {
    throw failWith('NO_INDEX/file', { indexPath: payloads.indexPath })
  }
  const { index, findings: shape } = readIndexIn(payloads)
  const { entries, findings } = readEntries(payloads)
  machine.report(...shape, ...findings, ...findDrift(index, entries), ...lintRouting(index.entries))
  return { path: payloads.indexPath, entries: index.entries.length }
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

/** Every mistake in an index: its form, and differences from its payloads. */
export function validateIndexFile(machine: Machine, place: Pick<LayerPlace, 'path' | 'root'>): ValidationIssue[] {
  const json = readJson(place.path)
  // Any value: the rule reports what is wrong with it.
  const issues = validateIndex(json as LoadoutIndex)
  const read = readIndex(json)
  if ('problem' in read) return issues
  const reported = new Set(issues.map(({ code, entryId }) => `${code} ${entryId}`))
  const isBudgetBad = issues.some(({ code }) => code === 'BAD_BUDGET')
  const drift = compareWithPayloads(machine, place, read.index).filter(
    ({ code, subject }) => !reported.has(`${code} ${subject}`) && !(code === 'BUDGET_DRIFT' && isBudgetBad),
  )
  return [...issues, ...drift.map(asIssue)]
}

export function asIssue({ severity, code, message, subject, hint }: Finding): ValidationIssue {
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    code,
    message,
    hint,
    entryId: subject,
  }
}

function compareWithPayloads(
  machine: Machine,
  { path, root }: Pick<LayerPlace, 'path' | 'root'>,
  index: LoadoutIndex,
): Finding[] {
  const { files, findings } = path === join(root, INDEX_IN_PROJECT) ? projectPayloads(machine, root) : NO_PAYLOADS
  const known = new Set(files.map((file) => file.path))
  const named = readNamed(root, index).filter((file) => !known.has(file.path))
  const all = [...files, ...named]
  if (all.length === 0 && index.entries.length > 0) {
    const others = findDrift(index, []).filter(({ code }) => code !== 'PAYLOAD_MISSING')
    return [...findings, allMissing(root), ...others]
  }
  const built = buildEntries(all)
  // A file that an index names need not have frontmatter; then the index is the only source.
  const bare = new Set(built.findings.filter(({ code }) => code === 'NO_FRONTMATTER').map(({ subject }) => subject))
  const bareEntries = index.entries.filter((entry) => bare.has(entry.path))
  const bareIds = new Set(bareEntries.map(({ id }) => id))
  const barePaths = new Set(bareEntries.map((entry) => entry.path))
  return [
    ...findings,
    ...built.findings.filter(({ subject }) => !barePaths.has(subject ?? '')),
    ...(bareIds.size > 0 ? [withoutFrontmatter([...bareIds])] : []),
    ...findDrift(index, built.entries).filter(
      ({ code, subject }) => code !== 'PAYLOAD_MISSING' || !bareIds.has(subject ?? ''),
    ),
  ]
}

const NO_PAYLOADS = { files: [], findings: [] }

function projectPayloads(machine: Machine, root: string): { files: PayloadFile[]; findings: Finding[] } {
  const { settings } = projectAt(machine, root)
  const bad = settings.badParts.get('payloads')
  return bad === undefined ? collectPayloads(root, settings.payloads) : { files: [], findings: [bad] }
}

/** The readable payloads of an index: the comparison reports missing ones. */
function readNamed(root: string, { entries }: LoadoutIndex): PayloadFile[] {
  const paths = new Set(entries.map(({ path }) => path))
  return [...paths].flatMap((path) => {
    try {
      return [{ path, text: readTextInside(root, path) }]
    } catch (error) {
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
}

function allMissing(root: string): Finding {
  return report('PAYLOAD_MISSING/all', { root })
}

function withoutFrontmatter(ids: readonly string[]): Finding {
  const shown = ids.slice(0, 5).join(', ')
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
  return report('DRIFT/not-compared', { shown, more })
}
