import { CATALOG_KINDS, type CatalogKind, type Verdict } from '../../machine/rules/approval.ts'
import { parseForeignJson } from '../../text/json.ts'
import { compareText, isRecord, isTextList, sha256, sortedBy } from '../../text/values.ts'

/** States of a version. Drafts are only in the database; the others are in the signed catalog. */
const CATALOG_STATES = ['draft', 'approved', 'quarantined', 'retired'] as const
export type CatalogState = (typeof CATALOG_STATES)[number]

/** A skill or pack in one version, and what it consists of. */
export interface Version {
  kind: CatalogKind
  name: string
  version: string
  /** The commit that has it, empty for a pack that is in no repository, and the hash of its folder. */
  commit: string
  digest: string
  /** Groups of the team, or `*` for all. */
  groups: readonly string[]
}

/** A version in the database. Nothing of it is trusted: it proposes a version, or stops one. */
export interface CatalogEntry extends Version {
  state: CatalogState
  owner: string
  published: string
  /** What an approver signed before the catalog was signed as a whole. */
  statement?: string
  signature?: string
}

/** A version in the signed catalog. It stays there for ever; only its state and its groups change. */
export interface SignedVersion extends Version {
  state: Exclude<CatalogState, 'draft'>
  /** Who signed its last change. */
  by: string
  /** The number of the catalog that approved it: of several versions for a group, the highest counts. */
  approved: number
  /** The number of the catalog with its last change. */
  changed: number
}

/** The whole catalog, as an approver signs it. The numbers order everything; the clock only decides when it expires. */
export interface Snapshot {
  team: string
  number: number
  by: string
  at: string
  /** How many days after `at` it expires. */
  days: number
  /** Kinds of which machines use only what is approved. */
  only: readonly CatalogKind[]
  /** In the order of kind, name and version. */
  versions: readonly SignedVersion[]
}

/** A version that the database stops without a signature. Machines remember it until a later catalog approves it. */
export interface Stop extends Pick<Version, 'kind' | 'name' | 'version'> {
  /** The number of the catalog that this machine had verified when it first saw the stop. */
  after: number
}

/** The namespace of signatures: a signature for another purpose is not valid here. */
export const SIGNED_FOR = 'loadout-catalog'

const FORMAT = 'loadout-catalog-2'

/** The exact bytes that are signed. */
export function formatSnapshot({ team, number, by, at, days, only, versions }: Snapshot): string {
  const rows = versions.map((each) => {
    const { kind, name, version, state, commit, digest, groups, approved, changed } = each
    return { kind, name, version, state, commit, digest, groups, by: each.by, approved, changed }
  })
  return `${JSON.stringify({ format: FORMAT, team, number, by, at, days, only, versions: rows })}\n`
}

/** Undefined for anything but the exact bytes that `formatSnapshot` writes of a valid catalog. */
export function parseSnapshot(text: string): Snapshot | undefined {
  const { value } = parseForeignJson(text)
  if (!isRecord(value) || value.format !== FORMAT || !Array.isArray(value.versions)) return undefined
  const { team, number, by, at, days, only, versions } = value
  const isTexts = [team, by, at].every((each) => typeof each === 'string')
  const isCounts = [number, days].every((each) => Number.isSafeInteger(each) && Number(each) > 0)
  if (!isTexts || !isCounts || Number.isNaN(Date.parse(String(at)))) return undefined
  if (!isTextList(only) || !only.every((each) => CATALOG_KINDS.some((kind) => kind === each))) return undefined
  if (!versions.every((each) => isSignedVersion(each, Number(number)))) return undefined
  const snapshot = { team, number, by, at, days, only, versions } as unknown as Snapshot
  const isSorted = snapshot.versions.every(
    (each, at) => at === 0 || compareText(idOf(snapshot.versions[at - 1] ?? each), idOf(each)) < 0,
  )
  return isSorted && formatSnapshot(snapshot) === text ? snapshot : undefined
}

