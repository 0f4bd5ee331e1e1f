import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt } from '../text/values.ts'
import { asLoadoutError, codeOf } from './files.ts'

/** A name for something unfinished, with the process that makes it: the next writer removes what no process owns. */
export function ownedName(name: string): string {
  return `${name}.${process.pid}-${randomBytes(4).toString('hex')}`
}

// Backups of earlier versions contain only the process.
const OWNED = /^(.+)\.(\d+)(?:-[0-9a-f]{8}|(?=\.partial$))(?:\.(?:tmp|partial))?$/

/** Whether `ownedName` made a name for a process that no longer runs. */
export function isOrphaned(name: string): boolean {
  const pid = OWNED.exec(name)?.[2]
  return pid !== undefined && !isAlive(Number(pid))
}

/** Whether `ownedName` made a name, for any process. */
export function isUnfinished(name: string): boolean {
  return OWNED.test(name)
}

/** Removes what dead processes left unfinished in a folder, under the wanted names. */
export function removeOrphans(folder: string, isWanted: (name: string) => boolean = () => true): void {
  for (const name of namesIn(folder)) {
    if (!isOrphaned(name) || !isWanted(OWNED.exec(name)?.[1] ?? '')) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // It is harmless, and the next writer tries again.
    }
  }
}

/** Empty for a folder that is missing or unreadable. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder), [])
}

/** Whether a process exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

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

/** How the paths of all temporary folders of this process begin. */
export function ownScratch(): string {
  return join(tmpdir(), `${NAME}.${process.pid}-`)
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
