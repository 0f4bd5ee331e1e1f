import { readdirSync } from 'node:fs'
import { type BundleAudit, parseBundleAudit } from '../context/rules/bundle-audit.ts'
import { type AuditRecord, auditId } from '../packs/rules/resolve/audit-record.ts'
import { compareText } from '../text/order.ts'
import { isRecord } from '../text/record.ts'
import { LoadoutError } from '../text/trouble.ts'
import { exists, readJson } from './files.ts'
import type { Machine } from './machine.ts'
import { recordPath, writeRecord } from './records.ts'

/** What Loadout gave to a model once, exactly enough to give it again. */
export type Audit = { kind: 'bundle'; record: BundleAudit } | { kind: 'packs'; record: AuditRecord }

/** The folder of each kind, below the state folder. */
const PLACES = { bundle: 'context', packs: 'packs/audit' } as const
const KINDS = ['bundle', 'packs'] as const
type Kind = (typeof KINDS)[number]

const ID_LENGTH = 16

/** Derived from the content: the same bundle or resolution has the same id. */
export function idOf(audit: Audit): string {
  return audit.kind === 'bundle' ? audit.record.digest.slice(0, ID_LENGTH) : auditId(audit.record)
}

export function writeAudit(machine: Machine, audit: Audit): string {
  const id = idOf(audit)
  const place = placeOf(audit.kind, id)
  // The id of a resolution is the digest of its whole record. The same bundle may be asked for in several ways.
  if (audit.kind === 'bundle' || !exists(recordPath(machine, place))) {
    writeRecord(machine, place, `${JSON.stringify(audit.record)}\n`)
  }
  return id
}

/** By its id, or by as much of the start as only one record has. A record that is not what its id says is refused. */
export function findAudit(machine: Machine, typed: string): Audit {
  const start = typed.toLowerCase().slice(0, ID_LENGTH)
  const found = start === '' ? [] : listAudits(machine).filter(({ id }) => id.startsWith(start))
  const [only] = found
  if (only === undefined) {
    throw new LoadoutError('AUDIT_NOT_FOUND', `there is no record "${typed}"`, {
      hint: 'loadout context and loadout packs resolve print the id of their record',
    })
  }
  if (found.length > 1) throw ambiguous(typed, found)
  return readAudit(machine, only)
}

interface Named {
  kind: Kind
  id: string
}

const MOST_LISTED = 8

function ambiguous(typed: string, found: readonly Named[]): LoadoutError {
  const listed = found.slice(0, MOST_LISTED).map(({ kind, id }) => `${id} (${kind})`)
  const more = found.length > MOST_LISTED ? [`${found.length - MOST_LISTED} more`] : []
  return new LoadoutError('AUDIT_NOT_FOUND', `"${typed}" is the start of ${found.length} records`, {
    hint: `type more of one: ${[...listed, ...more].join(', ')}`,
  })
}

function readAudit(machine: Machine, { kind, id }: Named): Audit {
  const path = recordPath(machine, placeOf(kind, id))
  const audit = parseAudit(kind, readJson(path))
  if (audit !== undefined && idOf(audit) === id) return audit
  throw new LoadoutError('BAD_AUDIT', `${path} is not the record it was written as`, {
    hint: 'ask for the same task again; the file can be removed',
  })
}

function parseAudit(kind: Kind, json: unknown): Audit | undefined {
  if (kind === 'packs') return isPackAudit(json) ? { kind, record: json } : undefined
  const record = parseBundleAudit(json)
  return record && { kind, record }
}

/** The id is the digest of the content, so the shape only has to be told from other JSON. */
function isPackAudit(json: unknown): json is AuditRecord {
  return isRecord(json) && json.format === 1 && Array.isArray(json.packs)
}

function listAudits(machine: Machine): Named[] {
  return KINDS.flatMap((kind) =>
    idsIn(recordPath(machine, PLACES[kind]))
      .sort(compareText)
      .map((id) => ({ kind, id })),
  )
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? [])
  } catch {
    return []
  }
}

function placeOf(kind: Kind, id: string): string {
  return `${PLACES[kind]}/${id}.json`
}
