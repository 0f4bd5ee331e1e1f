import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BundleAudit, parseBundleAudit } from '../../domain/context/bundle-audit.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { type Machine, stateFolder } from '../machine.ts'

function folderOf(machine: Machine): string {
  return join(stateFolder(machine), 'context')
}

/** As much of a digest as names a record. */
export function auditName(digest: string): string {
  return digest.slice(0, 16)
}

export function writeBundleAudit(machine: Machine, audit: BundleAudit): string {
  const id = auditName(audit.digest)
  writeAtomically(join(folderOf(machine), `${id}.json`), `${JSON.stringify(audit)}\n`, 0o600)
  return id
}

/** By the digest of its bundle, or as much of it as is unambiguous. */
export function readBundleAudit(machine: Machine, typed: string): BundleAudit {
  const start = auditName(typed.toLowerCase())
  const found = start === '' ? [] : listAudits(machine).filter((id) => id.startsWith(start))
  const [id] = found
  if (id === undefined || found.length > 1) {
    const problem =
      found.length > 1 ? `"${typed}" is the start of ${found.length} records` : `there is no record "${typed}"`
    throw new LoadoutError('AUDIT_NOT_FOUND', problem, { hint: 'loadout context prints the name of its record' })
  }
  const path = join(folderOf(machine), `${id}.json`)
  const audit = parseBundleAudit(readJson(path))
  if (audit !== undefined && auditName(audit.digest) === id) return audit
  throw new LoadoutError('BAD_AUDIT', `${path} is not a record of a bundle`, {
    hint: 'build the bundle again; the file can be removed',
  })
}

function listAudits(machine: Machine): string[] {
  try {
    return readdirSync(folderOf(machine)).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? [])
  } catch {
    return []
  }
}
