import { findLibrary } from '../agents/config.ts'
import type { Machine } from '../machine/machine.ts'
import type { CatalogKind, Verdict } from '../machine/rules/verdict.ts'
import { writeVerdicts } from '../machine/verdicts.ts'
import { fetchPacks } from '../packs/fetch.ts'
import { type EquipCommand, equip } from '../skills/equip.ts'
import { type SyncCommand, type SyncResult, sync } from '../skills/sync.ts'
import { asFinding, type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { checkEntries, readerOf } from './catalog-entries.ts'
import { readMembership, requireMembership } from './disk/team-client.ts'
import { type CatalogEntry, chooseVerdicts } from './rules/catalog.ts'

export interface CatalogRow extends Omit<CatalogEntry, 'statement' | 'signature'> {
  /** Who signed it; only if this machine verified the signature. */
  signedBy?: string
  signedAt?: string
  /** What this machine does with it. */
  here: (typeof HERE)[CatalogKind][Verdict['state']] | ''
}

const HERE = {
  skill: { approved: 'installs', held: 'holds', retired: 'removes' },
  pack: { approved: 'uses', held: 'does not use', retired: 'does not use' },
} as const

/** The versions of the catalog, and what this machine verified. Words select by name and owner. */
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

/** Reads the catalog and verifies it. */
async function askCatalog(machine: Machine, milliseconds?: number): Promise<Report<readonly Verdict[]>> {
  const membership = requireMembership(machine)
  const { checked, findings } = await checkEntries(machine, membership, milliseconds)
  const verdicts = chooseVerdicts(checked, readerOf(machine, membership))
  const suspicious = verdicts.filter(({ why }) => why?.startsWith('the catalog no longer shows'))
  const told = suspicious.map(({ name, why }): Finding => {
    const hint = 'ask who runs the team’s server: an approval or a retirement was removed'
    return { severity: 'warning', code: 'CATALOG_UNVERIFIED', message: `${name}: ${why}`, subject: name, hint }
  })
  return { value: verdicts, findings: [...findings, ...told] }
}

/** Stores the verified catalog: installs and packs obey it from then on, also without a connection. */
export async function refreshCatalog(machine: Machine, _request: object): Promise<Report<readonly Verdict[]>> {
  const asked = await askCatalog(machine)
  await writeVerdicts(machine, findLibrary(machine), asked.value)
  return asked
}

/** Installs the versions that the catalog approved. */
export async function equipFromCatalog(machine: Machine, request: EquipCommand): ReturnType<typeof equip> {
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

/** A dry run must not wait long for a server that may be down. */
const LOOK_MS = 5_000

/** Syncs as the catalog allows. If the team's server does not answer, its last answer counts; a finding says so. */
export async function syncWithCatalog(machine: Machine, request: SyncCommand): Promise<Report<SyncResult>> {
  const { value: verdicts, findings } = await tryCatalog(machine, () =>
    request.dryRun ? askCatalog(machine, LOOK_MS) : refreshCatalog(machine, {}),
  )
  const report = await sync(machine, { ...request, verdicts })
  return { ...report, findings: [...findings, ...report.findings] }
}

/** Fetches the packs of the organization, and the verdicts of its catalog. */
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

/** Does nothing on a machine that has not joined a team. */
async function tryCatalog(
  machine: Machine,
  asking: () => Promise<Report<readonly Verdict[]>>,
): Promise<Report<readonly Verdict[] | undefined>> {
  if (readMembership(machine) === undefined) return { value: undefined, findings: [] }
  try {
    return await asking()
  } catch (error) {
    const { message, ...finding } = asFinding(error)
    const told = `the catalog could not be read, so its last answer counts: ${message}`
    return { value: undefined, findings: [{ ...finding, message: told }] }
  }
}
