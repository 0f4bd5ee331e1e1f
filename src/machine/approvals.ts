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

export interface Answers {
  approvals: readonly Approval[]
  /** False when the file cannot be parsed: then it is unknown what was approved or denied. */
  isKnown: boolean
  findings: Finding[]
}

/** What the user of this machine approved and denied. */
export class Approvals {
  private readonly machine: Pick<Machine, 'records' | 'env' | 'now'>
  /** The file that changes with every answer. */
  readonly path: string

  constructor(machine: Pick<Machine, 'records' | 'env' | 'now'>) {
    this.machine = machine
    this.path = machine.records.path(APPROVALS.place)
  }

  /** The decisions so far. A file that cannot be parsed approves nothing, and is reported. */
  read(): Answers {
    try {
      return { approvals: this.require(), isKnown: true, findings: [] }
    } catch (error) {
      const { message, hint } = asFinding(error)
      const finding = report('BAD_APPROVALS/unread', { problem: message, hint })
      return { approvals: [], isKnown: false, findings: [finding] }
    }
  }

  /** Throws when the file cannot be parsed. */
  require(): readonly Approval[] {
    return this.machine.records.read(exists(this.path) ? APPROVALS : EARLIER)
  }

  async record(answer: Omit<Approval, 'id' | 'tier' | 'actor' | 'at'> & { decision: Decision }): Promise<Approval> {
    const { env, now } = this.machine
    const actor = env.USER || env.LOGNAME || 'unknown'
    const approval = makeApproval({ ...answer, actor, at: now().toISOString() })
    await this.change('approve', (approvals) => withApproval(approvals, approval))
    return approval
  }

  async remove(answered: Pick<Approval, 'kind' | 'root' | 'name'>): Promise<void> {
    await this.change('revoke', (approvals) => withoutApproval(approvals, answered))
  }

  private async change(
    purpose: string,
    change: (approvals: readonly Approval[]) => readonly Approval[],
  ): Promise<void> {
    const { records } = this.machine
    const earlier = exists(this.path) ? [] : records.read(EARLIER)
    // Another process may have imported the earlier decisions before this one got the lock.
    await records.change(APPROVALS, purpose, (approvals) => change(exists(this.path) ? approvals : earlier))
  }
}

const RECORD: RecordFile<Verdicts> = {
  place: 'team/verdicts.json',
  empty: NO_VERDICTS,
  parse: parseVerdicts,
  format: (verdicts) => `${JSON.stringify(verdicts, null, 1)}\n`,
  broken: (problem, cause) => failWith('FILE_UNREADABLE/catalog-said', { problem }, { cause }),
}

/** What the catalog of the team last said. */
export class CatalogRecord {
  private readonly machine: Pick<Machine, 'records' | 'now'>

  constructor(machine: Pick<Machine, 'records' | 'now'>) {
    this.machine = machine
  }

  /** About packs, and about the skills of a library. */
  read(library?: string): readonly Verdict[] {
    const known = this.machine.records.read(RECORD)
    const verdicts = verdictsAt(known, this.machine.now())
    const isSame = library !== undefined && known.library === realOrSame(library)
    return isSame ? verdicts : verdicts.filter(({ kind, name }) => kind === 'pack' || name === ANY_NAME)
  }

  /** When the catalog expires that the last verdicts are from. */
  get expires(): string | undefined {
    return this.machine.records.read(RECORD).expires
  }

  /** From now on installs and packs obey these. */
  async write(library: string | undefined, said: Omit<Verdicts, 'library'>): Promise<void> {
    const place = library === undefined ? '' : realOrSame(library)
    await this.machine.records.change(RECORD, 'catalog', () => ({ ...said, library: place }))
  }
}
