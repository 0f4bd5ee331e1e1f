import { findLibrary } from '../agents/config.ts'
import type { Machine } from '../machine/machine.ts'
import { CATALOG_KINDS } from '../machine/rules/verdict.ts'
import { readVerdicts } from '../machine/verdicts.ts'
import { committedFile } from '../skills/committed-version.ts'
import { listed } from '../text/count.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { isRecord, isTextList } from '../text/values.ts'
import { readPinnedSigners, verifyAll } from './disk/identity.ts'
import { callTeam } from './disk/team-client.ts'
import { CATALOG_STATES, type CatalogEntry, type CheckedEntry, parseStatement } from './rules/catalog.ts'
import type { Membership } from './rules/membership.ts'

/** Lists who may approve, in the library. */
export const SIGNERS_FILE = 'catalog/allowed_signers'

export async function readEntries(
  machine: Machine,
  membership: Membership,
  milliseconds?: number,
): Promise<CatalogEntry[]> {
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

/** Verifies the signature of every statement. A version without a valid signature counts as a draft. */
export async function checkEntries(
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
  const message = hasNoSigners
    ? `nothing in the catalog can be verified: the library has no ${SIGNERS_FILE}`
    : `${refused.length === 1 ? '1 version' : `${refused.length} versions`} of the catalog without a valid signature ${refused.length === 1 ? 'is' : 'are'} ignored: ${listed(names)}`
  const hint = `loadout sync fetches ${SIGNERS_FILE}; ask the people who approved these versions`
  return { severity: 'warning', code: 'CATALOG_UNVERIFIED', message, hint }
}

export function readerOf(machine: Machine, { team, group }: Membership) {
  return { team, group, before: readVerdicts(machine, findLibrary(machine)) }
}

/** The signers that were pinned when this machine joined; otherwise those that the library has committed. */
async function allowedSigners(machine: Machine): Promise<string | undefined> {
  return readPinnedSigners(machine) ?? (await committedFile(machine, SIGNERS_FILE))
}

export async function requireSigners(machine: Machine): Promise<string> {
  const signers = await allowedSigners(machine)
  if (signers !== undefined) return signers
  throw new LoadoutError('CATALOG_UNVERIFIED', `the library has no ${SIGNERS_FILE}`, {
    hint: 'write it, one line for each approver: <name> <public key>; then commit and push it',
  })
}
