import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFile } from './files.ts'

export const INDEX_IN_PROJECT = '.claude/loadout/index.json'
export const SETTINGS_FILE = 'loadout.json'

/**
 * The folder whose index or settings serve a place inside a project: the nearest one upwards, no further than the root
 * of the repository.
 */
export function findProjectRoot(start: string): string | undefined {
  if (isProject(start)) return start
  const repository = findRepositoryRoot(start)
  for (let folder = start; ; folder = dirname(folder)) {
    if (isProject(folder)) return folder
    if (repository === undefined || folder === repository || dirname(folder) === folder) return undefined
  }
}

function isProject(folder: string): boolean {
  return isFile(join(folder, INDEX_IN_PROJECT)) || isFile(join(folder, SETTINGS_FILE))
}

/** The nearest folder upwards with a `.git`. */
export function findRepositoryRoot(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}
