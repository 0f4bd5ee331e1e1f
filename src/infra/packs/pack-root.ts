import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isFile, isFolder } from '../files.ts'

export const GUIDE_FILE = 'KNOWLEDGE.md'

/** The real path of the pack that a folder, or its KNOWLEDGE.md, is; undefined when it is none. */
export function findPackRoot(path: string): string | undefined {
  const folder = basename(path) === GUIDE_FILE && isFile(path) ? dirname(path) : path
  try {
    if (!isFolder(folder)) return undefined
    const root = realpathSync(folder)
    // Asked of the listing: some disks would find another spelling as well.
    return readdirSync(root).includes(GUIDE_FILE) && isFile(join(root, GUIDE_FILE)) ? root : undefined
  } catch {
    return undefined
  }
}
