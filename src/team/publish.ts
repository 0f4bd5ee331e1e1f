import { CATALOG_KINDS, type CatalogKind } from '../machine/rules/approval.ts'
import { principalOf, SshSignatures } from '../machine/ssh-signature.ts'
import { Packs } from '../packs/catalog.ts'
import { committedPack } from '../packs/committed-pack.ts'
import { type CommittedVersion, Library } from '../skills/library-skills.ts'
import { failWith, type LoadoutError } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { identifyUser } from './disk/identity.ts'
import { type Team, withTeam } from './disk/team.ts'
import {
  type CatalogEntry,
  type Change,
  chooseVerdicts,
  describeChanges,
  expiryOf,
  fingerprintOf,
  formatSnapshot,
  idOf,
  nextSnapshot,
  SIGNED_FOR,
  type Snapshot,
  stopsInForce,
  type Version,
  versionProblem,
} from './rules/catalog.ts'
import {
  type Catalog,
  earlierApprovals,
  readCatalog,
  rememberCatalog,
  replaceCatalog,
  SIGNERS_FILE,
} from './signed-catalog.ts'

export interface PublishRequest {
  /** `pack:handbook`, `skill:lint`, or the bare name where only one kind has it. */
  name: string
  /** Default: the version that the pack declares, or the start of its commit. */
  version?: string
  owner?: string
  groups?: readonly string[]
}

export interface Published extends Pick<CatalogEntry, 'kind' | 'name' | 'version' | 'commit' | 'digest' | 'groups'> {
  state: string
  isNew: boolean
}

/** Puts the committed version of a skill or pack into the catalog, as a draft. */
export const publishVersion = withTeam(async (team, request: PublishRequest): Promise<Published> => {
  const { groups = ['*'] } = request
  const owner = request.owner ?? (await identifyUser(team.machine)).person
  const { kind, name } = kindHere(team, parseNamed(request.name))
  const { machine } = team
  const found = kind === 'pack' ? committedPack(machine, name) : new Library(machine).committedVersion(name)
  const { commit, digest, version: own }: CommittedVersion = await found
  const version = request.version ?? own ?? (commit || digest).slice(0, 12)
  const entry = { kind, name, version, owner, commit, digest, groups }
  const problem = versionProblem(entry)
  if (problem !== undefined) throw failWith('USAGE/team-version', { problem })
  const { state, isNew } = await team.call({ path: '/v1/catalog', body: JSON.stringify(entry) })
  const value = { kind, name, version, commit, digest, groups, state: String(state), isNew: isNew === true }
  return value
})

interface Named {
  kind: CatalogKind | undefined
  name: string
}

function parseNamed(text: string): Named {
  const kind = CATALOG_KINDS.find((each) => text.startsWith(`${each}:`))
  return { kind, name: kind === undefined ? text : text.slice(kind.length + 1) }
}

/** The kind of a name on this machine. */
function kindHere({ machine }: Team, { kind, name }: Named): { kind: CatalogKind; name: string } {
  if (kind !== undefined) return { kind, name }
  if (!new Packs(machine, {}).all.some(({ manifest }) => manifest.name === name)) return { kind: 'skill', name }
  if (new Library(machine).has(name)) throw twoKinds(name)
  return { kind: 'pack', name }
}

function twoKinds(name: string): LoadoutError {
  return failWith('USAGE/skill-or-pack', { name })
}

export interface SignRequest {
  name: string
  /** Default: the newest draft; for a retirement, every version. */
  version?: string
  groups?: readonly string[]
  key?: string
}

/** A catalog that was signed. */
export interface Signed extends Pick<Snapshot, 'number' | 'by' | 'only'> {
  /** The versions that this signature changed. */
  changed: Pick<Version, 'kind' | 'name' | 'version' | 'commit' | 'groups'>[]
  /** What else it contains that this machine had not seen before. */
  others: string[]
  expires: string
  fingerprint: string
}

/** Lets machines install a version. Approving an older version again brings machines back to it. */
export const approveVersion = withTeam((team, request: SignRequest): Promise<Signed> => {
  return signNext(team, request, async (base, entries) => {
    const signed = named(base?.versions ?? [], request.name)
    const drafts = named(entries, request.name).filter(
      (entry) => entry.version !== '*' && !signed.some(({ version }) => version === entry.version),
    )
    requireOneKind([...signed, ...drafts], request.name)
    const newest = [...drafts].sort((a, b) => (a.published < b.published ? 1 : -1))
    const found =
      request.version === undefined
        ? newest[0]
        : [...signed, ...drafts].find((each) => each.version === request.version)
    if (found === undefined) {
      const wanted = request.version === undefined ? 'draft' : `version ${request.version}`
      throw failWith('SKILL_NOT_FOUND/version', { wanted, name: request.name })
    }
    if (!signed.some((each) => each === found)) await requireSameContent(team, found)
    return [{ ...change(found, 'approved', request.groups), isApproval: true }]
  })
})

