import { join, resolve } from 'node:path'
import { exists, isFolder, readJson, readText, writeAtomically } from '../machine/files.ts'
import { readTextInside, refuseLinkOut, writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, type Project } from '../machine/open-project.ts'
import { requireParts } from '../machine/settings.ts'
import { type Finding, failWith, hasErrors, LoadoutError, report } from '../text/trouble.ts'
import { tallyLog } from '../usage/usage.ts'
import { collectPayloads } from './disk/payload-files.ts'
import { type LayerPlace, readIndexAt } from './knowledge.ts'
import { buildEntries, buildIndex, findDrift, type PayloadFile, serializeIndex } from './rules/build-index.ts'
import { type LoadoutEntry, type LoadoutIndex, readIndex } from './rules/loadout-index.ts'
import { asIssue, lintRouting, type ValidationIssue, validateIndex } from './rules/validate.ts'

export { isPayloadPath } from './disk/payload-files.ts'

/** A folder of payloads and the index derived from them. */
export interface PayloadRoot {
  root: string
  /** The path of the index. */
  path: string
  /** Which files are payloads. */
  globs: readonly string[]
}

export interface PayloadRootRequest {
  /** The project's folder; default: the project around the working folder. */
  project?: string | Project
  /** Which layer is meant; default: the project. */
  layer?: 'project' | 'global'
  /** The folder of the global layer; default: `~/.ai-loadout`. */
  globalDir?: string
}

export function openPayloadRoot(machine: Machine, request: PayloadRootRequest): PayloadRoot {
  if (request.layer === 'global') {
    const root = resolve(machine.cwd, request.globalDir ?? join(machine.home, '.ai-loadout'))
    if (!isFolder(root)) throw failWith('NOT_A_FOLDER/root', { root })
    return { root, path: join(root, 'index.json'), globs: ['**/*.md'] }
  }
  const { root, settings } = machine.openProject(request.project)
  requireParts(settings, 'payloads')
  return { root, path: join(root, INDEX_IN_PROJECT), globs: settings.payloads }
}

/** Every Markdown file below a folder. */
export function readPayloadFolder(folder: string): { files: PayloadFile[]; findings: Finding[] } {
  return collectPayloads(folder, ['**/*.md'])
}

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
  const { root, path, globs } = payloads
  // The user's own folder may consist of links, as with dotfile managers; a project may come from a stranger.
  const isProject = request.layer !== 'global'
  if (isProject) refuseLinkOut(root, INDEX_IN_PROJECT)
  const { entries, findings } = readEntries(payloads)
  const index = buildIndex(
    entries,
    unlessBad(() => readIndexAt(payloads).index),
    machine.now().toISOString(),
  )
  const { average: observed, findings: unread } = observedPerTask(machine, entries)
  findings.push(...unread)
  if (entries.length === 0) findings.push(report('NO_PAYLOADS', { root, globs: globs.join(', ') }))
  machine.report(...findings)
  if (hasErrors(findings)) return { path, state: 'refused', index, observed }
  // In a large library, a text that was edited in place counts from here on.
  if (!request.dryRun) machine.cache.forget(['payloads', 'payloads-here'])
  const text = serializeIndex(index)
  if (unlessBad(() => readText(path)) === text) return { path, state: 'unchanged', index, observed }
  if (request.dryRun) return { path, state: 'would be written', index, observed }
  if (isProject) writeInside(root, INDEX_IN_PROJECT, text)
  else writeAtomically(path, text)
  return { path, state: 'written', index, observed }
}

/** The entries from the current payloads. */
export function readEntries({ root, globs }: PayloadRoot): { entries: LoadoutEntry[]; findings: Finding[] } {
  const { files, findings } = collectPayloads(root, globs)
  const built = buildEntries(files)
  return { entries: built.entries, findings: [...findings, ...built.findings] }
}

/** Undefined if it cannot be read. */
function unlessBad<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

export interface IndexCheck {
  path: string
  entries: number
}

/** The check for continuous integration: does the index match the payloads, and will it route? */
export function checkIndex(machine: Machine, request: PayloadRootRequest): IndexCheck {
  const payloads = openPayloadRoot(machine, request)
  const { path } = payloads
  if (!exists(path)) throw failWith('NO_INDEX/file', { indexPath: path })
  const { index, findings: shape } = readIndexAt(payloads)
  const { entries, findings } = readEntries(payloads)
  machine.report(...shape, ...findings, ...findDrift(index, entries), ...lintRouting(index.entries))
  return { path, entries: index.entries.length }
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
    const { message: problem, hint = '' } = error
    return { average: null, findings: [report('FILE_UNREADABLE/average', { problem, hint })] }
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
    ({ code, subject = '' }) =>
      !reported.has(`${code} ${subject}`) && !(isBudgetBad && Object.hasOwn(read.index.budget, subject)),
  )
  return [...issues, ...drift.map(asIssue)]
}

function compareWithPayloads(
  machine: Machine,
  { path, root }: Pick<LayerPlace, 'path' | 'root'>,
  index: LoadoutIndex,
): Finding[] {
  const files: PayloadFile[] = []
  const findings: Finding[] = []
  if (path === join(root, INDEX_IN_PROJECT)) {
    const { settings } = machine.projectAt(root)
    const bad = settings.badParts.get('payloads')
    const found = bad === undefined ? collectPayloads(root, settings.payloads) : { files: [], findings: [bad] }
    files.push(...found.files)
    findings.push(...found.findings)
  }
  const known = new Set(files.map((file) => file.path))
  // Those that cannot be read are missing below.
  for (const named of new Set(index.entries.map((entry) => entry.path))) {
    const text = known.has(named) ? undefined : unlessBad(() => readTextInside(root, named))
    if (text !== undefined) files.push({ path: named, text })
  }
  if (files.length === 0 && index.entries.length > 0) {
    const others = findDrift(index, []).filter(({ code }) => code !== 'PAYLOAD_MISSING')
    return [...findings, report('PAYLOAD_MISSING/all', { root }), ...others]
  }
  const built = buildEntries(files)
  // A file that an index names need not have frontmatter; then the index is the only source.
  const bare = new Set(built.findings.filter(({ code }) => code === 'NO_FRONTMATTER').map(({ subject }) => subject))
  const bareEntries = index.entries.filter((entry) => bare.has(entry.path))
  const bareIds = new Set(bareEntries.map(({ id }) => id))
  const barePaths = new Set(bareEntries.map((entry) => entry.path))
  findings.push(...built.findings.filter(({ subject }) => !barePaths.has(subject ?? '')))
  if (bareIds.size > 0) {
    const more = bareIds.size > 5 ? ` and ${bareIds.size - 5} more` : ''
    findings.push(report('DRIFT/not-compared', { shown: [...bareIds].slice(0, 5).join(', '), more }))
  }
  const isBare = (id = '') => bareIds.has(id)
  const drift = findDrift(index, built.entries)
  return [...findings, ...drift.filter(({ code, subject }) => code !== 'PAYLOAD_MISSING' || !isBare(subject))]
}
