import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** All temporary files of a run stand in a folder of its own: nothing of another run, or another user, is met or left. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-run-'))
  // The database of the tests belongs to another user.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
