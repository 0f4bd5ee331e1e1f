import { CATALOG_KINDS, type CatalogKind, type Verdict } from '../../machine/rules/verdict.ts'
import { isRecord, isTextList, sortedBy } from '../../text/values.ts'

/** What an approver signs: the approval or retirement of a version of a skill or pack. */
export interface Statement {
  team: string
  kind: CatalogKind
  name: string
  /** `*` retires every version that was approved before. */
  version: string
  state: 'approved' | 'retired'
  /**
   * The commit that has the version, and the hash of its folder. Empty when everything is retired. A pack may have no
   * commit.
   */
  commit: string
  digest: string
  /** Groups of the team, or `*` for all. */
  groups: readonly string[]
  by: string
  at: string
}

/** States of a version. The database alone can hold one; only a signature lets machines install or remove it. */
export const CATALOG_STATES = ['draft', 'approved', 'quarantined', 'retired'] as const
export type CatalogState = (typeof CATALOG_STATES)[number]

/** A version in the catalog, as the server sends it. Only a verified statement is trusted. */
export interface CatalogEntry {
  kind: CatalogKind
  name: string
  version: string
  state: CatalogState
  owner: string
  commit: string
  digest: string
  groups: readonly string[]
  published: string
  statement?: string
  signature?: string
}

/** The namespace of signatures: a signature for another purpose is not valid here. */
export const SIGNED_FOR = 'loadout-catalog'

const FORMAT = 'loadout-catalog-1'

/** The exact bytes that are signed. */
export function formatStatement({
  team,
  kind,
  name,
  version,
  state,
  commit,
  digest,
  groups,
  by,
  at,
}: Statement): string {
  const fields = { format: FORMAT, team, kind, name, version, state, commit, digest, groups, by, at }
  return `${JSON.stringify(fields)}\n`
}

/** Undefined for anything but the exact bytes that `formatStatement` writes. */
export function parseStatement(text: string): Statement | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(json) || json.format !== FORMAT) return undefined
  const { team, kind, name, version, state, commit, digest, groups, by, at } = json
  const isKind = CATALOG_KINDS.some((each) => each === kind)
  const texts = [team, name, version, commit, digest, by, at]
  if (!isKind || (state !== 'approved' && state !== 'retired') || !isTextList(groups)) return undefined
  if (!texts.every((each) => typeof each === 'string') || !isInstant(String(at))) return undefined
  const statement = { team, kind, name, version, state, commit, digest, groups, by, at } as Statement
  return formatStatement(statement) === text ? statement : undefined
}

function isInstant(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const VERSION = /^[\w.+-]{1,60}$/
const GROUP = /^(?:\*|[\w.-]{1,60})$/

/** The problem of a published version, if it has one. */
export function nameProblem({ name, version }: Pick<CatalogEntry, 'name' | 'version'>): string | undefined {
  if (!NAME.test(name) || name.length > 64) return `"${name.slice(0, 80)}" is not the name of a skill or pack`
  return VERSION.test(version) ? undefined : `"${version.slice(0, 80)}" is not a version such as 1.2.0`
}

export function versionProblem(
  version: Pick<CatalogEntry, 'kind' | 'name' | 'version' | 'groups' | 'commit' | 'digest'>,
): string | undefined {
  const problem = nameProblem(version)
  if (problem !== undefined) return problem
  if (version.groups.length === 0 || version.groups.length > 50)
    return 'a version needs 1 to 50 groups, or * for everybody'
  const group = version.groups.find((each) => !GROUP.test(each))
  if (group !== undefined) return `"${group.slice(0, 80)}" is not the name of a group`
  // A pack of an npm package has no commit.
  const isInPackage = version.kind === 'pack' && version.commit === ''
  if (!isInPackage && !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(version.commit))
    return 'the commit is not a full commit id'
  return /^[0-9a-f]{64}$/.test(version.digest) ? undefined : 'the digest is not a SHA-256'
}

/** A version of the catalog, with its statement if this machine verified it. */
export interface CheckedEntry {
  entry: CatalogEntry
  signed?: Statement | undefined
}

export interface Reader {
  team: string
  /** The group of this machine. */
  group: string
  /** The last verdicts on this machine: nothing older may replace them. */
  before: readonly Verdict[]
}

/**
 * What this machine does with each skill and pack of the catalog. The newest approval for its group decides; a
 * retirement ends every approval before it. Unsigned data of the server can only hold a version.
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
