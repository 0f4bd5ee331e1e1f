import type { Verdict } from '../../skills/rules/verdict.ts'
import { sortedBy } from '../../text/values.ts'
import type { CatalogEntry, Statement } from './statement.ts'

/** A version of the catalog, with what somebody signed about it, if that was verified here. */
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
 * What this machine does with each skill of the catalog. The newest approval for its group decides; a retirement ends
 * every approval before it. What only the database says can hold a skill back, and do nothing else.
 */
export function chooseVerdicts(entries: readonly CheckedEntry[], reader: Reader): Verdict[] {
  const skills = entries.filter(({ entry }) => entry.kind === 'skill')
  const names = sortedBy(
    new Set([...skills.map(({ entry }) => entry.name), ...reader.before.map(({ skill }) => skill)]),
    (name) => name,
  )
  return names.flatMap((name) => {
    const known = reader.before.find(({ skill }) => skill === name)
    const verdict = verdictFor(
      skills.filter(({ entry }) => entry.name === name),
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
  const signed = entries.flatMap(({ signed: statement }) =>
    statement !== undefined && statement.team === team && statement.name === first.name ? [statement] : [],
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
        skill: first.name,
        state: 'held',
        version,
        ...signature,
        why: `version ${version} is in quarantine in the catalog`,
      }
    return { skill: first.name, state: 'approved', version, commit, digest, ...signature }
  }
  const retired = newest.find(({ state }) => state === 'retired')
  const isApprovedElsewhere = [...byVersion.values()].some((each) => each.state === 'approved' && each.at > ended)
  if (retired !== undefined && !isApprovedElsewhere) {
    return { skill: first.name, state: 'retired', version: retired.version, by: retired.by, at: at ?? retired.at }
  }
  const why = isApprovedElsewhere
    ? `no version is approved for the group ${group}`
    : `no version of it is approved in the catalog`
  return { skill: first.name, state: 'held', version: first.version, why, ...(at === undefined ? {} : { at }) }
}
