import { CATALOG_KINDS, type CatalogKind } from '../../machine/rules/verdict.ts'
import { isRecord, isTextList } from '../../text/values.ts'

/** What a person signs: an approval or the retirement of one version of a skill or pack. */
export interface Statement {
  team: string
  kind: CatalogKind
  name: string
  /** `*` retires every version that was approved before. */
  version: string
  state: 'approved' | 'retired'
  /** The commit that has the version, and the hash of its folder. Empty when everything is retired. A pack may have no commit. */
  commit: string
  digest: string
  /** Who gets it: groups of the team, or `*` for everybody. */
  groups: readonly string[]
  by: string
  at: string
}

/** States of a version. A database alone may hold one back; only a signature lets it be installed or removed. */
export const CATALOG_STATES = ['draft', 'approved', 'quarantined', 'retired'] as const
export type CatalogState = (typeof CATALOG_STATES)[number]

/** A version in the catalog, as the server gives it. Nothing of it is believed without a statement that was verified. */
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

/** The namespace of signatures: one made for another purpose does not count here. */
export const SIGNED_FOR = 'loadout-catalog'

const FORMAT = 'loadout-catalog-1'

/** The very bytes that are signed. */
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

/** What is wrong with the words that name a version, if anything. */
export function versionProblem(
  version: Pick<CatalogEntry, 'kind' | 'name' | 'version' | 'groups' | 'commit' | 'digest'>,
): string | undefined {
  if (!NAME.test(version.name) || version.name.length > 64)
    return `"${version.name.slice(0, 80)}" is not the name of a skill or pack`
  if (!VERSION.test(version.version)) return `"${version.version.slice(0, 80)}" is not a version such as 1.2.0`
  if (version.groups.length === 0 || version.groups.length > 50)
    return 'a version needs 1 to 50 groups, or * for everybody'
  const group = version.groups.find((each) => !GROUP.test(each))
  if (group !== undefined) return `"${group.slice(0, 80)}" is not the name of a group`
  // A pack may come with a package instead.
  const isInPackage = version.kind === 'pack' && version.commit === ''
  if (!isInPackage && !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(version.commit))
    return 'the commit is not a full commit id'
  return /^[0-9a-f]{64}$/.test(version.digest) ? undefined : 'the digest is not a SHA-256'
}
