import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import {
  APPROVALS_HINT,
  type CommandApproval,
  formatCommandApprovals,
  parseCommandApprovals,
} from '../../domain/context/advice/command-approval.ts'
import type { AdapterSettings } from '../../domain/context/settings/context-settings.ts'
import { sha256 } from '../../domain/shared/digest.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { exists, writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { acquireLock } from '../lock.ts'
import { type Machine, stateFolder } from '../machine.ts'
import { type CommandPins, pinCommand } from './command-pins.ts'

const ONLY_THE_USER = 0o600

export function commandApprovalsPath(machine: Machine): string {
  return join(stateFolder(machine), 'context', 'commands.json')
}

/** `changed`: it was allowed, but is not what it was. `unpinnable`: nobody can tell which files it runs. */
export type CommandTrust = 'allowed' | 'changed' | 'unknown' | 'unpinnable'

export interface JudgedAdapter {
  trust: CommandTrust
  pins?: CommandPins
}

/** Whether a person has allowed exactly these commands of a project. A file that cannot be understood allows nothing. */
export function judgeAdapters(
  machine: Machine,
  projectRoot: string,
  adapters: readonly AdapterSettings[],
): JudgedAdapter[] {
  const root = realpathSync(projectRoot)
  const pinned = pinAdapters(machine, root, adapters)
  const approval = knownApprovals(machine).find((each) => each.root === root)
  const trust = approval === undefined ? 'unknown' : approval.digest === digestOfPins(pinned) ? 'allowed' : 'changed'
  return pinned.map(({ pins }) => judgeAs(trust, pins))
}

export function judgeAs(trust: CommandTrust, pins: CommandPins | undefined): JudgedAdapter {
  if (pins === undefined) return { trust: 'allowed' }
  return { trust: pins.problems.length > 0 ? 'unpinnable' : trust, pins }
}

function knownApprovals(machine: Machine): CommandApproval[] {
  try {
    return loadApprovals(commandApprovalsPath(machine))
  } catch (error) {
    if (error instanceof LoadoutError) return []
    throw error
  }
}

/** One writer at a time; a file that cannot be understood is left as it is. */
export async function changeCommandApprovals(
  machine: Machine,
  change: (approvals: readonly CommandApproval[]) => readonly CommandApproval[],
): Promise<void> {
  const path = commandApprovalsPath(machine)
  // Before anything is made: a file that must be repaired first is no reason to leave traces.
  loadApprovals(path)
  const lock = join(stateFolder(machine), 'locks', 'commands')
  const release = await acquireLock(lock, { purpose: 'adapters allow' })
  try {
    writeAtomically(path, formatCommandApprovals(change(loadApprovals(path))), ONLY_THE_USER)
  } finally {
    release()
  }
}

function loadApprovals(path: string): CommandApproval[] {
  if (!exists(path)) return []
  try {
    return parseCommandApprovals(readJson(path), path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code === 'BAD_APPROVALS') throw error
    throw new LoadoutError('BAD_APPROVALS', error.message, { hint: APPROVALS_HINT, cause: error })
  }
}

interface PinnedAdapter {
  adapter: AdapterSettings
  pins?: CommandPins
}

export function pinAdapters(machine: Machine, root: string, adapters: readonly AdapterSettings[]): PinnedAdapter[] {
  return adapters.map((adapter) => {
    const { command } = adapter
    return command === undefined ? { adapter } : { adapter, pins: pinCommand(machine, root, command) }
  })
}

/** Whatever would make another program run, or the same one differently, makes another digest. */
export function digestOfPins(pinned: readonly PinnedAdapter[]): string {
  const commands = pinned.flatMap(({ adapter: { id, command }, pins }) =>
    pins === undefined || pins.problems.length > 0 ? [] : [[id, command, pins.files]],
  )
  return sha256(JSON.stringify(commands))
}
