import { accessSync, constants, existsSync, lstatSync, rmdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { shellWord } from '../../../domain/shared/shell-word.ts'
import { asLoadoutError, exists, readText, removeFile, removeLeftovers, writeAtomically } from '../../files.ts'
import { writeNamed } from '../../inside.ts'

/** All of a settings file; undefined when there is none. */
export function readSettingsFile(path: string): string | undefined {
  return exists(path) ? readText(path) : undefined
}

/** The folders that would have to be made for a file, outermost first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let folder = dirname(path); !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) {
    missing.unshift(folder)
  }
  return missing
}

/**
 * Replaces what was read before, and nothing else: an agent may write its settings at the same time. The user's own file
 * may be a link, as dotfile managers make it; one of a project must stay inside.
 */
export function replaceSettingsFile(
  project: string | undefined,
  path: string,
  before: string | undefined,
  after: string,
): void {
  requireUnchanged(path, before)
  if (project === undefined) writeAtomically(path, after)
  else writeNamed(project, path, after)
}

export function deleteSettingsFile(path: string, before: string): void {
  requireUnchanged(path, before)
  try {
    removeFile(path)
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

/** Removes folders that were made for a file, unless somebody uses them by now. Outermost first. */
export function removeFolders(path: string, folders: readonly string[]): void {
  removeLeftovers(path)
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      // It is not empty, or gone already.
    }
  }
}

export function isOrdinaryFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function requireUnchanged(path: string, before: string | undefined): void {
  if (readSettingsFile(path) !== before) {
    throw new LoadoutError('WRITE_FAILED', `${path} was changed by another program just now`, {
      hint: 'nothing was changed; try again',
    })
  }
  if (before !== undefined) requireWritable(path)
}

/** Replacing a file needs only its folder; but who made it read-only did not want it changed. */
function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
  if ((statSync(path).mode & 0o222) !== 0) return
  throw new LoadoutError('WRITE_FAILED', `${path} is read-only`, {
    hint: `chmod u+w ${shellWord(path)}; --dry-run shows the lines to add by hand`,
  })
}