/** Throws unless this machine has exactly the content that a draft names: drafts are not signed. */
async function requireSameContent({ machine }: Team, { kind, name, version, commit, digest }: Version): Promise<void> {
  const here =
    kind === 'pack' ? (await committedPack(machine, name)).digest : await new Library(machine).digestAt(name, commit)
  if (here === digest) return
  const place = kind === 'pack' ? 'the pack on this machine' : `commit ${commit.slice(0, 12)} of the library`
  const found = here === undefined ? `this machine does not have ${place}` : `${place} has ${here}`
  throw failWith('CATALOG_UNVERIFIED/digest', {
    name,
    version,
    digest,
    found,
    what: kind === 'pack' ? 'packs fetch' : 'sync',
  })
}

/** Makes machines remove a skill or stop using a pack, or go back from one version of it to the one approved before. */
export const retireVersion = withTeam((team, request: SignRequest): Promise<Signed> => {
  return signNext(team, request, (base, entries) => {
    const all = versionsNamed(base, entries, request.name)
    const found = all.filter(({ version }) => version === (request.version ?? version))
    if (found.length === 0) throw notListed(request.name, request.version)
    return found.map((each) => change(each, 'retired'))
  })
})

/**
 * Stops a version on every machine, without a signature, because it installs nothing. Releasing it needs a signature:
 * otherwise the database could do it.
 */
export const quarantineVersion = withTeam(
  async (
    team,
    request: { name: string; version: string; isHeld: boolean; key?: string },
  ): Promise<{ name: string; version: string; state: string; signed?: Signed }> => {
    const { version, isHeld } = request
    const isWanted = (each: Version) => each.version === version
    if (!isHeld) {
      const signed = await signNext(team, request, (base) => {
        const found = named(base?.versions ?? [], request.name).filter(isWanted)
        requireOneKind(found, request.name)
        if (found.some(({ state }) => state !== 'retired')) return found.map((each) => change(each, 'approved'))
        throw notListed(request.name, version)
      })
      return { name: request.name, version, state: 'approved', signed }
    }
    const { snapshot, entries } = await readCatalog(team, { all: true })
    const [found] = versionsNamed(snapshot, entries, request.name).filter(isWanted)
    if (found === undefined) throw notListed(request.name, version)
    const { kind, name } = found
    await team.call({
      path: '/v1/catalog/quarantine',
      body: JSON.stringify({ kind, name, version, isHeld }),
    })
    return { name, version, state: 'quarantined' }
  },
)

export interface SignCatalogRequest {
  key?: string
  /** How many days until it expires. */
  days?: number
  /** Kinds of which machines use only what is approved. */
  only?: readonly string[]
  /** Go on from the catalog that this machine verified last, or from an empty one, whatever the server shows. */
  restore?: boolean
}

/** Signs the catalog again: before it expires, with other settings, after a signer left, or after the database lost it. */
export const signCatalog = withTeam((team, request: SignCatalogRequest): Promise<Signed> => {
  return signNext(team, request, () => [])
})

function named<T extends Version>(versions: readonly T[], typed: string): T[] {
  const { kind, name } = parseNamed(typed)
  return versions.filter((each) => each.name === name && (kind ?? each.kind) === each.kind)
}

function requireOneKind(versions: readonly Version[], typed: string): void {
  if (new Set(versions.map(({ kind }) => kind)).size > 1) throw twoKinds(typed)
}

/** The versions with a name that the user typed: the signed ones, and drafts. */
function versionsNamed(base: Snapshot | undefined, entries: readonly CatalogEntry[], typed: string): Version[] {
  const signed = named<Version>(base?.versions ?? [], typed)
  const known = new Set(signed.map(idOf))
  const drafts = named(entries, typed).filter((each) => each.version !== '*' && !known.has(idOf(each)))
  requireOneKind([...signed, ...drafts], typed)
  return [...signed, ...drafts]
}

function notListed(name: string, version: string | undefined): LoadoutError {
  const what = version === undefined ? name : `${name} ${version}`
  return failWith('SKILL_NOT_FOUND/catalog', { what })
}

function change(
  { kind, name, version, commit, digest, groups }: Version,
  state: Change['state'],
  wanted: readonly string[] = groups,
): Change {
  return { kind, name, version, commit, digest, groups: wanted, state }
}
const MOST_DAYS = 3_650

/**
 * Signs the catalog that follows the verified one, with some changes, and sends it. The database adds nothing to it but
 * stops, which only hold back.
 */
