import { appendFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AuditRecord, auditId } from '../../domain/packs/resolve/audit-record.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { isRecord, isTextList } from '../../domain/shared/record.ts'
import { asLoadoutError, exists, readText, requireFile, writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { type Machine, stateFolder } from '../machine.ts'

// They hold the words of tasks.
const ONLY_THE_USER = 0o600

function auditFolder(machine: Machine): string {
  return join(stateFolder(machine), 'packs', 'audit')
}

/** Written once: the same resolution has the same name. */
export function writeAudit(machine: Machine, record: AuditRecord): string {
  const id = auditId(record)
  const path = join(auditFolder(machine), `${id}.json`)
  if (!exists(path)) writeAtomically(path, `${JSON.stringify(record)}\n`, ONLY_THE_USER)
  return id
}

/** By its name, or by as much of it as is unambiguous. A record that is not what its name says is refused. */
export function readAudit(machine: Machine, typed: string): { id: string; record: AuditRecord } {
  const found = listAudits(machine).filter((id) => id.startsWith(typed.toLowerCase()))
  const [id] = found
  if (id === undefined || found.length > 1 || typed === '') {
    const problem =
      found.length > 1 ? `"${typed}" is the start of ${found.length} records` : `there is no record "${typed}"`
    throw new LoadoutError('AUDIT_NOT_FOUND', problem, {
      hint: `every resolution prints the name of its record; they lie in ${auditFolder(machine)}`,
    })
  }
  const path = join(auditFolder(machine), `${id}.json`)
  const record = readJson(path)
  if (isAudit(record) && auditId(record) === id) return { id, record }
  throw new LoadoutError('BAD_AUDIT', `${path} is not the record it was written as`, {
    hint: 'resolve the task again; the file can be removed',
  })
}

/** The name is the digest of the content, so the shape only has to be told from other JSON. */
function isAudit(json: unknown): json is AuditRecord {
  return isRecord(json) && json.format === 1 && Array.isArray(json.packs)
}

function listAudits(machine: Machine): string[] {
  try {
    return readdirSync(auditFolder(machine)).flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? [])
  } catch {
    return []
  }
}

/** One line for each use of a pack, for whoever asks later what an agent was told. */
export function appendActivations(machine: Machine, lines: readonly object[]): void {
  const path = join(stateFolder(machine), 'packs', 'activations.jsonl')
  try {
    mkdirSync(dirname(path), { recursive: true })
    // Appending to a pipe would wait for its reader.
    if (exists(path)) requireFile(path)
    appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: ONLY_THE_USER })
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

/** A record in the form that other clients read. */
export function writeContextRecord(machine: Machine, name: string, text: string): void {
  writeAtomically(join(stateFolder(machine), 'packs', 'records', `${name}.json`), text, ONLY_THE_USER)
}

const SESSION_NAME = /^[A-Za-z0-9._-]{1,128}$/

function sessionPath(machine: Machine, session: string): string {
  if (!SESSION_NAME.test(session) || /^\.+$/.test(session)) {
    throw new LoadoutError('USAGE', `"${session.slice(0, 80)}" cannot be the name of a session`, {
      hint: 'use letters, digits, dots, dashes and underscores',
    })
  }
  return join(stateFolder(machine), 'packs', 'sessions', `${session}.json`)
}

/** The digests of the wrappers that a session was given. One that cannot be read counts as new. */
export function readSession(machine: Machine, session: string): string[] {
  const path = sessionPath(machine, session)
  try {
    const json: unknown = JSON.parse(readText(path))
    return isRecord(json) && isTextList(json.wrappers) ? json.wrappers : []
  } catch {
    return []
  }
}

export function writeSession(machine: Machine, session: string, wrappers: readonly string[]): void {
  writeAtomically(sessionPath(machine, session), `${JSON.stringify({ wrappers })}\n`, ONLY_THE_USER)
}
