import { join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { isLink, writeNew } from '../files.ts'

/** A new record in the `runs/` of a pack. Where that is a link, the pack says where to write: nothing is. */
export function writeRunFile(root: string, name: string, text: string): void {
  const folder = join(root, 'runs')
  if (isLink(folder)) {
    throw new LoadoutError('PATH_ESCAPE', `${folder} is a link`, { hint: 'nothing is written through it' })
  }
  writeNew(join(folder, name), text)
}
