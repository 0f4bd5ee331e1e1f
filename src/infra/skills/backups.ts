import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists } from '../files.ts'
import { type Machine, stateFolder } from '../machine.ts'
import { copyFolder } from './tree.ts'

/**
 * Keeps a copy of a folder that is about to be replaced or removed, and says where. The same content is kept once,
 * so that trying again after a kill leaves no second copy.
 */
export function backUp(machine: Machine, folder: string, skill: string, origin: string, hash: string): string {
  const kept = join(backupFolder(machine), skill, `${origin}-${hash.slice(0, 12)}`)
  if (exists(kept)) return kept
  const partial = `${kept}.partial`
  try {
    rmSync(partial, { recursive: true, force: true })
    copyFolder(folder, partial)
    renameSync(partial, kept)
    return kept
  } catch (error) {
    throw asLoadoutError(error, kept, 'write')
  }
}

export function backupFolder(machine: Machine): string {
  return join(stateFolder(machine), 'backups')
}
