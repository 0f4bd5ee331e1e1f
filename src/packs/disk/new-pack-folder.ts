import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asLoadoutError, codeOf, exists, makeFolders, removeLeftovers } from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import { type PinnedFolder, pinFolder } from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { move } from '../../machine/platform.ts'
import { LoadoutError } from '../../text/trouble.ts'

/** Writes a new folder below a root, all of it or nothing. What is there already is left alone. */
export async function writeNewFolder(root: string, target: string, files: ReadonlyMap<string, string>): Promise<void> {
  refuseExisting(target)
  let around: PinnedFolder | undefined
  let stage: string | undefined
  try {
    makeFolders(dirname(target))
    around = pinFolder(dirname(target), root)
    const place = join(around.place, basename(target))
    // Hidden, so that it does not look like a finished pack.
    stage = join(around.place, `${ownedName(`.${basename(target)}`)}.tmp`)
    removeLeftovers(place)
    for (const [path, text] of files) {
      makeFolders(dirname(join(stage, path)))
      writeFileSync(join(stage, path), text, { flag: 'wx' })
    }
    await flushFiles(stage, [...files.keys()])
    refuseExisting(target)
    move(stage, place)
  } catch (error) {
    if (stage !== undefined) rmSync(stage, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) refuseExisting(target)
    throw asLoadoutError(error, target, 'write')
  } finally {
    around?.close()
  }
}

function refuseExisting(target: string): void {
  if (!exists(target)) return
  throw new LoadoutError('PACK_EXISTS', `${target} already exists`, {
    hint: 'choose another name; nothing was written',
  })
}
