import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compareText } from '../../domain/shared/order.ts'
import type { TargetRoot } from '../../domain/skills/placement.ts'
import { DOCUMENT_FILE } from '../../domain/skills/skill.ts'
import { isFile, isLink } from '../files.ts'

/** A folder with a SKILL.md that an agent reads, whoever put it there. */
export interface InstalledSkill {
  /** Of its folder. */
  name: string
  folder: string
  scope: TargetRoot['scope']
}

/**
 * What stands in agents' folders, the first of each name. Folders themselves only: behind a link lies something that has
 * a place of its own. Reads no file; a root that cannot be read holds nothing.
 */
export function installedSkills(roots: readonly TargetRoot[]): InstalledSkill[] {
  const found = new Map<string, InstalledSkill>()
  for (const { path, scope } of roots) {
    for (const name of foldersIn(path)) {
      const folder = join(path, name)
      const document = join(folder, DOCUMENT_FILE)
      if (!found.has(name) && isFile(document) && !isLink(document)) found.set(name, { name, folder, scope })
    }
  }
  return [...found.values()]
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort(compareText)
  } catch {
    return []
  }
}
