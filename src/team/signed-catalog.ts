import { Config } from '../agents/config.ts'
import type { Machine } from '../machine/machine.ts'
import type { RecordFile } from '../machine/records.ts'
import { ANY_NAME, CATALOG_KINDS, type Verdict } from '../machine/rules/approval.ts'
import { SshSignatures } from '../machine/ssh-signature.ts'
import { Library } from '../skills/library-skills.ts'
import { parseForeignJson } from '../text/json.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { isRecord, sha256, sortedBy } from '../text/values.ts'
import { readPinnedSigners } from './disk/identity.ts'
import type { Team } from './disk/team.ts'
import {
  type CatalogEntry,
  chooseVerdicts,
  continuityProblem,
  expiryOf,
  fingerprintOf,
  idOf,
  isEntry,
  parseSnapshot,
  SIGNED_FOR,
  type SignedVersion,
  type Snapshot,
  type Stop,
  stopsInForce,
  versionProblem,
} from './rules/catalog.ts'
import type { Membership } from './rules/membership.ts'

/** Lists who may approve, in the library. */
export const SIGNERS_FILE = 'catalog/allowed_signers'

/** The newest catalog that this machine has verified. It never goes back to an older one. */
export interface KnownCatalog {
  /** Undefined while there is none. */
  snapshot: Snapshot | undefined
  /** The signed bytes. */
  text: string
  signature: string
  stops: readonly Stop[]
}

const RECORD: RecordFile<KnownCatalog> = {
  place: 'team/catalog.json',
  empty: { snapshot: undefined, text: '', signature: '', stops: [] },
  parse: (json, path) => {
    if (isRecord(json) && typeof json.text === 'string' && typeof json.signature === 'string') {
      const { text, signature, stops } = json
      const snapshot = parseSnapshot(text)
      if (snapshot !== undefined && Array.isArray(stops)) return { snapshot, text, signature, stops: stops as Stop[] }
    }
    throw failWith('FILE_UNREADABLE/catalog', { path })
  },
  format: ({ text, signature, stops }) => `${JSON.stringify({ text, signature, stops })}\n`,
  broken: (problem, cause) => failWith('FILE_UNREADABLE/verified', { problem }, { cause }),
}

/** What the server showed, and what of it this machine believes. */
export interface Catalog extends KnownCatalog {
  /** The catalog before this call. */
  before: KnownCatalog
  signers: string | undefined
  entries: CatalogEntry[]
  /** What the server offers, verified or not. */
  offered: { text: string; signature: string; snapshot: Snapshot | undefined; isSigned: boolean } | undefined
  /** Why the offered catalog is refused. */
  problem: string | undefined
  verdicts: readonly Verdict[]
  findings: Finding[]
}

/**
 * Asks the server for the catalog, and verifies it. A refused catalog changes nothing: the last verified one counts.
 * Writes nothing.
 */
export async function readCatalog(
  team: Team,
  { milliseconds, all = false }: { milliseconds?: number; all?: boolean } = {},
): Promise<Catalog> {
  const { machine, membership } = team
  const before = machine.records.read(RECORD)
  const path = `/v1/catalog/snapshot?have=${before.text === '' ? '' : sha256(before.text)}${all ? '&all=1' : ''}`
  const reply = await team.call({ method: 'GET', path, milliseconds }).catch((error) => {
    if (!(error instanceof LoadoutError) || error.code !== 'NOT_SERVED') throw error
    throw failWith('TEAM_FORMAT/old-server')
  })
  const entries = Array.isArray(reply.entries) ? reply.entries.filter(isEntry) : []
  const { text, signature } = reply.isSame === true ? before : reply
  // Those that were pinned when this machine joined; otherwise those that the library has committed.
  const signers = readPinnedSigners(machine) ?? (await new Library(machine).committedFile(SIGNERS_FILE))
  let offered: Catalog['offered']
  if (typeof text === 'string' && typeof signature === 'string' && text !== '') {
    const snapshot = parseSnapshot(text)
    const isValid =
      snapshot !== undefined &&
      signers !== undefined &&
      (await new SshSignatures(machine).isSigned(signers, { by: snapshot.by, text, signature, purpose: SIGNED_FOR }))
    offered = { text, signature, snapshot, isSigned: isValid }
  }
  const problem = problemOf(offered, before, signers, membership)
  const isTaken = problem === undefined && offered?.snapshot !== undefined
  const known = isTaken ? { snapshot: offered?.snapshot, text: String(text), signature: String(signature) } : before
  const stops = stopsInForce(known.snapshot, before.stops, entries)
  const verdicts = verdictsFrom(machine, membership, { ...known, stops, entries, offered, signers })
  const findings = [...refusalFindings(problem, before, offered), ...expiryFindings(machine, known.snapshot)]
  return { ...known, before, stops, signers, entries, offered, problem, verdicts, findings }
}

