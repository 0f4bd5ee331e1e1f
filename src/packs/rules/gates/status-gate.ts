import type { Code } from '../../../text/trouble.ts'
import type { PackStatus, PackWarning } from '../pack.ts'

/** Whether a pack's status lets it be used, and what must be said and done then. */
export interface Gate {
  /** `confirm`: only after a yes of the user, which is another answer than an approval. */
  verdict: 'allow' | 'confirm' | 'refuse'
  warnings: readonly PackWarning[]
  /** Its compiled views are not enough: the pages and sources behind them have to be read. */
  mustEscalate: boolean
  /** The list of what is missing is shown, also when it is empty. */
  showsGaps: boolean
}

export interface Asked {
  /** The user named the pack. */
  isExplicit: boolean
  /** The user said yes to its status. */
  isConfirmed: boolean
}

const SAYS: Record<Exclude<PackStatus, 'ready'>, string> = {
  draft: 'it is a draft',
  'needs-review': 'it has not been reviewed since it was last changed',
  stale: 'it is out of date',
  disputed: 'parts of it are disputed',
  archived: 'it is archived and no longer looked after',
}

/** The gate after trust. An undefined status is one that is none of the six. */
export function statusGate(status: PackStatus | undefined, { isExplicit, isConfirmed }: Asked): Gate {
  const open: Gate = { verdict: 'allow', warnings: [], mustEscalate: false, showsGaps: false }
  if (status === 'ready') return open
  if (status === undefined) {
    return { ...open, verdict: 'refuse', warnings: [warning('error', 'unknown', 'its status is none that is known')] }
  }
  const warned: Gate = { ...open, warnings: [warning('warning', status, SAYS[status])] }
  switch (status) {
    case 'needs-review':
      return { ...warned, showsGaps: true }
    case 'stale':
      return warned
    case 'draft':
      return isConfirmed ? warned : { ...warned, verdict: 'confirm' }
    case 'disputed':
      return { ...warned, mustEscalate: true, verdict: isConfirmed ? 'allow' : 'confirm' }
    case 'archived':
      return isExplicit ? warned : { ...warned, verdict: 'refuse' }
  }
}

function warning(
  severity: PackWarning['severity'],
  status: Exclude<PackStatus, 'ready'> | 'unknown',
  message: string,
): PackWarning {
  return { severity, code: `pack.status.${status}` satisfies Code, path: 'KNOWLEDGE.md', message }
}