function isSignedVersion(json: unknown, number: number): json is SignedVersion {
  if (!isRecord(json) || typeof json.by !== 'string' || json.state === 'draft' || !isVersion(json)) return false
  const { approved, changed } = json
  if (!CATALOG_STATES.some((state) => state === json.state) || versionProblem(json) !== undefined) return false
  const isCounts = [approved, changed].every((each) => Number.isSafeInteger(each) && Number(each) >= 0)
  return isCounts && Number(approved) <= Number(changed) && Number(changed) <= number
}

function isVersion(json: Record<string, unknown>): json is Record<string, unknown> & Version {
  const texts = [json.name, json.version, json.commit, json.digest]
  const isKind = CATALOG_KINDS.some((kind) => kind === json.kind)
  return isKind && texts.every((text) => typeof text === 'string') && isTextList(json.groups)
}

export function isEntry(json: unknown): json is CatalogEntry {
  if (!isRecord(json) || typeof json.owner !== 'string' || typeof json.published !== 'string') return false
  return CATALOG_STATES.some((state) => state === json.state) && isVersion(json)
}

type Named = Pick<Version, 'kind' | 'name' | 'version'>

export function idOf({ kind, name, version }: Named): string {
  return `${kind}:${name} ${version}`
}

/** For people to compare. */
export function fingerprintOf(text: string): string {
  return sha256(text).slice(0, 32).match(/.{8}/g)?.join('-') ?? ''
}

