import { join } from 'node:path'
import { type Approval, formatApprovals, parseApprovals } from '../../domain/packs/gates/approval.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { exists, writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { acquireLock } from '../lock.ts'
import { type Machine, stateFolder } from '../machine.ts'

const ONLY_THE_USER = 0o600

export function approvalsPath(machine: Machine): string {
  return join(stateFolder(machine), 'packs', 'approvals.json')
}

export interface Answers {
  approvals: readonly Approval[]
  /** False when there is a file that cannot be understood: then nobody knows what was approved or denied. */
  isKnown: boolean
  findings: Finding[]
}

/** The answers given so far. A file that cannot be understood opens nothing, and says so. */
export function readApprovals(machine: Machine): Answers {
  try {
    return { approvals: loadApprovals(approvalsPath(machine)), isKnown: true, findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `${error.message}; until it is repaired, no pack is open`
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    const findings: Finding[] = [{ severity: 'warning', code: 'BAD_APPROVALS', message, ...hint }]
    return { approvals: [], isKnown: false, findings }
  }
}

/** One writer at a time; a file that cannot be understood is left as it is. */
export async function changeApprovals(
  machine: Machine,
  change: (approvals: readonly Approval[]) => readonly Approval[],
): Promise<void> {
  const path = approvalsPath(machine)
  // Before anything is made: a file that must be repaired first is no reason to leave traces.
  loadApprovals(path)
  const release = await acquireLock(join(stateFolder(machine), 'locks', 'approvals'), { purpose: 'packs approve' })
  try {
    const text = formatApprovals(change(loadApprovals(path)))
    // What could not be read again would take every other answer with it.
    parseApprovals(JSON.parse(text), path)
    writeAtomically(path, text, ONLY_THE_USER)
  } finally {
    release()
  }
}

function loadApprovals(path: string): Approval[] {
  if (!exists(path)) return []
  try {
    return parseApprovals(readJson(path), path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code === 'BAD_APPROVALS') throw error
    const hint = 'repair it, or move it away and approve the packs again'
    throw new LoadoutError('BAD_APPROVALS', error.message, { hint, cause: error })
  }
}
