import { parseForeignJson } from '../../text/json.ts'
import { isRecord, sha256 } from '../../text/values.ts'

/** What a person or a machine did at the team's server. */
export interface AuditEntry {
  id: number
  at: string
  /** The id of the token, or the person who signs in. */
  actor: string
  action: AuditAction
  about: Readonly<Record<string, unknown>>
}

type AuditAction =
  | 'machine joined'
  | 'machine left'
  | 'token made'
  | 'person signed in'
  | 'person revoked'
  | 'token revoked'
  | 'version published'
  | 'version quarantined'
  | 'catalog signed'
  | 'change proposed'
  | 'proposal decided'
  | 'report read'
  | 'audit read'

/** An entry as it is stored: the bytes, and the hash that binds them to all entries before. */
export interface StoredEntry {
  entry: string
  hash: string
}

/** The hash before the first entry. */
export const CHAIN_START = ''

export function chainEntry(before: string, entry: AuditEntry): StoredEntry {
  const text = JSON.stringify(entry)
  return { entry: text, hash: chainHash(before, text) }
}

function chainHash(before: string, entry: string): string {
  return sha256(`${before}\n${entry}`)
}

/** The next entry of a chain; undefined if it does not follow the one before, or is not an entry. */
export function followEntry(
  before: Pick<AuditEntry, 'id'> & { hash: string },
  { entry, hash }: StoredEntry,
): AuditEntry | undefined {
  const { value } = parseForeignJson(entry)
  const isNext = isRecord(value) && value.id === before.id + 1 && chainHash(before.hash, entry) === hash
  return isNext ? (value as unknown as AuditEntry) : undefined
}
