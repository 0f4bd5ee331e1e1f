import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What all files of a run share: nothing of another run, or another user, is met or left. */
export const runFolder = (): string => process.env.LOADOUT_TEST_RUN ?? tmpdir()

/** Fills a folder with what `make` would put there: it is made once in a run, for each key, and then only copied. */
export function fillFrom(key: string, folder: string, make: (folder: string) => void): void {
  const made = join(runFolder(), `made-${createHash('sha256').update(key).digest('hex')}`)
  if (!existsSync(made)) {
    const making = mkdtempSync(join(runFolder(), 'making-'))
    chmodSync(making, 0o755)
    make(making)
    try {
      renameSync(making, made)
    } catch {
      // Another worker was faster.
      rmSync(making, { recursive: true })
    }
  }
  cpSync(made, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-run-'))
  process.env.LOADOUT_TEST_RUN = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