async function signNext(
  team: Team,
  request: SignCatalogRequest,
  changesOf: (base: Snapshot | undefined, entries: readonly CatalogEntry[]) => Change[] | Promise<Change[]>,
): Promise<Signed> {
  const { machine, membership } = team
  const { group } = membership
  const catalog = await readCatalog(team, { all: true })
  const { signers, offered, entries, before } = catalog
  if (signers === undefined) {
    throw failWith('CATALOG_UNVERIFIED/no-signers', { signers: SIGNERS_FILE })
  }
  if (catalog.problem !== undefined && !request.restore) requireWayOn(catalog)
  const ssh = new SshSignatures(machine)
  const key = ssh.key(request.key)
  const by = principalOf(key, signers)
  const base = catalog.snapshot ?? (await earlierApprovals(machine, { team: membership.team, signers, entries }))
  const days = request.days ?? catalog.snapshot?.days ?? 90
  if (!Number.isSafeInteger(days) || days < 1 || days > MOST_DAYS) {
    throw failWith('USAGE/days-valid', { most: MOST_DAYS })
  }
  const changes = await changesOf(base, entries)
  const problem = changes.map(versionProblem).find((each) => each !== undefined)
  if (problem !== undefined) throw failWith('USAGE/team-version', { problem })
  const changedIds = new Set(changes.map(idOf))
  const stops = new Set(stopsInForce(base, catalog.stops, entries).map(idOf))
  const stopped = (base?.versions ?? []).filter((each) => stops.has(idOf(each)) && !changedIds.has(idOf(each)))
  const only = CATALOG_KINDS.filter((kind) => (request.only ?? base?.only ?? []).includes(kind))
  const next = nextSnapshot(
    base,
    [...stopped.map((each) => change(each, 'quarantined')), ...changes],
    { team: membership.team, by, at: machine.now().toISOString(), days, only },
    offered?.isSigned ? offered.snapshot?.number : 0,
  )
  const text = formatSnapshot(next)
  const signature = await ssh.sign(key, text, SIGNED_FOR)
  if (!(await ssh.isSigned(signers, { by, text, signature, purpose: SIGNED_FOR }))) {
    throw failWith('CATALOG_UNVERIFIED/signature', { key, by, signers: SIGNERS_FILE })
  }
  const after = offered === undefined ? '' : sha256(offered.text)
  const body = JSON.stringify({ text, signature, after })
  await team.call({ path: '/v1/catalog/snapshot', body })
  const left = stopsInForce(next, catalog.stops, [])
  const verdicts = chooseVerdicts(next, { group, stops: left, entries })
  await rememberCatalog(machine, { snapshot: next, text, signature, stops: left, verdicts })
  const unseen = next.versions.filter((each) => !changedIds.has(idOf(each)))
  const replaced = before.snapshot !== undefined && catalog.problem !== undefined ? [catalog.problem] : []
  return {
    ...{ number: next.number, by, only },
    changed: changes.map(({ kind, name, version, commit, groups }) => ({ kind, name, version, commit, groups })),
    others: [...replaced, ...describeChanges(before.snapshot, { ...next, versions: unseen })],
    expires: expiryOf(next),
    fingerprint: fingerprintOf(text),
  }
}

/** Throws unless the verified catalog is what the server's comes after or equals: then nothing that was signed is lost. */
function requireWayOn({ problem = '', offered, before, snapshot }: Catalog): void {
  if (offered === undefined || offered.text === before.text) return
  const isOlder =
    offered.isSigned && offered.snapshot !== undefined && offered.snapshot.number < (snapshot?.number ?? 0)
  if (isOlder) return
  throw failWith('CATALOG_UNVERIFIED/unknown', { problem, fingerprint: fingerprintOf(offered.text) })
}

/** Begins again with the catalog of the server that a person recognized by its fingerprint. */
export const acceptCatalog = withTeam(
  async (
    team,
    { fingerprint }: { fingerprint: string },
  ): Promise<Pick<Snapshot, 'number' | 'by'> & { fingerprint: string }> => {
    const { offered } = await readCatalog(team)
    const { text = '', signature = '', snapshot } = offered ?? {}
    if (snapshot === undefined || fingerprintOf(text) !== fingerprint.trim().toLowerCase()) {
      const shown =
        snapshot === undefined ? 'no catalog' : `number ${snapshot.number} with the fingerprint ${fingerprintOf(text)}`
      throw failWith('CATALOG_UNVERIFIED/fingerprint', { shown, fingerprint })
    }
    await replaceCatalog(team.machine, { snapshot, text, signature, stops: [] })
    await rememberCatalog(team.machine, await readCatalog(team))
    return { number: snapshot.number, by: snapshot.by, fingerprint: fingerprintOf(text) }
  },
)
