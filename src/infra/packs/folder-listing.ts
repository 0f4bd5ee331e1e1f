import { readdirSync } from 'node:fs'
import { PACK_FILE } from '../../domain/packs/pack.ts'

/** What matters of a folder's entries when one looks for packs, each list in code unit order. */
export interface Listing {
  /** What stands under the name that makes a pack. Of a pack the rest is left empty: nobody descends into it. */
  packFile: PackFileKind
  folders: readonly string[]
  /** Folders that are not looked into because of their name. */
  skipped: readonly string[]
  links: readonly string[]
}

export const PACK_FILE_KINDS = ['none', 'file', 'link', 'other'] as const
export type PackFileKind = (typeof PACK_FILE_KINDS)[number]

const NONE: readonly string[] = []
const SKIPPED = new Set(
  'node_modules bower_components jspm_packages vendor dist build out target coverage indexes __pycache__ CVS _darcs'.split(
    ' ',
  ),
)

/** Hidden folders are those of version control and of caches. Asked only below a root, which may be hidden itself. */
function isSkipped(name: string): boolean {
  return name.startsWith('.') || SKIPPED.has(name)
}

export function listFolder(path: string): Listing {
  let packFile: PackFileKind = 'none'
  const [folders, skipped, links]: [string[], string[], string[]] = [[], [], []]
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const { name } = entry
    // Compared with the entry, never asked of the disk: one that ignores case would say yes to knowledge.md.
    if (name === PACK_FILE) {
      packFile = entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'
      if (packFile === 'file') return { packFile, folders: NONE, skipped: NONE, links: NONE }
    } else if (entry.isDirectory()) {
      if (isSkipped(name)) skipped.push(name)
      else folders.push(name)
    } else if (entry.isSymbolicLink() && !isSkipped(name)) links.push(name)
  }
  return { packFile, folders: folders.sort(), skipped: skipped.sort(), links: links.sort() }
}
