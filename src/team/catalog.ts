import type { Machine } from '../machine/machine.ts'
import { CATALOG_KINDS, type CatalogKind, type Verdict } from '../machine/rules/verdict.ts'
import { readVerdicts, writeVerdicts } from '../machine/verdicts.ts'
import { committedPack, hasPack } from '../packs/committed-pack.ts'
import { fetchPacks } from '../packs/fetch.ts'
import { committedFile, committedVersion, isInLibrary, libraryHere } from '../skills/committed-version.ts'
import { type EquipCommand, equip } from '../skills/equip.ts'
import type { Outcome } from '../skills/observe.ts'
import { type SyncCommand, type SyncResult, sync } from '../skills/sync.ts'
import { asFinding, type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { isRecord, isTextList } from '../text/values.ts'
import { readMembership, requireMembership } from './disk/outbox.ts'
import { whoWorksHere } from './disk/person.ts'
import { readPinnedSigners } from './disk/signers.ts'
import { principalOf, sign, signingKey, verifyAll } from './disk/ssh-signature.ts'
import { callTeam } from './disk/team-client.ts'
import { type CheckedEntry, chooseVerdicts } from './rules/choose-verdicts.ts'
import type { Membership } from './rules/membership.ts'
import {
  CATALOG_STATES,
  type CatalogEntry,
  formatStatement,
  parseStatement,
  type Statement,
  versionProblem,
} from './rules/statement.ts'

/** Where the library says who may approve. */
export const SIGNERS_FILE = 'catalog/allowed_signers'

export interface PublishRequest {
  /** `pack:handbook`, `skill:lint`, or the bare name where only one kind has it. */
  name: string
  /** Default: the version that a pack says it has, else the start of its commit. */
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
  const owner = request.owner ?? (await whoWorksHere(machine)).person
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

/** Which kind a name is of on this machine. */
function kindHere(machine: Machine, { kind, name }: Named): { kind: CatalogKind; name: string } {
  if (kind !== undefined) return { kind, name }
  if (!hasPack(machine, name)) return { kind: 'skill', name }
  if (isInLibrary(machine, name)) throw twoKinds(name)
  return { kind: 'pack', name }
}

function twoKinds(name: string): LoadoutError {
  return new LoadoutError('USAGE', `both a skill and a pack are called ${name}`, {
    hint: `say which: skill:${name} or pack:${name}`,
  })
}

/** What the catalog has under a name that was typed. */
async function entriesNamed(machine: Machine, membership: Membership, typed: string): Promise<CatalogEntry[]> {
  const { kind, name } = parseNamed(typed)
  const entries = await readEntries(machine, membership)
  const found = entries.filter((each) => each.name === name && (kind ?? each.kind) === each.kind)
  if (new Set(found.map((each) => each.kind)).size > 1) throw twoKinds(name)
  return found
}

export interface SignRequest {
  name: string
  /** Default: the newest draft, or with a retirement every version. */
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

/** Has machines remove a skill, or stop using a pack, or one version of it. */
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

/** Holds a version back on every machine, or lets it go on. Needs no signature, because it installs nothing. */
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

export interface CatalogRow extends Omit<CatalogEntry, 'statement' | 'signature'> {
  /** Who signed it, when the signature was verified on this machine. */
  signedBy?: string
  signedAt?: string
  /** What this machine does with it. */
  here: (typeof HERE)[CatalogKind][Verdict['state']] | ''
}

const HERE = {
  skill: { approved: 'installs', held: 'holds', retired: 'removes' },
  pack: { approved: 'uses', held: 'does not use', retired: 'does not use' },
} as const

/** What the catalog has, with what was verified here. Words narrow it down by name and owner. */
export async function searchCatalog(
  machine: Machine,
  { words = '' }: { words?: string },
): Promise<Report<CatalogRow[]>> {
  const membership = requireMembership(machine)
  const { checked, findings } = await checkEntries(machine, membership)
  const verdicts = chooseVerdicts(checked, readerOf(machine, membership))
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const rows = checked.map(({ entry: { statement: _, signature: __, ...entry }, signed }): CatalogRow => {
    const verdict = verdicts.find(({ kind, name }) => kind === entry.kind && name === entry.name)
    const isChosen = verdict?.version === entry.version || verdict?.version === '*'
    const here = isChosen ? HERE[entry.kind][verdict.state] : ''
    return { ...entry, ...(signed && { signedBy: signed.by, signedAt: signed.at }), here }
  })
  const value = rows.filter(({ name, owner }) =>
    wanted.every((word) => `${name} ${owner}`.toLowerCase().includes(word)),
  )
  return { value, findings }
}

/** Asks the catalog, and verifies what it says. */
async function askCatalog(machine: Machine, milliseconds?: number): Promise<Report<readonly Verdict[]>> {
  const membership = requireMembership(machine)
  const { checked, findings } = await checkEntries(machine, membership, milliseconds)
  const verdicts = chooseVerdicts(checked, readerOf(machine, membership))
  const suspicious = verdicts.filter(({ why }) => why?.startsWith('the catalog no longer shows'))
  const told = suspicious.map(({ name, why }): Finding => {
    const hint = 'ask who runs the team’s server: an approval or a retirement was taken away'
    return { severity: 'warning', code: 'CATALOG_UNVERIFIED', message: `${name}: ${why}`, subject: name, hint }
  })
  return { value: verdicts, findings: [...findings, ...told] }
}

/** The same, and keeps it: installs and packs obey it from then on, also without a connection. */
export async function refreshCatalog(machine: Machine, _request: object): Promise<Report<readonly Verdict[]>> {
  const asked = await askCatalog(machine)
  await writeVerdicts(machine, libraryHere(machine), asked.value)
  return asked
}

/** Installs the versions that the catalog approved. */
export async function equipFromCatalog(machine: Machine, request: EquipCommand): Promise<Report<Outcome>> {
  const { value, findings } = await refreshCatalog(machine, {})
  const skills = value.filter(({ kind }) => kind === 'skill')
  const approved = skills.filter(({ state }) => state === 'approved').map(({ name }) => name)
  const unlisted = request.names.find((typed) => !skills.some(({ name }) => name === typed))
  if (unlisted !== undefined) {
    throw new LoadoutError('CATALOG_HELD', `the catalog does not list ${unlisted}`, { hint: 'loadout catalog search' })
  }
  const names = request.names.length > 0 || !request.all ? request.names : approved
  const report = await equip(machine, { ...request, names, all: request.all && names.length === 0 })
  return { ...report, findings: [...findings, ...report.findings] }
}

/** Whether this machine has joined a team. */
export function hasTeam(machine: Machine, _request: object): boolean {
  return readMembership(machine) !== undefined
}

/** A look ahead must not wait long for a server that may be gone. */
const LOOK_MS = 5_000

/** Syncs as the catalog allows. If the team's server does not answer, its last answer counts, and Loadout reports that. */
export async function syncWithCatalog(machine: Machine, request: SyncCommand): Promise<Report<SyncResult>> {
  const { value: verdicts, findings } = await tryCatalog(machine, () =>
    request.dryRun ? askCatalog(machine, LOOK_MS) : refreshCatalog(machine, {}),
  )
  const report = await sync(machine, { ...request, verdicts })
  return { ...report, findings: [...findings, ...report.findings] }
}

/** Fetches the packs of the organization, and what its catalog says about packs. */
export async function fetchWithCatalog(
  machine: Machine,
  request: Parameters<typeof fetchPacks>[1],
): ReturnType<typeof fetchPacks> {
  const { findings } = await tryCatalog(machine, () => refreshCatalog(machine, {}))
  const report = await fetchPacks(machine, request)
  return { ...report, findings: [...findings, ...report.findings] }
}

/** For the background: prints nothing, because the next command reports it. */
export async function refreshQuietly(machine: Machine): Promise<void> {
  await tryCatalog(machine, () => refreshCatalog(machine, {}))
}

/** Nothing for a machine of no team. */
async function tryCatalog(
  machine: Machine,
  asking: () => Promise<Report<readonly Verdict[]>>,
): Promise<Report<readonly Verdict[] | undefined>> {
  if (readMembership(machine) === undefined) return { value: undefined, findings: [] }
  try {
    return await asking()
  } catch (error) {
    const { message, ...finding } = asFinding(error)
    const told = `the catalog could not be asked, so what it last said counts: ${message}`
    return { value: undefined, findings: [{ ...finding, message: told }] }
  }
}

function readerOf(machine: Machine, { team, group }: Membership) {
  return { team, group, before: readVerdicts(machine, libraryHere(machine)) }
}

async function readEntries(machine: Machine, membership: Membership, milliseconds?: number): Promise<CatalogEntry[]> {
  const { entries } = await callTeam(machine, membership, { method: 'GET', path: '/v1/catalog', milliseconds })
  return Array.isArray(entries) ? entries.filter(isEntry) : []
}

function isEntry(json: unknown): json is CatalogEntry {
  if (!isRecord(json) || !isTextList(json.groups)) return false
  const texts = [json.name, json.version, json.owner, json.commit, json.digest, json.published]
  const isKnown =
    CATALOG_KINDS.some((kind) => kind === json.kind) && CATALOG_STATES.some((state) => state === json.state)
  return isKnown && texts.every((text) => typeof text === 'string')
}

/** Verifies the signature of every statement. A version whose signature does not hold is as good as a draft. */
async function checkEntries(
  machine: Machine,
  membership: Membership,
  milliseconds?: number,
): Promise<{ checked: CheckedEntry[]; findings: Finding[] }> {
  const entries = await readEntries(machine, membership, milliseconds)
  const signers = await allowedSigners(machine)
  const rows = entries.flatMap((entry) => {
    const statement = parseStatement(entry.statement ?? '')
    const { kind, name, version, signature } = entry
    const isAbout = statement?.kind === kind && statement.name === name && statement.version === version
    return statement && signature && isAbout
      ? [{ entry, statement, by: statement.by, text: entry.statement ?? '', signature }]
      : []
  })
  const valid = signers === undefined ? rows.map(() => false) : await verifyAll(machine, signers, rows)
  const signed = new Map(rows.flatMap(({ entry, statement }, at) => (valid[at] ? [[entry, statement] as const] : [])))
  const checked = entries.map((entry) => ({ entry, signed: signed.get(entry) }))
  const refused = checked.filter(
    ({ entry, signed: known }) => known === undefined && (entry.state === 'approved' || entry.state === 'retired'),
  )
  return { checked, findings: refused.length === 0 ? [] : [unverified(refused, signers === undefined)] }
}

function unverified(refused: readonly CheckedEntry[], hasNoSigners: boolean): Finding {
  const names = [...new Set(refused.map(({ entry }) => entry.name))]
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')
  const message = hasNoSigners
    ? `nothing in the catalog can be verified: the library has no ${SIGNERS_FILE}`
    : `${refused.length === 1 ? '1 version' : `${refused.length} versions`} of the catalog without a valid signature ${refused.length === 1 ? 'is' : 'are'} ignored: ${shown}`
  const hint = `loadout sync fetches ${SIGNERS_FILE}; ask the people who approved these versions`
  return { severity: 'warning', code: 'CATALOG_UNVERIFIED', message, hint }
}

/** Those that were pinned when this machine joined, else those that the library has committed. */
async function allowedSigners(machine: Machine): Promise<string | undefined> {
  return readPinnedSigners(machine) ?? (await committedFile(machine, SIGNERS_FILE))
}

async function requireSigners(machine: Machine): Promise<string> {
  const signers = await allowedSigners(machine)
  if (signers !== undefined) return signers
  throw new LoadoutError('CATALOG_UNVERIFIED', `the library has no ${SIGNERS_FILE}`, {
    hint: 'write it, one line for each approver: <name> <public key>; then commit and push it',
  })
}
