import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asLoadoutError, makeFolders } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { packageFolder } from '../../machine/package-folder.ts'

/** A copy of the sample workspace in a new temporary folder, as a machine of its own: home, state and project lie inside. */
export function createSample(machine: Machine): { folder: string; sample: Machine } {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'loadout-sample-'))
    copyFolder(join(packageFolder(), 'sample'), folder)
  } catch (error) {
    if (folder !== undefined) removeSample(folder)
    throw asLoadoutError(error, folder ?? tmpdir(), 'write')
  }
  return { folder, sample: { cwd: join(folder, 'project'), home: join(folder, 'home'), env: {}, now: machine.now } }
}

export function removeSample(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

/** By content, not by mode: the program may be installed where nothing is writable. */
function copyFolder(from: string, to: string): void {
  makeFolders(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyFolder(join(from, entry.name), join(to, entry.name))
    else writeFileSync(join(to, entry.name), readFileSync(join(from, entry.name)))
  }
}
