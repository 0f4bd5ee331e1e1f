import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, isAlive, isFolder } from '../files.ts'
import { type Machine, stateFolder } from '../machine.ts'
import { copyFolder } from './tree.ts'

/**
 * Keeps a copy of a folder that is about to be replaced or removed, and says where. The same content is kept once,
 * so that trying again after a kill leaves no second copy.
 */
export function backUp(machine: Machine, folder: string, skill: string, origin: string, hash: string): string {
  const kept = join(backupFolder(machine), skill, `${origin}-${hash.slice(0, 12)}`)
  if (exists(kept)) return kept
  const partial = `${kept}.${process.pid}.partial`
  try {
    copyFolder(folder, partial)
    renameSync(partial, kept)
    return kept
  } catch (error) {
    throw asLoadoutError(error, kept, 'write')
  }
}

const PARTIAL = /\.(\d+)\.partial$/

/** Removes copies that a killed process had only begun: what they were made of is still in its place. */
export function removePartialBackups(machine: Machine): void {
  const all = backupFolder(machine)
  const folders = isFolder(all) ? readdirSync(all).map((skill) => join(all, skill)) : []
  for (const folder of folders.filter(isFolder)) {
    for (const name of readdirSync(folder)) {
      const pid = PARTIAL.exec(name)?.[1]
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

function backupFolder(machine: Machine): string {
  return join(stateFolder(machine), 'backups')
}
