import type { Machine } from '../machine/machine.ts'
import { CATALOG_KINDS, type CatalogKind } from '../machine/rules/verdict.ts'
import { committedPack, hasPack } from '../packs/committed-pack.ts'
import { committedVersion, isInLibrary } from '../skills/committed-version.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { readEntries, requireSigners, SIGNERS_FILE } from './catalog-entries.ts'
import { identifyUser, principalOf, sign, signingKey, verifyAll } from './disk/identity.ts'
import { callTeam, requireMembership } from './disk/team-client.ts'
import { type CatalogEntry, formatStatement, type Statement, versionProblem } from './rules/catalog.ts'
import type { Membership } from './rules/membership.ts'

export interface PublishRequest {
  /** `pack:handbook`, `skill:lint`, or the bare name where only one kind has it. */
  name: string
  /** Default: the version that the pack declares, or the start of its commit. */
  version?: string | undefined
  owner?: string | undefined
  groups?: readonly string[] | undefined
}

export interface Published extends Pick<CatalogEntry, 'kind' | 'name' | 'version' | 'commit' | 'digest' | 'groups'> {
  state: string
  isNew: boolean
}

/** Puts the committed version of a skill or pack into the catalog, as a draft. */
export async function publishVersion(machine: Machine, request: PublishRequest): Promise<Report<Published>> {
  const membership = requireMembership(machine)
  const { groups = ['*'] } = request
  const owner = request.owner ?? (await identifyUser(machine)).person
  const { kind, name } = kindHere(machine, parseNamed(request.name))
  const read = kind === 'pack' ? committedPack : committedVersion
  const { commit, digest, version: own } = await read(machine, name)
  const version = request.version ?? own ?? (commit || digest).slice(0, 12)
  const entry = { kind, name, version, owner, commit, digest, groups }
  const problem = versionProblem(entry)
  if (problem !== undefined) throw new LoadoutError('USAGE', problem)
  const { state, isNew } = await callTeam(machine, membership, { path: '/v1/catalog', body: JSON.stringify(entry) })
  const value = { kind, name, version, commit, digest, groups, state: String(state), isNew: isNew === true }
  return { value, findings: [] }
}

interface Named {
  kind: CatalogKind | undefined
  name: string
}

function parseNamed(text: string): Named {
  const kind = CATALOG_KINDS.find((each) => text.startsWith(`${each}:`))
  return { kind, name: kind === undefined ? text : text.slice(kind.length + 1) }
}

/** The kind of a name on this machine. */
function kindHere(machine: Machine, { kind, name }: Named): { kind: CatalogKind; name: string } {
  if (kind !== undefined) return { kind, name }
  if (!hasPack(machine, name)) return { kind: 'skill', name }
  if (isInLibrary(machine, name)) throw twoKinds(name)
  return { kind: 'pack', name }
}

function twoKinds(name: string): LoadoutError {
  return new LoadoutError('USAGE', `there are a skill and a pack named ${name}`, {
    hint: `say which: skill:${name} or pack:${name}`,
  })
}

/** The entries of the catalog with a name that the user typed. */
async function entriesNamed(machine: Machine, membership: Membership, typed: string): Promise<CatalogEntry[]> {
  const { kind, name } = parseNamed(typed)
  const entries = await readEntries(machine, membership)
  const found = entries.filter((each) => each.name === name && (kind ?? each.kind) === each.kind)
  if (new Set(found.map((each) => each.kind)).size > 1) throw twoKinds(name)
  return found
}

export interface SignRequest {
  name: string
  /** Default: the newest draft; for a retirement, every version. */
  version?: string | undefined
  groups?: readonly string[] | undefined
  key?: string | undefined
}

export interface Signed extends Pick<Statement, 'kind' | 'name' | 'version' | 'state' | 'groups' | 'by' | 'at'> {}

/** Lets machines install a version. */
export async function approveVersion(machine: Machine, request: SignRequest): Promise<Report<Signed>> {
  const membership = requireMembership(machine)
  const versions = (await entriesNamed(machine, membership, request.name)).filter(({ version }) => version !== '*')
  const drafts = versions.filter(({ version, state }) =>
    request.version === undefined ? state === 'draft' : version === request.version,
  )
  const newest = drafts.sort((a, b) => (a.published < b.published ? 1 : -1))[0]
  if (newest === undefined) {
    const wanted = request.version === undefined ? 'draft' : `version ${request.version}`
    throw new LoadoutError('SKILL_NOT_FOUND', `the catalog has no ${wanted} of ${request.name}`, {
      hint: `loadout catalog publish ${request.name}`,
    })
  }
  const { kind, name, version, commit, digest, groups } = newest
  return signAndSend(machine, membership, request, { kind, name, version, state: 'approved', commit, digest, groups })
}

/** Makes machines remove a skill or stop using a pack, or one version of it. */
export async function retireVersion(machine: Machine, request: SignRequest): Promise<Report<Signed>> {
  const membership = requireMembership(machine)
  const { version = '*' } = request
  const entries = await entriesNamed(machine, membership, request.name)
  const known = entries.find((each) => each.version === version)
  const [first] = entries
  if (first === undefined || (version !== '*' && known === undefined)) throw notListed(request.name, version)
  const { commit = '', digest = '', groups = ['*'] } = version === '*' ? {} : (known ?? {})
  return signAndSend(machine, membership, request, {
    ...{ kind: first.kind, name: first.name },
    version,
    state: 'retired',
    commit,
    digest,
    groups,
  })
}

function notListed(name: string, version: string): LoadoutError {
  return new LoadoutError('SKILL_NOT_FOUND', `the catalog has no ${name}${version === '*' ? '' : ` ${version}`}`, {
    hint: 'loadout catalog search',
  })
}

async function signAndSend(
  machine: Machine,
  membership: Membership,
  request: SignRequest,
  about: Omit<Statement, 'team' | 'by' | 'at'>,
): Promise<Report<Signed>> {
  const signers = await requireSigners(machine)
  const key = signingKey(machine, request.key)
  const by = principalOf(key, signers)
  const groups = request.groups ?? about.groups
  const statement: Statement = { ...about, groups, team: membership.team, by, at: machine.now().toISOString() }
  const text = formatStatement(statement)
  const signature = await sign(machine, key, text)
  const [isValid] = await verifyAll(machine, signers, [{ by, text, signature }])
  if (!isValid) {
    throw new LoadoutError('CATALOG_UNVERIFIED', `the signature of ${key} is not valid for ${by}`, {
      hint: `check the line of ${by} in ${SIGNERS_FILE}`,
    })
  }
  const body = JSON.stringify({ statement: text, signature })
  await callTeam(machine, membership, { path: '/v1/catalog/statements', body })
  const { kind, name, version, state, at } = statement
  return { value: { kind, name, version, state, groups, by, at }, findings: [] }
}

/** Stops a version on every machine, or releases it. Needs no signature, because it installs nothing. */
export async function quarantineVersion(
  machine: Machine,
  request: { name: string; version: string; isHeld: boolean },
): Promise<Report<{ name: string; version: string; state: string }>> {
  const membership = requireMembership(machine)
  const { version, isHeld } = request
  const [first] = await entriesNamed(machine, membership, request.name)
  if (first === undefined) throw notListed(request.name, version)
  const { kind, name } = first
  const body = JSON.stringify({ kind, name, version, isHeld })
  const { state } = await callTeam(machine, membership, { path: '/v1/catalog/quarantine', body })
  return { value: { name, version, state: String(state) }, findings: [] }
}
