import { asFinding, type Finding, failWith, report } from '../text/trouble.ts'
import { exists } from './files.ts'
import type { Machine } from './machine.ts'
import { realOrSame } from './open-project.ts'
import type { RecordFile } from './records.ts'
import {
  ANY_NAME,
  type Approval,
  type Decision,
  formatApprovals,
  makeApproval,
  NO_VERDICTS,
  parseApprovals,
  parseVerdicts,
  type Verdict,
  type Verdicts,
  verdictsAt,
  withApproval,
  withoutApproval,
} from './rules/approval.ts'

const APPROVALS: RecordFile<readonly Approval[]> = {
  place: 'approvals.json',
  empty: [],
  parse: parseApprovals,
  format: formatApprovals,
  broken: (problem, cause) => failWith('BAD_APPROVALS/unreadable', { problem }, { cause }),
}
/** The file in which earlier versions stored the decisions about packs. */
const EARLIER: RecordFile<readonly Approval[]> = { ...APPROVALS, place: 'packs/approvals.json' }

/** The file that changes with every answer. */
export function approvalsPath(machine: Machine): string {
  return machine.records.path(APPROVALS.place)
}

export interface Answers {
  approvals: readonly Approval[]
  /** False when the file cannot be parsed: then it is unknown what was approved or denied. */
  isKnown: boolean
  findings: Finding[]
}

/** The decisions so far. A file that cannot be parsed approves nothing, and is reported. */
export function readApprovals(machine: Machine): Answers {
  try {
    return { approvals: requireApprovals(machine), isKnown: true, findings: [] }
  } catch (error) {
    const { message, hint } = asFinding(error)
    const finding = report('BAD_APPROVALS/unread', { problem: message, hint })
    return { approvals: [], isKnown: false, findings: [finding] }
  }
}

/** Throws when the file cannot be parsed. */
export function requireApprovals(machine: Machine): readonly Approval[] {
  return machine.records.read(exists(machine.records.path(APPROVALS.place)) ? APPROVALS : EARLIER)
}

export async function recordApproval(
  machine: Machine,
  answer: Omit<Approval, 'id' | 'tier' | 'actor' | 'at'> & { decision: Decision },
): Promise<Approval> {
  const { USER, LOGNAME } = machine.env
  const approval = makeApproval({ ...answer, actor: USER || LOGNAME || 'unknown', at: machine.now().toISOString() })
  await changeApprovals(machine, 'approve', (approvals) => withApproval(approvals, approval))
  return approval
}

export async function removeApproval(
  machine: Machine,
  answered: Pick<Approval, 'kind' | 'root' | 'name'>,
): Promise<void> {
  await changeApprovals(machine, 'revoke', (approvals) => withoutApproval(approvals, answered))
}

async function changeApprovals(
  machine: Machine,
  purpose: string,
  change: (approvals: readonly Approval[]) => readonly Approval[],
): Promise<void> {
  const earlier = exists(machine.records.path(APPROVALS.place)) ? [] : machine.records.read(EARLIER)
  // Another process may have imported the earlier decisions before this one got the lock.
  await machine.records.change(APPROVALS, purpose, (approvals) =>
    change(exists(machine.records.path(APPROVALS.place)) ? approvals : earlier),
  )
}

const RECORD: RecordFile<Verdicts> = {
  place: 'team/verdicts.json',
  empty: NO_VERDICTS,
  parse: parseVerdicts,
  format: (verdicts) => `${JSON.stringify(verdicts, null, 1)}\n`,
  broken: (problem, cause) => failWith('FILE_UNREADABLE/catalog-said', { problem }, { cause }),
}

/** What the catalog last said about packs, and about the skills of a library. */
export function readVerdicts(machine: Machine, library?: string): readonly Verdict[] {
  const known = machine.records.read(RECORD)
  const verdicts = verdictsAt(known, machine.now())
  const isSame = library !== undefined && known.library === realOrSame(library)
  return isSame ? verdicts : verdicts.filter(({ kind, name }) => kind === 'pack' || name === ANY_NAME)
}

/** When the catalog expires that the last verdicts are from. */
export function verdictsExpiry(machine: Machine): string | undefined {
  return machine.records.read(RECORD).expires
}

/** From now on installs and packs obey these. */
export async function writeVerdicts(
  machine: Machine,
  library: string | undefined,
  said: Omit<Verdicts, 'library'>,
): Promise<void> {
  const place = library === undefined ? '' : realOrSame(library)
  await machine.records.change(RECORD, 'catalog', () => ({ ...said, library: place }))
}
