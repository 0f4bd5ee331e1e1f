import { join } from 'node:path'
import { readJson } from '../machine/files.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, projectAt } from '../machine/open-project.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { collectPayloads } from './disk/payload-files.ts'
import type { LayerPlace } from './layers.ts'
import { buildEntries, findDrift, type PayloadFile } from './rules/build-index.ts'
import { type LoadoutIndex, readIndex } from './rules/loadout-index.ts'
import { type ValidationIssue, validateIndex } from './rules/validate.ts'

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
  return report('NOT_COMPARED', { shown, more })
}
