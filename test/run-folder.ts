import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What all files of a run share: nothing of another run, or another user, is met or left. */
export const runFolder = (): string => process.env.LOADOUT_TEST_RUN ?? tmpdir()

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-run-'))
  process.env.LOADOUT_TEST_RUN = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
