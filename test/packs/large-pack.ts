import { type MadePack, makePack } from './hostile-packs.ts'
import { largePackFiles } from './large-pack-files.ts'

export function makeLargePack(pages?: number): MadePack {
  return makePack(largePackFiles(pages), 'large')
}
