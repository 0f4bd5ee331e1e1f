import { sha256 } from '../../shared/digest.ts'
import { LoadoutError } from '../../shared/loadout-error.ts'
import { sortedBy } from '../../shared/order.ts'
import { isRecord } from '../../shared/record.ts'
import { oneOf, TIERS, type Tier } from '../vocabulary.ts'

export const DECISIONS = ['approved', 'denied'] as const
export type Decision = (typeof DECISIONS)[number]

/** A person's answer about one folder. It is kept outside the pack, so that no pack can answer for itself. */
export interface Approval {
  /** Follows from the content, so that a record can be named later. */
  id: string
  /** The pack's folder, after links. */
  root: string
  name: string
  /** Of KNOWLEDGE.md as it was approved. A denial has none: it holds whatever the folder says later. */
  digest?: string
  /** Of all files, when the approval is for exactly these. */
  treeDigest?: string
  tier: Tier
  actor: string
  /** An ISO time. */
  at: string
  decision: Decision
}

const VERSION = 1
const KEYS = ['id', 'root', 'name', 'digest', 'treeDigest', 'tier', 'actor', 'at', 'decision']
const DIGEST = /^[0-9a-f]{64}$/

export function makeApproval(answer: Omit<Approval, 'id'>): Approval {
  return { ...answer, id: approvalId(answer) }
}

function approvalId({ root, digest, tier, decision, at }: Omit<Approval, 'id'>): string {
  return sha256(JSON.stringify([root, digest ?? '', tier, decision, at])).slice(0, 16)
}

/** The records of the file. Anything odd is an error: a record that is half understood must open nothing. */
export function parseApprovals(json: unknown, path: string): Approval[] {
  if (!isRecord(json)) throw bad(path, 'the file must be an object')
  if (json.version !== VERSION) throw bad(path, `"version" must be ${VERSION}`)
  if (!Array.isArray(json.approvals)) throw bad(path, '"approvals" must be a list')
  const approvals = json.approvals.map((record, at) => parseApproval(record, path, `"approvals[${at}]"`))
  if (new Set(approvals.map(({ root }) => root)).size < approvals.length) {
    throw bad(path, 'a folder is answered for twice')
  }
  return approvals
}

function parseApproval(record: unknown, path: string, what: string): Approval {
  if (!isRecord(record)) throw bad(path, `${what} must be an object`)
  const stranger = Object.keys(record).find((key) => !KEYS.includes(key))
  if (stranger !== undefined) throw bad(path, `${what} has a key that is not known: ${JSON.stringify(stranger)}`)
  const text = (key: string): string => {
    const value = record[key]
    if (typeof value !== 'string' || (value === '' && key !== 'name')) throw bad(path, `${what} needs a text "${key}"`)
    return value
  }
  const tier = oneOf(TIERS, record.tier)
  const decision = oneOf(DECISIONS, record.decision)
  if (tier === undefined) throw bad(path, `"tier" of ${what} must be one of ${TIERS.join(', ')}`)
  if (decision === undefined) throw bad(path, `"decision" of ${what} must be one of ${DECISIONS.join(', ')}`)
  const approval = {
    root: text('root'),
    name: text('name'),
    ...(decision === 'denied' && record.digest === undefined ? {} : { digest: text('digest') }),
    ...(record.treeDigest === undefined ? {} : { treeDigest: text('treeDigest') }),
    tier,
    actor: text('actor'),
    at: text('at'),
    decision,
  }
  for (const key of ['digest', 'treeDigest'] as const) {
    if (approval[key] !== undefined && !DIGEST.test(approval[key])) throw bad(path, `"${key}" of ${what} is no SHA-256`)
  }
  if (text('id') !== approvalId(approval)) throw bad(path, `${what} does not fit its "id": it was changed by hand`)
  return makeApproval(approval)
}

function bad(path: string, problem: string): LoadoutError {
  return new LoadoutError('BAD_APPROVALS', `${path} cannot be trusted: ${problem}`, {
    hint: 'repair it, or move it away and approve the packs again',
  })
}

export function formatApprovals(approvals: readonly Approval[]): string {
  return `${JSON.stringify({ version: VERSION, approvals }, null, 2)}\n`
}

/** One answer per folder: a later one takes the place of an earlier. */
export function withApproval(approvals: readonly Approval[], approval: Approval): Approval[] {
  return sortedBy([...withoutApproval(approvals, approval.root), approval], ({ root }) => root)
}

export function withoutApproval(approvals: readonly Approval[], root: string): Approval[] {
  return approvals.filter((approval) => approval.root !== root)
}
