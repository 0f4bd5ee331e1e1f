import type { Verdict } from '../../machine/rules/verdict.ts'
import { sortedBy } from '../../text/values.ts'
import type { CatalogEntry, Statement } from './statement.ts'

/** A version of the catalog, with its signed verdicts, if they were verified here. */
export interface CheckedEntry {
  entry: CatalogEntry
  signed?: Statement | undefined
}

export interface Reader {
  team: string
  /** The group of this machine. */
  group: string
  /** What this machine last heard: nothing older may take its place. */
  before: readonly Verdict[]
}

/**
 * What this machine does with each skill and pack of the catalog. The newest approval for its group decides; a retirement
 * ends every approval before it. What only the database says can hold something back, and do nothing else.
 */
export function chooseVerdicts(entries: readonly CheckedEntry[], reader: Reader): Verdict[] {
  const named = ({ kind, name }: Pick<Verdict, 'kind' | 'name'>) => `${kind}:${name}`
  const names = sortedBy(
    new Set([...entries.map(({ entry }) => named(entry)), ...reader.before.map(named)]),
    (id) => id,
  )
  return names.flatMap((id) => {
    const known = reader.before.find((each) => named(each) === id)
    const verdict = verdictFor(
      entries.filter(({ entry }) => named(entry) === id),
      reader,
    )
    if (known?.at === undefined || (verdict?.at ?? '') >= known.at) return verdict ?? []
    const why = `the catalog no longer shows what ${known.by ?? 'its signer'} signed on ${known.at.slice(0, 10)}`
    return { ...known, state: known.state === 'retired' ? 'retired' : 'held', why }
  })
}

function verdictFor(entries: readonly CheckedEntry[], { team, group }: Reader): Verdict | undefined {
  const first = entries[0]?.entry
  if (first === undefined) return undefined
  const { kind, name } = first
  const signed = entries.flatMap(({ signed: statement }) =>
    statement?.team === team && statement.kind === kind && statement.name === name ? [statement] : [],
  )
  const newest = sortedBy(signed, ({ at, state }) => `${at} ${state}`).reverse()
  const ended = newest.find(({ state, version }) => state === 'retired' && version === '*')?.at ?? ''
  const byVersion = new Map<string, Statement>()
  for (const statement of newest) {
    if (statement.version !== '*' && !byVersion.has(statement.version)) byVersion.set(statement.version, statement)
  }
  const approved = [...byVersion.values()].find(
    ({ state, at, groups }) => state === 'approved' && at > ended && (groups.includes('*') || groups.includes(group)),
  )
  const at = newest[0]?.at
  if (approved !== undefined) {
    const { version, commit, digest, by } = approved
    const isHeld = entries.some(({ entry }) => entry.version === version && entry.state === 'quarantined')
    const signature = { by, at: at ?? approved.at }
    if (isHeld)
      return {
        ...{ kind, name },
        state: 'held',
        version,
        ...signature,
        why: `version ${version} is in quarantine in the catalog`,
      }
    return { kind, name, state: 'approved', version, commit, digest, ...signature }
  }
  const retired = newest.find(({ state }) => state === 'retired')
  const isApprovedElsewhere = [...byVersion.values()].some((each) => each.state === 'approved' && each.at > ended)
  if (retired !== undefined && !isApprovedElsewhere) {
    return { kind, name, state: 'retired', version: retired.version, by: retired.by, at: at ?? retired.at }
  }
  const why = isApprovedElsewhere
    ? `no version is approved for the group ${group}`
    : `no version of it is approved in the catalog`
  return { kind, name, state: 'held', version: first.version, why, ...(at === undefined ? {} : { at }) }
}
