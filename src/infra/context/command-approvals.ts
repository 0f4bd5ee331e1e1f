import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import {
  APPROVALS_HINT,
  type CommandApproval,
  commandsDigest,
  formatCommandApprovals,
  parseCommandApprovals,
} from '../../domain/context/advice/command-approval.ts'
import type { AdapterSettings } from '../../domain/context/settings/context-settings.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { exists, writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { acquireLock } from '../lock.ts'
import { type Machine, stateFolder } from '../machine.ts'
import { readProjectFile } from './project-file.ts'

const ONLY_THE_USER = 0o600

export function commandApprovalsPath(machine: Machine): string {
  return join(stateFolder(machine), 'context', 'commands.json')
}

/** `changed`: they were allowed, but are not what they were. */
export type CommandTrust = 'allowed' | 'changed' | 'unknown'

/** Whether a person has allowed exactly these commands of a project. A file that cannot be understood allows nothing. */
export function commandTrust(
  machine: Machine,
  projectRoot: string,
  adapters: readonly AdapterSettings[],
): CommandTrust {
  if (!adapters.some(({ command }) => command !== undefined)) return 'allowed'
  const root = realpathSync(projectRoot)
  const approval = knownApprovals(machine).find((each) => each.root === root)
  if (approval === undefined) return 'unknown'
  return approval.digest === digestOfCommands(root, adapters) ? 'allowed' : 'changed'
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

/** A script is small; a larger file of the project is known by its name alone. */
const LARGEST_SCRIPT = 4 * 1024 * 1024

/** Covers the scripts of the project that a command names: they come from the same hand as the command. */
export function digestOfCommands(root: string, adapters: readonly AdapterSettings[]): string {
  return commandsDigest(adapters, (word) => {
    const path = isAbsolute(word) ? relative(root, word) : word
    const { bytes } = readProjectFile(root, path, LARGEST_SCRIPT)
    return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex')
  })
}
