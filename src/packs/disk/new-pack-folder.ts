import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asLoadoutError, codeOf, exists, makeFolders, removeLeftovers } from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { LoadoutError } from '../../text/trouble.ts'

/** Writes a new folder, all of it or nothing. What is there already is left alone. */
export async function writeNewFolder(target: string, files: ReadonlyMap<string, string>): Promise<void> {
  refuseExisting(target)
  // Hidden, so that nobody takes it for a finished pack.
  const stage = join(dirname(target), `${ownedName(`.${basename(target)}`)}.tmp`)
  try {
    makeFolders(dirname(target))
    removeLeftovers(target)
    for (const [path, text] of files) {
      makeFolders(dirname(join(stage, path)))
      writeFileSync(join(stage, path), text, { flag: 'wx' })
    }
    await flushFiles(stage, [...files.keys()])
    refuseExisting(target)
    renameSync(stage, target)
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) refuseExisting(target)
    throw asLoadoutError(error, target, 'write')
  }
}

function refuseExisting(target: string): void {
  if (!exists(target)) return
  throw new LoadoutError('PACK_EXISTS', `${target} exists already`, {
    hint: 'choose another name; nothing was written',
  })
}
