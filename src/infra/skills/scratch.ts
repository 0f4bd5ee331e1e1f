import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asLoadoutError } from '../files.ts'

/** Runs something with a temporary folder of its own, which is gone afterwards. */
export async function withScratch<T>(run: (folder: string) => Promise<T>): Promise<T> {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'loadout-'))
    return await run(folder)
  } catch (error) {
    throw asLoadoutError(error, folder ?? tmpdir(), 'write')
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