function problemOf(
  offered: Catalog['offered'],
  before: KnownCatalog,
  signers: string | undefined,
  { team }: Membership,
): string | undefined {
  if (offered === undefined) {
    if (before.snapshot !== undefined) return 'the server no longer shows a signed catalog'
    return signers === undefined ? undefined : 'the server shows no signed catalog'
  }
  const { snapshot, text } = offered
  if (snapshot === undefined) return 'the catalog of the server is damaged, or of a newer version of Loadout'
  const named = `number ${snapshot.number} of the server’s catalog`
  if (snapshot.team !== team) return `${named} is of another team`
  if (signers === undefined) return `${named} cannot be verified: the library has no ${SIGNERS_FILE}`
  if (!offered.isSigned) {
    if (text === before.text) return `${named} was signed by ${snapshot.by}, who may no longer sign`
    return `${named} has no valid signature of ${snapshot.by}`
  }
  const broken = before.snapshot && continuityProblem(before.snapshot, snapshot)
  return broken && `${named} does not continue what this machine verified: ${broken}`
}

function refusalFindings(
  problem: string | undefined,
  { snapshot: known }: KnownCatalog,
  offered: Catalog['offered'],
): Finding[] {
  if (problem === undefined) return []
  const counts = known && `; number ${known.number}, which this machine verified, still counts`
  const isUnsigned = offered === undefined || (offered.snapshot !== undefined && !offered.isSigned)
  return [
    report(isUnsigned ? 'CATALOG_UNVERIFIED/unsigned' : 'CATALOG_UNVERIFIED/problem', {
      problem,
      counts: counts ?? '',
      signersFile: SIGNERS_FILE,
    }),
  ]
}

/** Says that a catalog has expired; without one, that the last verdicts have. */
export function expiryFindings(machine: Machine, snapshot: Snapshot | undefined): Finding[] {
  const expires = snapshot === undefined ? machine.verdicts.expires : expiryOf(snapshot)
  const now = machine.now()
  if (expires === undefined || Date.parse(expires) > now.getTime()) return []
  const today = now.toISOString().slice(0, 10)
  return [report('CATALOG_UNVERIFIED/expired', { expires: expires.slice(0, 10), today })]
}

function verdictsFrom(
  machine: Machine,
  { group }: Membership,
  known: Pick<Catalog, 'snapshot' | 'stops' | 'entries' | 'offered' | 'signers'>,
): readonly Verdict[] {
  const { snapshot, stops, entries, offered, signers } = known
  if (snapshot !== undefined) return chooseVerdicts(snapshot, { group, stops, entries })
  // An earlier version of Loadout verified approvals one by one; they count until the whole catalog is signed.
  const earlier = machine.verdicts.read(new Config(machine).library).filter(({ by }) => by !== undefined)
  if (earlier.length > 0) return earlier
  const why = offered === undefined ? 'the catalog is not signed yet' : 'the catalog could not be verified'
  if (signers !== undefined) {
    return CATALOG_KINDS.map((kind) => ({ kind, name: ANY_NAME, state: 'held', version: '', why }))
  }
  // A library without signers may be a private one: only what the catalog names is held.
  const named = [...(offered?.snapshot?.versions ?? []), ...entries]
  const unsigned = named.map((each) => ({ owner: '', published: '', ...each }))
  return chooseVerdicts(undefined, { group, stops, entries: unsigned })
}

/** From now on installs and packs obey this catalog, also without a connection. */
export async function rememberCatalog(
  machine: Machine,
  { snapshot, text, signature, stops, verdicts }: KnownCatalog & Pick<Catalog, 'verdicts'>,
): Promise<void> {
  // Another process may have verified a newer one.
  if (snapshot !== undefined) {
    const { number } = snapshot
    const kept = await machine.records.change(RECORD, 'catalog', (known) =>
      (known.snapshot?.number ?? 0) > number ? known : { snapshot, text, signature, stops },
    )
    if (kept.text !== text) return
  }
  const limits = snapshot === undefined ? {} : { expires: expiryOf(snapshot), only: snapshot.only }
  await machine.verdicts.write(new Config(machine).library, { verdicts, ...limits })
}

/** Takes a catalog that a person recognized by its fingerprint, although it does not continue the known one. */
export async function replaceCatalog(machine: Machine, known: KnownCatalog): Promise<void> {
  await machine.records.change(RECORD, 'catalog', () => known)
}

/** How people name the catalog that this machine verified. */
export function nameKnownCatalog(machine: Machine): string | undefined {
  const { snapshot, text } = machine.records.read(RECORD)
  return snapshot && `number ${snapshot.number}, signed by ${snapshot.by}, fingerprint ${fingerprintOf(text)}`
}

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
    if (
      (state !== 'approved' && state !== 'retired') ||
      !(await new SshSignatures(machine).isSigned(signers, { by, text, signature, purpose: SIGNED_FOR }))
    ) {
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
