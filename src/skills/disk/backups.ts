import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, isFolder } from '../../machine/files.ts'
import { ownedName, removeOrphans } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { privateFolder, recordPath } from '../../machine/records.ts'
import { copyFolder } from './tree.ts'

const BACKUPS = 'backups'

/**
 * Copies a folder to the backups before Loadout replaces or removes it, and returns the path of the copy. Stores equal
 * content once, so that a second try after a kill does not add a copy.
 */
export function backUp(machine: Machine, folder: string, skill: string, origin: string, hash: string): string {
  const kept = backupOf(machine, skill, origin, hash)
  if (exists(kept)) return kept
  const partial = `${ownedName(kept)}.partial`
  privateFolder(machine, `${BACKUPS}/${skill}`)
  try {
    copyFolder(folder, partial)
    move(partial, kept)
    return kept
  } catch (error) {
    throw asLoadoutError(error, kept, 'write')
  }
}

/** Where the backup of this content is, if there is one. */
export function backupOf(machine: Machine, skill: string, origin: string, hash: string): string {
  return join(backupFolder(machine), skill, `${origin}-${hash.slice(0, 12)}`)
}

/** Removes copies that a killed process did not finish: the originals are still in place. */
export function removePartialBackups(machine: Machine): void {
  const all = backupFolder(machine)
  for (const skill of isFolder(all) ? readdirSync(all) : []) removeOrphans(join(all, skill))
}

function backupFolder(machine: Machine): string {
  return recordPath(machine, BACKUPS)
}
