import { readdirSync } from 'node:fs'
import { LoadoutError } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { readJson } from './files.ts'
import type { Machine } from './machine.ts'
import { recordPath, writeRecord } from './records.ts'

/** Where records of one kind are, below the state folder. */
interface AuditFolder<K extends string = string> {
  kind: K
  place: string
}

/** Records of what Loadout gave to a model once, exactly enough to give it again. */
export interface AuditFormat<T> extends AuditFolder {
  /** Derived from the content: the same bundle or resolution has the same id, 16 hexadecimal digits. */
  idOf(record: T): string
  /** Undefined for anything that is not such a record. */
  parse(json: unknown): T | undefined
}

const ID_LENGTH = 16

export function writeAudit<T>(machine: Machine, format: AuditFormat<T>, record: T): string {
  const id = format.idOf(record)
  writeRecord(machine, placeOf(format, id), `${JSON.stringify(record)}\n`)
  return id
}

/** The record that an id names, or as much of its start as only one record has. */
export function findAudit<K extends string>(
  machine: Machine,
  folders: readonly AuditFolder<K>[],
  typed: string,
): Named<K> {
  const start = typed.toLowerCase().slice(0, ID_LENGTH)
  const all = folders.flatMap((folder) => idsIn(machine, folder).map((id) => ({ kind: folder.kind, id })))
  const found = start === '' ? [] : all.filter(({ id }) => id.startsWith(start))
  const [only] = found
  if (only === undefined) {
    throw new LoadoutError('AUDIT_NOT_FOUND', `there is no record "${typed}"`, {
      hint: 'loadout context and loadout packs resolve print the id of their record',
    })
  }
  if (found.length > 1) throw ambiguous(typed, found)
  return only
}

interface Named<K extends string = string> {
  kind: K
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

/** Throws for a record that is not what its id says. */
export function readAudit<T>(machine: Machine, format: AuditFormat<T>, id: string): T {
  const path = recordPath(machine, placeOf(format, id))
  const record = format.parse(readJson(path))
  if (record !== undefined && format.idOf(record) === id) return record
  throw new LoadoutError('BAD_AUDIT', `${path} is not the record it was written as`, {
    hint: 'ask for the same task again; the file can be removed',
  })
}

function idsIn(machine: Machine, { place }: AuditFolder): string[] {
  try {
    const names = readdirSync(recordPath(machine, place))
    return names.flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []).sort(compareText)
  } catch {
    return []
  }
}

function placeOf({ place }: AuditFolder, id: string): string {
  return `${place}/${id}.json`
}
