import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asLoadoutError, makeFolders } from '../../machine/files.ts'
import { Machine } from '../../machine/machine.ts'
import { packageFolder } from '../../machine/package-folder.ts'

export interface Sample {
  folder: string
  /** A separate machine: home, state and project are inside. */
  sample: Machine
  files: SampleFile[]
}

export interface SampleFile {
  /** Below the folder. */
  path: string
  characters: number
}

/** A copy of the sample workspace in a new temporary folder. */
export function createSample(machine: Machine): Sample {
  const files: SampleFile[] = []
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'loadout-sample-'))
    copyFolder(join(packageFolder(), 'sample'), folder, '', files)
  } catch (error) {
    if (folder !== undefined) removeSample(folder)
    throw asLoadoutError(error, folder ?? tmpdir(), 'write')
  }
  const sample = new Machine({
    cwd: join(folder, 'project'),
    home: join(folder, 'home'),
    env: {},
    now: machine.now,
    report: machine.report,
  })
  return { folder, sample, files }
}

export function removeSample(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

/** By content, not by mode: the program may be installed in a read-only folder. */
function copyFolder(from: string, to: string, below: string, files: SampleFile[]): void {
  makeFolders(join(to, below))
  for (const entry of readdirSync(join(from, below), { withFileTypes: true })) {
    const path = join(below, entry.name)
    if (entry.isDirectory()) {
      copyFolder(from, to, path, files)
      continue
    }
    const text = readFileSync(join(from, path), 'utf8')
    writeFileSync(join(to, path), text)
    files.push({ path, characters: text.length })
  }
}
