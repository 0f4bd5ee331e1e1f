import { LoadoutError } from '../../shared/loadout-error.ts'
import { sortedBy } from '../../shared/order.ts'
import { isRecord } from '../../shared/record.ts'

/** A person's word that the commands of a project may run. Kept outside the project, so that none can answer for itself. */
export interface CommandApproval {
  /** The project's folder, after links. */
  root: string
  /** Of the commands, and of the project's own files that they name, as they were allowed. */
  digest: string
  actor: string
  /** An ISO time. */
  at: string
}

const VERSION = 1
const KEYS = ['root', 'digest', 'actor', 'at']
const DIGEST = /^[0-9a-f]{64}$/

/** Anything odd is an error: a record that is half understood must allow nothing. */
export function parseCommandApprovals(json: unknown, path: string): CommandApproval[] {
  if (!isRecord(json) || json.version !== VERSION) throw bad(path, `it must be an object of version ${VERSION}`)
  if (!Array.isArray(json.projects)) throw bad(path, '"projects" must be a list')
  const approvals = json.projects.map((record, at) => parseApproval(record, path, `"projects[${at}]"`))
  if (new Set(approvals.map(({ root }) => root)).size < approvals.length) throw bad(path, 'a folder is in it twice')
  return approvals
}

function parseApproval(record: unknown, path: string, what: string): CommandApproval {
  if (!isRecord(record)) throw bad(path, `${what} must be an object`)
  const stranger = Object.keys(record).find((key) => !KEYS.includes(key))
  if (stranger !== undefined) throw bad(path, `${what} has a key that is not known: ${JSON.stringify(stranger)}`)
  const { root, digest, actor, at } = record
  if (typeof root !== 'string' || root === '') throw bad(path, `${what} needs a text "root"`)
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw bad(path, `"digest" of ${what} is no SHA-256`)
  if (typeof actor !== 'string' || typeof at !== 'string') throw bad(path, `${what} needs texts "actor" and "at"`)
  return { root, digest, actor, at }
}

function bad(path: string, problem: string): LoadoutError {
  return new LoadoutError('BAD_APPROVALS', `${path} cannot be trusted: ${problem}`, { hint: APPROVALS_HINT })
}

export const APPROVALS_HINT = 'repair it, or move it away and allow the commands again'

export function formatCommandApprovals(projects: readonly CommandApproval[]): string {
  return `${JSON.stringify({ version: VERSION, projects }, null, 2)}\n`
}

/** One answer per folder: a later one takes the place of an earlier. */
export function withCommandApproval(
  approvals: readonly CommandApproval[],
  approval: CommandApproval,
): CommandApproval[] {
  return sortedBy([...withoutCommandApproval(approvals, approval.root), approval], ({ root }) => root)
}

export function withoutCommandApproval(approvals: readonly CommandApproval[], root: string): CommandApproval[] {
  return approvals.filter((approval) => approval.root !== root)
}