/** The time when a catalog is no longer believed to be the newest. */
export function expiryOf({ at, days }: Pick<Snapshot, 'at' | 'days'>): string {
  // The last time that a date can have.
  return new Date(Math.min(Date.parse(at) + days * 86_400_000, 8.64e15)).toISOString()
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const VERSION = /^[\w.+-]{1,60}$/
const GROUP = /^(?:\*|[\w.-]{1,60})$/

/** The problem of a name or of the name of a version, if it has one. */
export function nameProblem({ name, version }: Pick<Version, 'name' | 'version'>): string | undefined {
  if (!NAME.test(name) || name.length > 64) return `"${name.slice(0, 80)}" is not the name of a skill or pack`
  return VERSION.test(version) ? undefined : `"${version.slice(0, 80)}" is not a version such as 1.2.0`
}

/** The problem of a version, if it has one. */
export function versionProblem({ kind, name, version, groups, commit, digest }: Version): string | undefined {
  const problem = nameProblem({ name, version })
  if (problem !== undefined) return problem
  if (groups.length === 0 || groups.length > 50) return 'a version needs 1 to 50 groups, or * for everybody'
  const group = groups.find((each) => !GROUP.test(each))
  if (group !== undefined) return `"${group.slice(0, 80)}" is not the name of a group`
  // A pack of an npm package has no commit.
  const isInPackage = kind === 'pack' && commit === ''
  if (!isInPackage && !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return 'the commit is not a full commit id'
  return /^[0-9a-f]{64}$/.test(digest) ? undefined : 'the digest is not a SHA-256'
}

/** What an approver changes about a version. */
export type Change = Version & Pick<SignedVersion, 'state'> & { isApproval?: boolean }

/** The catalog after `base` with some changes. `above` is a number that it must exceed as well. */
export function nextSnapshot(
  base: Snapshot | undefined,
  changes: readonly Change[],
  head: Pick<Snapshot, 'team' | 'by' | 'at' | 'days' | 'only'>,
  above = 0,
): Snapshot {
  const number = Math.max(base?.number ?? 0, above) + 1
  const versions = new Map((base?.versions ?? []).map((each) => [idOf(each), each]))
  for (const { isApproval = false, ...change } of changes) {
    const id = idOf(change)
    const approved = isApproval ? number : (versions.get(id)?.approved ?? 0)
    versions.set(id, { ...change, by: head.by, approved, changed: number })
  }
  return { ...head, number, versions: sortedBy(versions.values(), idOf) }
}

/**
 * Why a catalog does not continue one that this machine has verified. A version never disappears, and changes only in a
 * catalog with a higher number, so that neither the database nor a signer who was shown an old catalog takes back
 * what was signed.
 */
export function continuityProblem(before: Snapshot, next: Snapshot): string | undefined {
  if (next.number < before.number) return `it is older than number ${before.number}`
  if (next.number === before.number) {
    return formatSnapshot(before) === formatSnapshot(next) ? undefined : 'there is another catalog with this number'
  }
  const versions = new Map(next.versions.map((each) => [idOf(each), each]))
  for (const known of before.versions) {
    const now = versions.get(idOf(known))
    const name = `${known.name} ${known.version}`
    if (now === undefined) return `it leaves out ${name}`
    if (now.commit !== known.commit || now.digest !== known.digest) return `it has other content as ${name}`
    const isSame = now.changed === known.changed && JSON.stringify(now) === JSON.stringify({ ...now, ...known })
    if (!isSame && (now.changed <= before.number || now.approved < known.approved)) {
      return `it takes back what ${known.by} signed about ${name}`
    }
  }
  return undefined
}

/** What two catalogs say differently, one line for each version. */
export function describeChanges(before: Snapshot | undefined, next: Snapshot): string[] {
  const known = before?.number ?? 0
  return next.versions
    .filter(({ changed }) => changed > known)
    .map(({ kind, name, version, state, by, groups }) => {
      const who = groups.includes('*') ? '' : ` for ${groups.join(', ')}`
      return `${kind === 'pack' ? 'pack:' : ''}${name} ${version} ${state}${who} by ${by}`
    })
}

/** The stops that count: remembered ones and those of the database, until a later catalog approves the version. */
export function stopsInForce(
  snapshot: Snapshot | undefined,
  remembered: readonly Stop[],
  entries: readonly Pick<CatalogEntry, 'kind' | 'name' | 'version' | 'state'>[],
): Stop[] {
  const after = snapshot?.number ?? 0
  const seen = entries.flatMap(({ kind, name, version, state }) =>
    state === 'quarantined' ? [{ kind, name, version, after }] : [],
  )
  // What the database shows now is a new stop, also of a version whose earlier stop was lifted.
  const stops = new Map([...remembered, ...seen].map((stop) => [idOf(stop), stop]))
  const approved = (snapshot?.versions ?? []).filter(({ state }) => state === 'approved')
  return approved.flatMap((each) => {
    const stop = stops.get(idOf(each))
    return stop === undefined || each.changed > stop.after ? [] : [stop]
  })
}

export interface Reader {
  /** The group of this machine. */
  group: string
  stops: readonly Stop[]
  entries: readonly CatalogEntry[]
}

/**
 * What this machine does with each skill and pack. The newest approval for its group decides. Unsigned data of the
 * server can only hold a version.
 */
export function chooseVerdicts(snapshot: Snapshot | undefined, { group, stops, entries }: Reader): Verdict[] {
  const stopped = new Set(stops.map(idOf))
  const byName = new Map<string, SignedVersion[]>()
  for (const each of snapshot?.versions ?? []) {
    const id = `${each.kind}:${each.name}`
    byName.set(id, [...(byName.get(id) ?? []), each])
  }
  const signed = [...byName.values()].map((versions): Verdict => {
    const [first] = versions as [SignedVersion]
    const { kind, name } = first
    const live = versions.filter(({ state }) => state !== 'retired').sort((a, b) => b.approved - a.approved)
    const chosen = live.find(({ groups }) => groups.includes('*') || groups.includes(group))
    if (chosen !== undefined) {
      const { version, commit, digest, by } = chosen
      if (chosen.state === 'approved' && !stopped.has(idOf(chosen))) {
        return { kind, name, state: 'approved', version, commit, digest, by }
      }
      return { kind, name, state: 'held', version, by, why: `version ${version} is in quarantine in the catalog` }
    }
    if (live.length > 0) {
      const why = `no version is approved for the group ${group}`
      return { kind, name, state: 'held', version: first.version, why }
    }
    const last = versions.reduce((a, b) => (b.changed > a.changed ? b : a))
    const version = versions.length === 1 ? last.version : '*'
    return { kind, name, state: 'retired', version, by: last.by }
  })
  const drafts = new Map<string, Verdict>()
  for (const { kind, name, version } of entries) {
    if (byName.has(`${kind}:${name}`)) continue
    const why = 'no version of it is approved in the catalog'
    drafts.set(`${kind}:${name}`, { kind, name, state: 'held', version, why })
  }
  return sortedBy([...signed, ...drafts.values()], ({ kind, name }) => `${kind}:${name}`)
}
