import type { Machine } from '../machine/machine.ts'
import { parseForeignJson } from '../text/json.ts'
import { isRecord, sortedBy } from '../text/values.ts'
import { isSigned } from './disk/identity.ts'
import { type CatalogEntry, idOf, type SignedVersion, type Snapshot, versionProblem } from './rules/catalog.ts'

/**
 * The catalog of a team that approved its versions one by one, as Loadout did before it signed the whole. Only
 * statements with a valid signature count, in the order of their times.
 */
export async function earlierApprovals(
  machine: Machine,
  { team, signers, entries }: { team: string; signers: string; entries: readonly CatalogEntry[] },
): Promise<Snapshot | undefined> {
  const statements: (SignedVersion & { at: string })[] = []
  for (const { statement: text = '', signature = '', ...entry } of entries) {
    const { value } = parseForeignJson(text)
    if (!isRecord(value) || value.format !== 'loadout-catalog-1' || value.team !== team) continue
    const { by, at, state } = value
    const isAbout = value.kind === entry.kind && value.name === entry.name && value.version === entry.version
    if (!isAbout || typeof by !== 'string' || typeof at !== 'string') continue
    if ((state !== 'approved' && state !== 'retired') || !(await isSigned(machine, signers, { by, text, signature }))) {
      continue
    }
    const { kind, name, version, commit, digest, groups } = value as unknown as SignedVersion
    statements.push({ kind, name, version, commit, digest, groups, state, by, at, approved: 0, changed: 0 })
  }
  const versions = new Map<string, SignedVersion>()
  const ordered = sortedBy(statements, ({ at, state }) => `${at} ${state}`)
  for (const [index, { at: _, ...signed }] of ordered.entries()) {
    const number = index + 1
    if (signed.version === '*') {
      for (const [id, each] of versions) {
        const isMeant = each.kind === signed.kind && each.name === signed.name
        if (isMeant) versions.set(id, { ...each, state: 'retired', by: signed.by, changed: number })
      }
    } else if (versionProblem(signed) === undefined) {
      versions.set(idOf(signed), { ...signed, approved: number, changed: number })
    }
  }
  if (versions.size === 0) return undefined
  const [by = ''] = ordered.map((each) => each.by).slice(-1)
  const at = machine.now().toISOString()
  return { team, number: ordered.length, by, at, days: 1, only: [], versions: sortedBy(versions.values(), idOf) }
}
