import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, isFolder } from '../../machine/files.ts'
import { ownedName, removeOrphans } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { copyFolder } from './tree.ts'

const BACKUPS = 'backups'

/** Copies of what Loadout replaced or removed, in the state folder. */
export class Backups {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  /**
   * Copies a folder before Loadout replaces or removes it, and returns the path of the copy. Stores equal content once,
   * so that a second try after a kill does not add a copy.
   */
  add(folder: string, skill: string, origin: string, hash: string): string {
    const kept = this.pathOf(skill, origin, hash)
    if (exists(kept)) return kept
    const partial = `${ownedName(kept)}.partial`
    this.machine.records.privateFolder(`${BACKUPS}/${skill}`)
    try {
      copyFolder(folder, partial)
      move(partial, kept)
      return kept
    } catch (error) {
      throw asLoadoutError(error, kept, 'write')
    }
  }

  /** Where the backup of this content is, if there is one. */
  pathOf(skill: string, origin: string, hash: string): string {
    return join(this.machine.records.path(BACKUPS), skill, `${origin}-${hash.slice(0, 12)}`)
  }

  /** Removes copies that a killed process did not finish: the originals are still in place. */
  removePartial(): void {
    const all = this.machine.records.path(BACKUPS)
    for (const skill of isFolder(all) ? readdirSync(all) : []) removeOrphans(join(all, skill))
  }
}
