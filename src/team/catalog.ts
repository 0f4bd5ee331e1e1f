import { Config } from '../agents/config.ts'
import type { Machine } from '../machine/machine.ts'
import { type CatalogKind, type Verdict, verdictsAt } from '../machine/rules/approval.ts'
import { type EquipCommand, equip } from '../skills/equip.ts'
import { asFinding, failWith } from '../text/trouble.ts'
import { sortedBy } from '../text/values.ts'
import { Team, withTeam } from './disk/team.ts'
import { type CatalogEntry, expiryOf, fingerprintOf, idOf } from './rules/catalog.ts'
import { type Catalog, expiryFindings, readCatalog, rememberCatalog } from './signed-catalog.ts'

export interface CatalogRow extends Omit<CatalogEntry, 'statement' | 'signature'> {
  /** Who signed it; only if this machine verified the signature. */
  signedBy?: string
  /** What this machine does with it. */
  here: (typeof HERE)[CatalogKind][Verdict['state']] | ''
}

export interface CatalogView {
  versions: CatalogRow[]
  /** The signed catalog that this machine verified. */
  signed?: { number: number; by: string; expires: string; only: readonly CatalogKind[]; fingerprint: string }
}

const HERE = {
  skill: { approved: 'installs', held: 'holds', retired: 'removes' },
  pack: { approved: 'uses', held: 'does not use', retired: 'does not use' },
} as const

/** The versions of the catalog, and what this machine verified. Words select by name and owner. */
export const searchCatalog = withTeam(async (team, { words = '' }: { words?: string }): Promise<CatalogView> => {
  const catalog = await readCatalog(team, { all: true })
  const { snapshot, text, stops, entries, findings } = catalog
  const verdicts = new Map(inForce(team.machine, catalog).map((each) => [`${each.kind}:${each.name}`, each]))
  const stopped = new Set(stops.map(idOf))
  const published = new Map(entries.map((entry) => [idOf(entry), entry]))
  const rows = (snapshot?.versions ?? []).map((signed): CatalogRow => {
    const { by, approved: _, changed: __, ...version } = signed
    const { owner = '', published: at = '' } = published.get(idOf(signed)) ?? {}
    const state = stopped.has(idOf(signed)) ? 'quarantined' : version.state
    const verdict = verdicts.get(`${version.kind}:${version.name}`)
    const isChosen = verdict?.version === version.version || verdict?.version === '*'
    const here = isChosen ? HERE[version.kind][verdict.state] : ''
    return { ...version, state, owner, published: at, signedBy: by, here }
  })
  const known = new Set(rows.map(idOf))
  // Only a signature approves or retires: without one, a version is a draft, whatever the database says.
  const drafts = entries.flatMap(({ statement: _, signature: __, ...entry }): CatalogRow[] => {
    if (known.has(idOf(entry)) || entry.version === '*') return []
    const here = verdicts.get(`${entry.kind}:${entry.name}`)?.version === entry.version ? HERE[entry.kind].held : ''
    return [{ ...entry, state: entry.state === 'quarantined' ? 'quarantined' : 'draft', here }]
  })
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const versions = sortedBy([...rows, ...drafts], idOf).filter(({ name, owner }) =>
    wanted.every((word) => `${name} ${owner}`.toLowerCase().includes(word)),
  )
  if (snapshot === undefined) {
    team.machine.report(...findings)
    return { versions }
  }
  const { number, by, only } = snapshot
  const signed = { number, by, expires: expiryOf(snapshot), only, fingerprint: fingerprintOf(text) }
  team.machine.report(...findings)
  return { versions, signed }
})

function inForce({ now }: Machine, { verdicts, snapshot }: Catalog): readonly Verdict[] {
  const limits = snapshot === undefined ? {} : { expires: expiryOf(snapshot), only: snapshot.only }
  return verdictsAt({ library: '', verdicts, ...limits }, now())
}

// No command must wait long for a server that may be down: the last verified catalog counts.
const LOOK_MS = 5_000

/**
 * Asks for the catalog and obeys it; a dry run writes nothing. If the team's server does not answer, the last verified
 * catalog counts; a finding says so. Undefined on a machine that has not joined a team.
 */
export async function refreshCatalog(
  machine: Machine,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<readonly Verdict[] | undefined> {
  const team = Team.find(machine)
  if (team === undefined) return undefined
  try {
    const catalog = await readCatalog(team, { milliseconds: LOOK_MS })
    if (!dryRun) await rememberCatalog(machine, catalog)
    machine.report(...catalog.findings)
    return inForce(machine, catalog)
  } catch (error) {
    const { message, ...finding } = asFinding(error)
    const told = { ...finding, message: `the catalog could not be read, so its last answer counts: ${message}` }
    machine.report(told, ...expiryFindings(machine, undefined))
    return undefined
  }
}

/**
 * The use case, after asking for the catalog: for everything that may change installs or packs. `isChange` says which
 * requests do.
 */
export function withCatalog<Request extends object, Value>(
  run: (machine: Machine, request: Request) => Promise<Value>,
  isChange: (request: Request) => boolean = () => true,
): typeof run {
  return async (machine, request) => {
    if (!isChange(request)) return run(machine, request)
    const verdicts = await refreshCatalog(machine, request)
    return run(machine, { ...request, verdicts })
  }
}

/** Installs skills; with `fromCatalog` only those that the catalog lists. */
export async function equipListed(
  machine: Machine,
  { fromCatalog, ...request }: EquipCommand & { fromCatalog?: boolean },
): ReturnType<typeof equip> {
  let { names, all } = request
  if (fromCatalog) {
    Team.require(machine)
    const known = request.verdicts ?? machine.verdicts.read(new Config(machine).library)
    const listed = new Map(known.flatMap((each) => (each.kind === 'skill' ? [[each.name, each.state]] : [])))
    const unlisted = names.find((name) => !listed.has(name))
    if (all && names.length === 0) {
      names = [...listed].flatMap(([name, state]) => (state === 'approved' ? [name] : []))
      all = false
    }
    if (unlisted !== undefined || (request.all && names.length === 0)) {
      throw unlisted === undefined ? failWith('CATALOG_HELD/none') : failWith('CATALOG_HELD/unlisted', { unlisted })
    }
  }
  return equip(machine, { ...request, names, all })
}

/** Where the team that this machine has joined shows its page. */
export function teamAddress(machine: Machine, _request: object): string | undefined {
  return Team.find(machine)?.membership.url
}
