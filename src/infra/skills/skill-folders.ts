import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compareText } from '../../domain/shared/order.ts'
import type { TargetRoot } from '../../domain/skills/placement.ts'
import { DOCUMENT_FILE } from '../../domain/skills/skill.ts'
import { isFile, isLink } from '../files.ts'

/** A folder with a SKILL.md that agents read, whoever put it there. */
export interface SkillFolder {
  name: string
  path: string
  scope: TargetRoot['scope']
}

/**
 * What stands in agents' folders, the first of each name. Real folders and files only: behind a link lies something that
 * has a place of its own. Opens no file; a root that cannot be read holds nothing.
 */
export function findSkillFolders(roots: readonly TargetRoot[]): SkillFolder[] {
  const found = new Map<string, SkillFolder>()
  for (const root of roots) {
    for (const name of foldersIn(root.path)) {
      const path = join(root.path, name)
      const document = join(path, DOCUMENT_FILE)
      if (!found.has(name) && isFile(document) && !isLink(document)) found.set(name, { name, path, scope: root.scope })
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
