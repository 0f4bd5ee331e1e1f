import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asLoadoutError } from './files.ts'
import type { Machine } from './machine.ts'
import { packageFolder } from './package-folder.ts'

/** A copy of the sample workspace in a new temporary folder, as a machine of its own: home, state and project lie inside. */
export function createSample(machine: Machine): { folder: string; sample: Machine } {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-sample-'))
  try {
    cpSync(join(packageFolder(), 'sample'), folder, { recursive: true })
  } catch (error) {
    removeSample(folder)
    throw asLoadoutError(error, folder, 'write')
  }
  return { folder, sample: { cwd: join(folder, 'project'), home: join(folder, 'home'), env: {}, now: machine.now } }
}

export function removeSample(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
