import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PACK_FILE } from '../../domain/packs/pack.ts'
import { isFile, isFolder } from '../files.ts'

/** The real path of the pack that a folder, or its KNOWLEDGE.md, is; undefined when it is none. */
export function findPackRoot(path: string): string | undefined {
  const folder = basename(path) === PACK_FILE && isFile(path) ? dirname(path) : path
  try {
    if (!isFolder(folder)) return undefined
    const root = realpathSync(folder)
    // Asked of the listing: some disks would find another spelling as well.
    return readdirSync(root).includes(PACK_FILE) && isFile(join(root, PACK_FILE)) ? root : undefined
  } catch {
    return undefined
  }
}
