import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asLoadoutError, codeOf } from './files.ts'
import { ownedName, removeOrphans } from './leftovers.ts'

const NAME = 'loadout'

/** Runs a function with its own temporary folder, and removes the folder afterwards. */
export async function withScratch<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeScratch()
  try {
    return await run(folder)
  } catch (error) {
    // Only the system's errors are about the folder: an interrupt or a fault of the program is not.
    throw /^E(?!RR_)/.test(codeOf(error)) ? asLoadoutError(error, folder, 'write') : error
  } finally {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // What was done is done. The next command tries again to remove it.
    }
  }
}

/** A temporary folder for this process. */
export function makeScratch(): string {
  removeOldScratch()
  const folder = join(tmpdir(), ownedName(NAME))
  try {
    mkdirSync(folder, { mode: 0o700 })
    return folder
  } catch (error) {
    throw asLoadoutError(error, tmpdir(), 'write')
  }
}

/** Removes the temporary folders of killed processes. */
export function removeOldScratch(): void {
  removeOrphans(tmpdir(), (name) => name === NAME)
}
